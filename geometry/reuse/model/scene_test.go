package model

import (
	"math/rand/v2"
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
)

// streams are index lists that reach the corners of a model.
func streams() map[string][]uint32 {
	r := rand.New(rand.NewPCG(1, 2))
	random, local, distinct := make([]uint32, 3*500), make([]uint32, 3*500), make([]uint32, 3*100)
	for i := range random {
		random[i] = r.Uint32N(60)
		local[i] = uint32(i/4) + r.Uint32N(9)
	}
	for i := range distinct {
		distinct[i] = uint32(i)
	}
	fan := make([]uint32, 0, 3*200)
	for i := range uint32(200) {
		fan = append(fan, 0, i+1, i+2)
	}
	return map[string][]uint32{
		"one triangle": {0, 1, 2}, "degenerate": {5, 5, 5, 5, 5, 6, 6, 5, 5},
		"fan": fan, "distinct": distinct, "random": random, "local": local,
	}
}

// randomIDs is n indices below most.
func randomIDs(seed uint64, n int, most uint32) []uint32 {
	r := rand.New(rand.NewPCG(seed, 0))
	ids := make([]uint32, n)
	for i := range ids {
		ids[i] = r.Uint32N(most)
	}
	return ids
}

// scene has a draw for each list of indices.
func scene(draws ...[]uint32) *geometry.Scene {
	s := &geometry.Scene{}
	for _, indices := range draws {
		vertices := uint32(1)
		if len(indices) > 0 {
			vertices = slices.Max(indices) + 1
		}
		s.Draws = append(s.Draws, geometry.Draw{FirstIndex: uint32(len(s.Indices)), IndexCount: uint32(len(indices)), VertexCount: vertices})
		s.Indices = append(s.Indices, indices...)
	}
	return s
}

// manyDraws is a scene of draws of all sizes, none at all included, that share
// index ranges and overlap; some occur twice.
func manyDraws() *geometry.Scene {
	s := scene(randomIDs(7, 3*4000, 2000))
	s.Draws = nil
	r := rand.New(rand.NewPCG(2, 7))
	for range 40 {
		count := r.IntN(1 << r.IntN(12))
		d := geometry.Draw{FirstIndex: uint32(3 * r.IntN(4000-count+1)), IndexCount: uint32(3 * count), VertexCount: 2000}
		s.Draws = append(s.Draws, d)
	}
	s.Draws[0].IndexCount, s.Draws[39].IndexCount = 0, 0
	s.Draws = append(s.Draws, s.Draws[5:15]...)
	return s
}
