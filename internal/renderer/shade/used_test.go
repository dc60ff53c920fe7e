package shade

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOverlaps: a read with a computed index overlaps every element. A read of a part of a member, or of
// a whole that contains the member, overlaps the member.
func TestOverlaps(t *testing.T) {
	t.Parallel()
	const block = 7
	for _, c := range []struct {
		read, path []int
		want       bool
	}{
		{nil, []int{1}, true}, {[]int{1}, nil, true},
		{[]int{1, 2}, []int{1}, true}, {[]int{1}, []int{1, 2}, true},
		{[]int{1, 2}, []int{1, 3}, false}, {[]int{0}, []int{1, 2}, false},
		{[]int{1, anyElement}, []int{1, 3}, true}, {[]int{1, 3}, []int{1, anyElement}, true},
		{[]int{1, anyElement, 0}, []int{1, 3, 1}, false},
	} {
		require.Equal(t, c.want, overlaps([]read{{block, c.read}}, block, c.path), "%v, %v", c.read, c.path)
	}
	require.False(t, overlaps([]read{{block, nil}}, block+1, nil))
}
