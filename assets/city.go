package assets

import (
	"github.com/go-gl/mathgl/mgl32"
	"github.com/shadeonce/shadeonce/geometry"
)

const lotSide = 3.0 // distance between the centres of two lots, in scene units

// building is a mesh in the pool, about 2 units wide around the Y axis and 1
// high, in one or more parts that may share vertices.
type building struct {
	parts  []geometry.Draw
	colors []mgl32.Vec4 // the first part gets one of them; the other parts keep their own
	lo, hi float64      // range of the heights to which city scales it, in scene units
}

// city is n x n lots on a ground, about one in eight of them empty. Every building is one of five
// meshes, drawn with its own transform and colour: many draws share vertices and indices. Houses
// are two draws over the same vertices. Buildings are scaled only in height, so normals need the
// inverse transpose.
func city(n int) *geometry.Scene {
	b := newBuilder(0, 0)
	side := lotSide * float64(n)
	b.face(vec{-side / 2, -0.02, side / 2}, vec{side / 2, -0.02, side / 2},
		vec{side / 2, -0.02, -side / 2}, vec{-side / 2, -0.02, -side / 2})
	b.draw("ground", mgl32.Vec4{0.20, 0.22, 0.20, 1})

	block := b.block()
	low := []building{b.house(), b.dome(), block}
	high := []building{block, b.tower(), b.drum()}
	r := newRandom(31)
	for z := range n {
		for x := range n {
			middle := float64(float64(n-1) / 2)
			at := vec{float64(x) - middle, 0, float64(z) - middle}.Scale(lotSide)
			kinds := low
			if at.Dot(at) < float64(side*side)*r.between(0.02, 0.16) {
				kinds = high
			}
			kind := kinds[r.below(len(kinds))]
			empty, height := r.below(8) == 0, r.between(kind.lo, kind.hi)
			quarter, color := r.below(4), r.below(len(kind.colors))
			if empty {
				continue
			}
			for k, d := range kind.parts {
				d.Transform = turned(at, height, quarter)
				if k == 0 {
					d.Color = kind.colors[color]
				}
				b.add(d)
			}
		}
	}
	return b.scene
}

// turned returns the transform that scales in height, turns by quarter turns about Y and moves.
func turned(at vec, height float64, quarter int) mgl32.Mat4 {
	sin, cos := sincos(float64(quarter) / 4)
	s, c, h, p := float32(sin), float32(cos), float32(height), at.Single()
	return mgl32.Mat4{c, 0, -s, 0, 0, h, 0, 0, s, 0, c, 0, p[0], p[1], p[2], 1}
}

// building ends the draw being built and returns it as a building of one part.
func (b *builder) building(name string, lo, hi float64, colors ...mgl32.Vec4) building {
	return building{parts: []geometry.Draw{b.cut(name, mgl32.Vec4{})}, colors: colors, lo: lo, hi: hi}
}

func (b *builder) block() building {
	b.box(vec{-1, 0, -0.8}, vec{1, 1, 0.8})
	return b.building("block", 1.5, 5, mgl32.Vec4{0.62, 0.58, 0.52, 1}, mgl32.Vec4{0.50, 0.53, 0.58, 1}, mgl32.Vec4{0.68, 0.50, 0.40, 1})
}

// tower is three boxes, each smaller than the one below.
func (b *builder) tower() building {
	b.box(vec{-1.1, 0, -1.1}, vec{1.1, 0.3, 1.1})
	b.box(vec{-0.8, 0.3, -0.8}, vec{0.8, 0.75, 0.8})
	b.box(vec{-0.5, 0.75, -0.5}, vec{0.5, 1, 0.5})
	return b.building("tower", 6, 14, mgl32.Vec4{0.40, 0.50, 0.62, 1}, mgl32.Vec4{0.55, 0.60, 0.66, 1}, mgl32.Vec4{0.70, 0.64, 0.50, 1})
}

// drum is a smooth cylinder with a flat roof.
func (b *builder) drum() building {
	const sides = 24
	b.lathe(sides, [][4]float64{{0.95, 0, 1, 0}, {0.95, 1, 1, 0}})
	first := b.next()
	for side := range sides {
		sin, cos := sincos(float64(side) / sides)
		b.vertex(vec{float64(0.95 * cos), 1, float64(-0.95 * sin)}, vec{0, 1, 0})
	}
	for k := uint32(2); k < sides; k++ {
		b.triangle(first, first+k-1, first+k)
	}
	return b.building("drum", 3, 9, mgl32.Vec4{0.45, 0.58, 0.60, 1}, mgl32.Vec4{0.66, 0.66, 0.62, 1})
}

// dome is a smooth hemisphere of 8 rings.
func (b *builder) dome() building {
	const rings, sides = 8, 20
	var profile [][4]float64
	for ring := range rings {
		sin, cos := sincos(float64(ring) / rings / 4)
		profile = append(profile, [4]float64{float64(1.1 * cos), sin, cos, sin})
	}
	b.lathe(sides, profile)
	last := b.next() - sides
	top := b.vertex(vec{0, 1, 0}, vec{0, 1, 0})
	for side := range uint32(sides) {
		b.triangle(last+side, last+(side+1)%sides, top)
	}
	return b.building("dome", 0.9, 1.6, mgl32.Vec4{0.35, 0.55, 0.48, 1}, mgl32.Vec4{0.72, 0.68, 0.60, 1})
}

// lathe appends smooth rings about Y, from bottom to top; a profile point is radius, height and
// the two components of its normal.
func (b *builder) lathe(sides uint32, profile [][4]float64) {
	first := b.next()
	for _, p := range profile {
		for side := range sides {
			sin, cos := sincos(float64(side) / float64(sides))
			normal := vec{float64(p[2] * cos), p[3], float64(-p[2] * sin)}
			b.vertex(vec{float64(p[0] * cos), p[1], float64(-p[0] * sin)}, normal.Unit())
		}
	}
	for ring := range uint32(len(profile) - 1) {
		b.band(first+ring*sides, first+(ring+1)*sides, sides)
	}
}

// house is walls and a gabled roof: two draws that share one vertex range.
func (b *builder) house() building {
	const x, z, eave, ridge = 0.9, 0.7, 0.55, 1.0
	b.face(vec{-x, 0, z}, vec{x, 0, z}, vec{x, eave, z}, vec{-x, eave, z})
	b.face(vec{x, 0, -z}, vec{-x, 0, -z}, vec{-x, eave, -z}, vec{x, eave, -z})
	b.face(vec{x, 0, z}, vec{x, 0, -z}, vec{x, eave, -z}, vec{x, ridge, 0}, vec{x, eave, z})
	b.face(vec{-x, 0, -z}, vec{-x, 0, z}, vec{-x, eave, z}, vec{-x, ridge, 0}, vec{-x, eave, -z})
	walls := b.part("walls", mgl32.Vec4{})
	b.face(vec{-x, eave, z}, vec{x, eave, z}, vec{x, ridge, 0}, vec{-x, ridge, 0})
	b.face(vec{x, eave, -z}, vec{-x, eave, -z}, vec{-x, ridge, 0}, vec{x, ridge, 0})
	roof := b.cut("roof", mgl32.Vec4{0.48, 0.16, 0.10, 1})
	walls.VertexCount = roof.VertexCount
	return building{
		parts:  []geometry.Draw{walls, roof},
		colors: []mgl32.Vec4{{0.80, 0.74, 0.62, 1}, {0.75, 0.60, 0.48, 1}, {0.70, 0.74, 0.72, 1}},
		lo:     1.2, hi: 2,
	}
}
