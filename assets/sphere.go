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

func icosahedronVertices() []vec {
	t := (1 + math.Sqrt(5)) / 2
	return []vec{
		{-1, t, 0}, {1, t, 0}, {-1, -t, 0}, {1, -t, 0},
		{0, -1, t}, {0, 1, t}, {0, -1, -t}, {0, 1, -t},
		{t, 0, -1}, {t, 0, 1}, {-t, 0, -1}, {-t, 0, 1},
	}
}

// sphere is the icosahedron subdivided level times onto the unit sphere: 20 * 4^level triangles
// over 10 * 4^level + 2 shared vertices. At every level, the four children of a triangle follow
// each other, and vertices are numbered in the order in which the subdivision creates them.
func sphere(level int) *geometry.Scene {
	b := newBuilder(10<<(2*level)+2, 0)
	for _, p := range icosahedronVertices() {
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
