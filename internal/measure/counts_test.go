package measure

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	require.NoError(t, Compare([]uint32{1, 2}, []uint32{1, 2}))
	require.EqualError(t, Compare([]uint32{1, 2, 3, 0}, []uint32{1, 3, 3, 1}),
		"counts of 2 vertices differ from the CPU reference: vertex 1 was shaded 2 times, the reference says 3")
	require.ErrorContains(t, Compare([]uint32{1}, []uint32{1, 1}), "1 counts came back for 2 vertices")
}
