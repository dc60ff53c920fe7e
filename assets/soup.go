package assets

import (
	"github.com/go-gl/mathgl/mgl32"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/exact"
)

const (
	soupShards    = 96
	soupShardSpan = 10 // vertices per shard, including unreferenced ones
	soupRun       = 120
)

// soup holds what a strategy must survive, around a small sphere: triangles with repeated indices
// or without area, triangles repeated immediately and much later, long runs of one triangle,
// unreferenced vertices (one of them far away), draws that share or overlap each other's
// vertices, an instanced draw and an empty one.
func soup(int) *geometry.Scene {
	b := newBuilder(0, 0)
	r := newRandom(23)
	for k := range soupShards {
		b.shard(r, k)
	}
	b.draw("shards", mgl32.Vec4{0.75, 0.60, 0.25, 1})
	b.halves()
	b.window()
	b.add(geometry.Draw{Name: "empty", Transform: mgl32.Ident4(), Color: geometry.DefaultColor})
	return b.scene
}

// shard appends a fan of six triangles that faces outward, with one of eight defects, chosen by
// its number.
func (b *builder) shard(r random, number int) {
	out := r.direction()
	u, v := tangents(out)
	center := out.Scale(r.between(1.6, 2.4))
	size := r.between(0.12, 0.35)
	hub := b.vertex(center, out)
	for k := range 6 {
		sin, cos := sincos(float64(k) / 6)
		b.vertex(center.Add(u.Scale(float64(cos*size))).Add(v.Scale(float64(sin*size))), out)
	}
	rim := hub + 1
	twin := b.vertex(exact.Double(b.scene.Positions[rim]), out)
	middle := b.vertex(exact.Double(b.scene.Positions[rim]).Add(exact.Double(b.scene.Positions[rim+2])).Scale(0.5), out)
	b.vertex(center.Scale(1+float64(40*float64(number%7))), out) // an unreferenced vertex
	for k := range uint32(6) {
		b.triangle(hub, rim+k, rim+(k+1)%6)
	}
	switch number % 8 {
	case 0: // the same triangle again, then rotated
		b.triangle(hub, rim, rim+1)
		b.triangle(hub, rim, rim+1)
		b.triangle(rim, rim+1, hub)
		b.triangle(rim+1, hub, rim)
	case 1: // two equal indices, in all three positions
		b.triangle(hub, hub, rim)
		b.triangle(hub, rim, hub)
		b.triangle(rim, hub, hub)
	case 2: // three equal indices
		b.triangle(hub, hub, hub)
		b.triangle(rim+3, rim+3, rim+3)
	case 3: // a sliver: three vertices on a line
		b.triangle(rim, middle, rim+2)
	case 4: // two vertices at one point
		b.triangle(hub, rim, twin)
		b.triangle(twin, rim, twin)
	case 5: // a run of one triangle, longer than a batch
		for range soupRun {
			b.triangle(hub, rim+2, rim+3)
		}
	case 6: // a triangle of the shard half a stream earlier
		old := uint32(number/2) * soupShardSpan
		b.triangle(old, old+1, old+2)
	case 7: // a run of one point, longer than a batch
		for range soupRun {
			b.triangle(rim, rim, rim)
		}
	}
}

// halves appends a sphere as two draws that share its vertices, each with every other triangle,
// and the first draw again elsewhere.
func (b *builder) halves() {
	ball := sphere(2)
	for _, p := range ball.Positions {
		b.vertex(exact.Double(p), exact.Double(p))
	}
	var odd []uint32
	for k := 0; k < len(ball.Indices); k += 3 {
		t := ball.Indices[k : k+3]
		if k%2 == 0 {
			b.triangle(t[0], t[1], t[2])
		} else {
			odd = append(odd, t...)
		}
	}
	even := b.part("even half", mgl32.Vec4{0.25, 0.45, 0.70, 1})
	b.scene.Indices = append(b.scene.Indices, odd...)
	whole := b.cut("odd half", mgl32.Vec4{0.70, 0.30, 0.25, 1})
	even.VertexCount = whole.VertexCount
	again := even
	again.Name = "even half again"
	again.Transform = place(vec{0, 3, 0}, vec{0.5, 0.5, 0.5})
	again.Color = mgl32.Vec4{0.35, 0.65, 0.40, 1}
	b.add(even)
	b.add(whole)
	b.add(again)
}

// window appends a draw whose vertices overlap those of the shards; it has its own indices, from
// the fourth shard on.
func (b *builder) window() {
	for shard := uint32(0); shard < 60; shard += soupShardSpan {
		b.triangle(shard, shard+2, shard+3)
		b.triangle(shard, shard+5, shard+6)
	}
	d := b.cut("window", mgl32.Vec4{0.60, 0.40, 0.70, 1})
	d.VertexOffset = 3 * soupShardSpan
	d.VertexCount = 60
	d.Transform = place(vec{}, vec{1.5, 1.5, 1.5})
	b.add(d)
}
