package order

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
)

// TestClustersAreWhatOverlaps: draws are in one cluster if their ranges share elements, directly or
// through other draws. The test joins elements one by one.
func TestClustersAreWhatOverlaps(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 6))
	for range 300 {
		s := &geometry.Scene{Draws: make([]geometry.Draw, 2+random.IntN(6))}
		var of [60]int // the lowest draw of each element's cluster, plus one
		for i := range s.Draws {
			d := &s.Draws[i]
			d.FirstIndex, d.IndexCount = uint32(random.IntN(40)), uint32(random.IntN(20))
			mine := i + 1
			for at := d.FirstIndex; at < d.FirstIndex+d.IndexCount; at++ {
				if was := of[at]; was != 0 && was != mine {
					for k := range of {
						if of[k] == was || of[k] == mine {
							of[k] = min(was, mine)
						}
					}
					mine = min(was, mine)
				}
				of[at] = mine
			}
		}
		want := map[int][]int{}
		for i, d := range s.Draws {
			if d.IndexCount > 0 {
				want[of[d.FirstIndex]-1] = append(want[of[d.FirstIndex]-1], i)
			}
		}
		got := map[int][]int{}
		for _, c := range indexClusters(s) {
			got[c.draws[0]] = c.draws
		}
		require.Equal(t, want, got, "%v", s.Draws)
	}
}
