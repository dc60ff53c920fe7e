package assets

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// AddTexCoords adds texture coordinates for vertex shaders: the positions along the two axes in
// which the pool is largest, from 0 to 1.
func AddTexCoords(s *geometry.Scene) {
	if len(s.Positions) == 0 {
		return
	}
	lo, hi := s.Positions[0], s.Positions[0]
	for _, p := range s.Positions {
		for i := range p {
			lo[i], hi[i] = min(lo[i], p[i]), max(hi[i], p[i])
		}
	}
	size := hi.Sub(lo)
	axes := []int{0, 1, 2}
	slices.SortStableFunc(axes, func(a, b int) int { return cmp.Compare(size[b], size[a]) })
	u, v := min(axes[0], axes[1]), max(axes[0], axes[1])
	data := make([]byte, 0, 8*len(s.Positions))
	for _, p := range s.Positions {
		for _, axis := range []int{u, v} {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits((p[axis]-lo[axis])/max(size[axis], math.SmallestNonzeroFloat32)))
		}
	}
	s.Attributes = append(s.Attributes, geometry.Attribute{Name: "TEXCOORD_0", Format: vertexformat.R32G32_SFLOAT, Data: data})
}
