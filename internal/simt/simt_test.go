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
	wide := make([]bool, 64)
	wide[63] = true
	require.Equal(t, Mask(1)<<63, Ballot(wide), "lane 63 has a bit")
}

func TestBallotEqualIgnoresInvalidLanes(t *testing.T) {
	values := []uint32{7, 7, 3, 7}
	valid := []bool{true, false, true, true}
	require.Equal(t, Mask(0b1001), BallotEqual(values, valid, 7))
	require.Zero(t, BallotEqual(values, valid, 4))
}

func TestFindFirst(t *testing.T) {
	require.Equal(t, 2, FindFirst(Mask(0b101100), 8))
	require.Equal(t, 8, FindFirst(0, 8), "an empty mask finds no lane")
}
