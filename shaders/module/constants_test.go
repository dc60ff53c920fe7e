package module

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSignsOfDivision compares signed division, remainder and modulo with SPIR-V's specification:
// a remainder has the first operand's sign, a modulo the second's.
func TestSignsOfDivision(t *testing.T) {
	for _, c := range []struct{ x, y, quotient, remainder, modulo int32 }{
		{7, 3, 2, 1, 1}, {-7, 3, -2, -1, 2}, {7, -3, -2, 1, -2}, {-7, -3, 2, -1, -1}, {-6, 3, -2, 0, 0},
	} {
		for op, want := range map[Op]int32{OpSDiv: c.quotient, OpSRem: c.remainder, OpSMod: c.modulo} {
			got, ok := evaluate(op, [3]uint32{uint32(c.x), uint32(c.y)}, true)
			require.True(t, ok)
			require.Equal(t, want, int32(got), "%v of %d and %d", op, c.x, c.y)
		}
	}
}
