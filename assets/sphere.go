package assets

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/exact"
)

var icosahedronFaces = [60]uint32{
	0, 11, 5, 0, 5, 1, 0, 1, 7, 0, 7, 10, 0, 10, 11,
	1, 5, 9, 5, 11, 4, 11, 10, 2, 10, 7, 6, 7, 1, 8,
	3, 9, 4, 3, 4, 2, 3, 2, 6, 3, 6, 8, 3, 8, 9,
	4, 9, 5, 2, 4, 11, 6, 2, 10, 8, 6, 7, 9, 8, 1,
}

var icosahedronVertices = [12]vec{
	{-1, math.Phi, 0}, {1, math.Phi, 0}, {-1, -math.Phi, 0}, {1, -math.Phi, 0},
	{0, -1, math.Phi}, {0, 1, math.Phi}, {0, -1, -math.Phi}, {0, 1, -math.Phi},
	{math.Phi, 0, -1}, {math.Phi, 0, 1}, {-math.Phi, 0, -1}, {-math.Phi, 0, 1},
}

// sphere is the icosahedron subdivided level times onto the unit sphere: 20 * 4^level triangles
// over 10 * 4^level + 2 shared vertices. At every level, the four children of a triangle follow
// each other, and vertices are numbered in the order in which the subdivision creates them.
func sphere(level int) *geometry.Scene {
	b := newBuilder(10<<(2*level)+2, 0)
	for _, p := range icosahedronVertices {
		n := p.Unit()
		b.vertex(n, n)
	}
	b.scene.Indices = slices.Clone(icosahedronFaces[:])
	for range level {
		b.subdivide()
	}
	b.draw("sphere", mgl32.Vec4{0.35, 0.60, 0.75, 1})
	return b.scene
}

// subdivide splits every triangle of a closed unit sphere into four.
func (b *builder) subdivide() {
	coarse := b.scene.Indices
	fine := make([]uint32, 0, 4*len(coarse))
	// An edge has two triangles: the second one uses the vertex that the first made. The edge then
	// leaves the map, which stays small enough to cache.
	open := make(map[uint64]uint32)
	middle := func(a, c uint32) uint32 {
		key := uint64(min(a, c))<<32 | uint64(max(a, c))
		if id, ok := open[key]; ok {
			delete(open, key)
			return id
		}
		n := exact.Double(b.scene.Positions[a]).Add(exact.Double(b.scene.Positions[c])).Unit()
		id := b.vertex(n, n)
		open[key] = id
		return id
	}
	for k := 0; k < len(coarse); k += 3 {
		v0, v1, v2 := coarse[k], coarse[k+1], coarse[k+2]
		m01, m12, m20 := middle(v0, v1), middle(v1, v2), middle(v2, v0)
		fine = append(fine, v0, m01, m20, v1, m12, m01, v2, m20, m12, m01, m12, m20)
	}
	b.scene.Indices = fine
}

// The trefoil's curve goes twice round the axis of its torus, and three times round the ring of the torus.
const (
	knotAround, knotThrough = 2, 3
	knotMajor, knotMinor    = 2, 0.8 // radii of the torus that the curve lies on
	knotTube                = 0.36   // radius of the tube along the curve
)

// knot is the trefoil with a tube of n sides and 16 n rings: 32 n^2 triangles over 16 n^2
// vertices, ring by ring.
func knot(n int) *geometry.Scene {
	rings, sides := 16*uint32(n), uint32(n)
	b := newBuilder(int(rings*sides), int(6*rings*sides))
	for ring := range rings {
		center, tangent, out := knotFrame(float64(ring) / float64(rings))
		across := tangent.Cross(out)
		for side := range sides {
			sin, cos := sincos(float64(side) / float64(sides))
			normal := out.Scale(cos).Add(across.Scale(sin)).Unit()
			b.vertex(center.Add(normal.Scale(knotTube)), normal)
		}
	}
	for ring := range rings {
		b.band(ring*sides, (ring+1)%rings*sides, sides)
	}
	b.draw("knot", mgl32.Vec4{0.80, 0.35, 0.30, 1})
	return b.scene
}

// knotFrame returns the point of the curve at t in [0, 1), its unit tangent and the torus's normal
// there. The curve lies on the torus, so tangent and normal are perpendicular everywhere, and the
// frame closes after one round without twist.
func knotFrame(t float64) (center, tangent, out vec) {
	sinU, cosU := sincos(float64(knotAround * t))
	sinV, cosV := sincos(float64(knotThrough * t))
	radius := knotMajor + float64(knotMinor*cosV)
	center = vec{float64(radius * cosU), float64(knotMinor * sinV), float64(-radius * sinU)}
	around := vec{-sinU, 0, -cosU}
	radial := vec{cosU, 0, -sinU}
	up := vec{0, 1, 0}
	ringwise := radial.Scale(-sinV).Add(up.Scale(cosV))
	minor := float64(knotMinor) // a constant product would be rounded once less
	tangent = around.Scale(float64(radius * knotAround)).Add(ringwise.Scale(float64(minor * knotThrough))).Unit()
	out = radial.Scale(cosV).Add(up.Scale(sinV))
	return center, tangent, out
}

const (
	soupShards    = 96
	soupShardSpan = 10 // vertices per shard, including unreferenced ones
	soupRun       = 120
)

// soup holds hard cases for strategies, around a small sphere: triangles with repeated indices or without
// area, triangles repeated immediately and much later, long runs of one triangle, unreferenced vertices (one
// of them far away), draws that share or overlap each other's vertices, an instanced draw and an empty one.
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
	case 6: // a triangle of the shard with half the number
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

// window appends a draw with indices of its own. Its vertices are those of six shards, from the
// fourth on.
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
