package reuse

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/indextest"
)

// TestRunYieldsEveryIndex compares Run with the batches: every index is consumed once, in order,
// in the iteration's batch, and its slot holds its vertex.
func TestRunYieldsEveryIndex(t *testing.T) {
	t.Parallel()
	for name, indices := range indextest.Streams() {
		configs(t, func(c Config) {
			if c.Strategy.WholeDraws {
				for range c.Run(indices) {
					t.Fatal("a strategy of whole draws has no iterations")
				}
				return
			}
			var batchOf []int // by index
			for batch := range c.Batches(indices) {
				number := 0
				if n := len(batchOf); n > 0 {
					number = batchOf[n-1] + 1
				}
				batchOf = append(batchOf, slices.Repeat([]int{number}, len(batch))...)
			}
			require.Len(t, batchOf, len(indices), name)
			next := 0
			for batch, it := range c.Run(indices) {
				require.Equal(t, next, it.First)
				for k, slot := range it.Slots {
					if it.Unique[slot] != indices[next+k] || batchOf[next+k] != batch {
						t.Fatalf("%s: %s: index %d", name, c, next+k)
					}
				}
				next += len(it.Slots)
			}
			require.Equal(t, len(indices), next)
		})
	}
}

// TestRunStops when the caller breaks out of the loop, also within a batch.
func TestRunStops(t *testing.T) {
	t.Parallel()
	c := must.Get(Resolve("naive", 4, 48))
	for stop := range 5 {
		yielded := 0
		for range c.Run(make([]uint32, 3*48)) {
			if yielded++; yielded > stop {
				break
			}
		}
		require.Equal(t, stop+1, yielded)
	}
	for range c.Batches(make([]uint32, 3*48)) {
		break
	}
}

// TestCountIsWhatRunShades for one draw; TestSummarizeIsAnalyze tests scenes.
func TestCountIsWhatRunShades(t *testing.T) {
	t.Parallel()
	for name, indices := range indextest.Streams() {
		vertices := int(slices.Max(indices)) + 3 // with two unreferenced vertices
		configs(t, func(c Config) {
			st, counts := must.Get2(c.Count(indices, vertices))
			want := make([]uint32, vertices)
			for _, it := range c.Run(indices) {
				for _, id := range it.Unique {
					want[id]++
				}
			}
			if c.Strategy.WholeDraws {
				want = slices.Repeat([]uint32{1}, vertices)
			}
			require.Equal(t, want, counts, "%s: %s", name, c)
			require.Equal(t, vertices, st.Vertices)
			require.LessOrEqual(t, st.Referenced, vertices-2)
			require.Equal(t, len(indices)/3, st.Triangles)
		})
	}
}
