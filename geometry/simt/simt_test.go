package simt

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBallot(t *testing.T) {
	for _, tt := range []struct {
		name      string
		predicate []bool
		want      Mask
	}{
		{"none", []bool{false, false, false, false}, 0},
		{"first and third", []bool{true, false, true, false}, 0b101},
		{"one lane", []bool{true}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, Ballot(tt.predicate))
		})
	}
	wide := make([]bool, MaxLanes)
	wide[63] = true
	require.Equal(t, Mask(1)<<63, Ballot(wide), "lane 63 has a bit")
}

func TestBallotEqualIgnoresInvalidLanes(t *testing.T) {
	values := []uint32{7, 7, 3, 7}
	valid := []bool{true, false, true, true}
	require.Equal(t, Mask(0b1001), BallotEqual(values, valid, 7))
	require.Zero(t, BallotEqual(values, valid, 4))
}

func TestRanks(t *testing.T) {
	m := Mask(0b101100)
	require.Equal(t, 2, FindFirst(m, 8))
	require.Equal(t, 8, FindFirst(0, 8), "an empty mask finds no lane")
	require.Equal(t, 2, Elect(m))
	require.Equal(t, 3, Count(m))
	for lane, want := range []int{0, 0, 0, 1, 2, 2, 3, 3} {
		require.Equal(t, want, CountBelow(m, lane), "lane %d", lane)
	}
	require.Equal(t, 63, CountBelow(^Mask(0), 63))
	require.Equal(t, "c", Shuffle([]string{"a", "b", "c"}, 2))
}
