// Package indextest makes index lists, and scenes of them, for the tests of orders, strategies
// and models. Only tests may use it, and it knows nothing of what they test.
package indextest

import (
	"math/rand/v2"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
)

// Streams returns triangle lists that cover the corner cases of strategies and models.
func Streams() map[string][]uint32 {
	r := rand.New(rand.NewPCG(1, 2))
	random, local := make([]uint32, 3*500), make([]uint32, 3*500)
	for i := range random {
		random[i] = r.Uint32N(60)
		local[i] = uint32(i/4) + r.Uint32N(9)
	}
	return map[string][]uint32{
		"one triangle": {0, 1, 2}, "degenerate": {5, 5, 5, 5, 5, 6, 6, 5, 5},
		"fan": Fan(200), "distinct": Distinct(3 * 100), "random": random, "local": local,
	}
}

// Fan returns n triangles about vertex 0.
func Fan(n int) []uint32 {
	indices := make([]uint32, 0, 3*n)
	for k := range uint32(n) {
		indices = append(indices, 0, k+1, k+2)
	}
	return indices
}

// Distinct returns the ids 0 to n-1.
func Distinct(n int) []uint32 {
	ids := make([]uint32, n)
	for i := range ids {
		ids[i] = uint32(i)
	}
	return ids
}

// Random returns n random ids below `most`.
func Random(seed uint64, n int, most uint32) []uint32 {
	r := rand.New(rand.NewPCG(seed, 0))
	ids := make([]uint32, n)
	for i := range ids {
		ids[i] = r.Uint32N(most)
	}
	return ids
}

// Grid returns the triangles of `wide` x `high` quads, column by column and within a column row by
// row. A column is `strip` quads wide.
func Grid(wide, high, strip uint32) []uint32 {
	indices := make([]uint32, 0, 6*wide*high)
	row := wide + 1
	for left := uint32(0); left < wide; left += strip {
		for y := range high {
			for at := y*row + left; at < y*row+min(left+strip, wide); at++ {
				indices = append(indices, at, at+1, at+row, at+row, at+1, at+row+1)
			}
		}
	}
	return indices
}

// Scene returns a scene with one draw per index list; each draw has its own vertices.
func Scene(draws ...[]uint32) *geometry.Scene {
	s := &geometry.Scene{Name: "test"}
	for _, indices := range draws {
		vertices := uint32(1)
		if len(indices) > 0 {
			vertices = slices.Max(indices) + 1
		}
		s.Draws = append(s.Draws, geometry.Draw{
			FirstIndex: uint32(len(s.Indices)), IndexCount: uint32(len(indices)),
			VertexOffset: uint32(len(s.Positions)), VertexCount: vertices,
			Transform: mgl32.Ident4(), Color: geometry.DefaultColor,
		})
		s.Indices = append(s.Indices, indices...)
		s.Positions = append(s.Positions, make([]mgl32.Vec3, vertices)...)
	}
	return s
}

// ManyDraws returns a scene of draws of all sizes, including empty ones, that share index ranges
// and overlap. If seed is even, the stream begins and ends with an empty draw.
func ManyDraws(seed uint64) *geometry.Scene {
	r := rand.New(rand.NewPCG(seed, 7))
	s := &geometry.Scene{Positions: make([]mgl32.Vec3, 3000), Indices: make([]uint32, 3*4000)}
	for i := range s.Indices {
		s.Indices[i] = min(uint32(i/7)+r.Uint32N(1+r.Uint32N(300)), 1999)
	}
	for range 40 {
		count := r.IntN(4)
		if count > 0 {
			count = r.IntN(1 << r.IntN(12))
		}
		first := r.IntN(len(s.Indices)/3 - count + 1)
		s.Draws = append(s.Draws, geometry.Draw{
			FirstIndex: uint32(3 * first), IndexCount: uint32(3 * count), VertexOffset: r.Uint32N(1000), VertexCount: 2000, Transform: mgl32.Ident4(),
		})
	}
	if seed%2 == 0 {
		s.Draws[0].IndexCount, s.Draws[39].IndexCount = 0, 0
	}
	return s
}
