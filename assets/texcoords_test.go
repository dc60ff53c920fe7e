package assets

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
)

// TestTexCoords lie along the axes in which a scene is largest, the first axis first: the terrain's
// are x and z, those of a wall that is higher than wide x and y.
func TestTexCoords(t *testing.T) {
	wall := grid(2)
	for i, p := range wall.Positions {
		wall.Positions[i] = mgl32.Vec3{p[0], 3 * p[2], 0}
	}
	for second, s := range map[int]*geometry.Scene{2: grid(2), 1: wall} {
		AddTexCoords(s)
		require.NoError(t, s.Validate(t.Context()))
		a := s.Attributes[0]
		require.Equal(t, "TEXCOORD_0", a.Name)
		component := func(vertex, n int) float32 {
			return math.Float32frombits(binary.LittleEndian.Uint32(a.Element(vertex)[4*n:]))
		}
		lo, hi := s.Bounds().Min, s.Bounds().Max
		for i, p := range s.Positions {
			for n, axis := range []int{0, second} {
				require.Equal(t, (p[axis]-lo[axis])/(hi[axis]-lo[axis]), component(i, n))
			}
		}
	}
}
