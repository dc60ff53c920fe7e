package soft

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"
)

// TestUnitOfAnyVector: a vector of length 1e-14 to 1e14 gets unit length. A longer one does not become shorter than that,
// a shorter one grows 1.1e15-fold at most, and none gives NaN.
func TestUnitOfAnyVector(t *testing.T) {
	direction := mgl32.Vec3{.6, 0, -.8}
	for exponent := -45; exponent < 39; exponent++ {
		length := float32(1)
		for range max(exponent, -exponent) {
			length *= 10
		}
		v := direction.Mul(length)
		if exponent < 0 {
			v = direction.Mul(1 / length)
		}
		u := unit(&v)
		require.Equal(t, u, u, "10^%d", exponent)
		switch {
		case exponent <= -15:
			require.LessOrEqual(t, u.Len(), 1.1e15/length, "10^%d", exponent)
		case exponent >= 15:
			require.GreaterOrEqual(t, u[0], float32(.599), "10^%d", exponent)
			require.LessOrEqual(t, u[2], float32(-.799), "10^%d", exponent)
		default:
			require.InDelta(t, .6, u[0], 4e-7, "10^%d", exponent)
			require.InDelta(t, -.8, u[2], 4e-7, "10^%d", exponent)
		}
	}
}
