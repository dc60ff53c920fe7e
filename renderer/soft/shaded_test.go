package soft

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// TestWidened: outputs of integers or floats become four floats; missing components are 0, 0, 0, 1.
func TestWidened(t *testing.T) {
	minus5 := uint32(math.MaxUint32 - 4)
	for _, c := range []struct {
		of   module.Type
		bits [4]uint32
		want [4]float32
	}{
		{module.Type{Kind: module.Int, Width: 32}, [4]uint32{minus5}, [4]float32{-5, 0, 0, 1}},
		{module.Type{Kind: module.Uint, Width: 32}, [4]uint32{minus5}, [4]float32{float32(minus5), 0, 0, 1}},
		{module.Type{Kind: module.Float, Width: 32}, [4]uint32{math.Float32bits(-5)}, [4]float32{-5, 0, 0, 1}},
		{module.Type{Kind: module.Vector, Count: 4, Elem: &module.Type{Kind: module.Int, Width: 32}}, [4]uint32{1, minus5, 2, minus5}, [4]float32{1, -5, 2, -5}},
	} {
		require.Equal(t, c.want, widened(&c.of, c.bits))
	}
}

// TestCullDistances: a cull distance that is negative at all corners drops the triangle, a clip distance does not.
func TestCullDistances(t *testing.T) {
	for _, c := range []struct {
		distances [3][]float32 // a clip distance and two cull distances
		want      bool
	}{
		{[3][]float32{{-1, -1, 1}, {-1, -1, -1}, {-1, 1, -1}}, false},
		{[3][]float32{{1, 1, -1}, {1, -1, -1}, {1, -1, 0}}, false},
		{[3][]float32{{1, 0, -1}, {1, -1, 0}, {1, -1, -1}}, false},
		{[3][]float32{{1, 1, -1}, {1, 1, -1}, {1, 1, -1}}, true},
	} {
		require.Equal(t, c.want, (&textured{distances: c.distances, clips: 1}).culled(), c.distances)
	}
}
