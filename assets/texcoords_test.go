package assets

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTexCoords lie along the axes in which a scene is largest: the terrain's are x and z.
func TestTexCoords(t *testing.T) {
	s := grid(2)
	AddTexCoords(s)
	require.NoError(t, s.Validate(t.Context()))
	a := s.Attributes[0]
	require.Equal(t, "TEXCOORD_0", a.Name)
	component := func(vertex, n int) float32 {
		return math.Float32frombits(binary.LittleEndian.Uint32(a.Element(vertex)[4*n:]))
	}
	lo, hi := s.Bounds().Min, s.Bounds().Max
	for i, p := range s.Positions {
		for n, axis := range []int{0, 2} {
			require.Equal(t, (p[axis]-lo[axis])/(hi[axis]-lo[axis]), component(i, n))
		}
	}
}
