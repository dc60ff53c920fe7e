package reuse

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/indextest"
)

// checkWholeDraws checks the contract of whole-draw strategies: every (draw, vertex) pair is
// shaded once, and the statistics agree.
func checkWholeDraws(t testing.TB, s *geometry.Scene, c Config) {
	require.Nil(t, c.Strategy.Reference)
	require.False(t, c.Strategy.UsesLanes)
	st, counts := must.Get2(Analyze(s, c))
	vertices := s.DrawVertices()
	require.Len(t, counts, vertices)
	for v, n := range counts {
		require.Equal(t, uint32(1), n, "vertex %d", v)
	}
	require.Equal(t, vertices, st.Invocations)
	require.Equal(t, vertices, st.Vertices)
	require.Equal(t, []int{0, st.Referenced}, st.Histogram)
	require.GreaterOrEqual(t, st.Invocations, st.Referenced)

	batches, laneSlots := VertexBatches(s, c), 0
	seen := make([]uint32, len(s.Draws))
	for _, b := range batches {
		require.Equal(t, seen[b.Draw], b.FirstIndex, "vertices in order, without a gap")
		require.LessOrEqual(t, int(b.IndexCount), c.Strategy.MaxUnique(c))
		require.NotZero(t, b.IndexCount)
		seen[b.Draw] += b.IndexCount
		for k := 0; k < int(b.IndexCount); k += c.Workgroup {
			laneSlots += c.Workgroup
		}
	}
	for i := range s.Draws {
		require.Equal(t, s.Draws[i].VertexCount, seen[i])
	}
	require.Equal(t, len(batches), st.Iterations)
	require.Equal(t, len(batches)+len(Batches(s, c)), st.Batches)
	require.Equal(t, laneSlots, st.LaneSlots)
}

func TestMultiShadesWhatNoIndexNames(t *testing.T) {
	s := indextest.Scene([]uint32{0, 1, 2, 2, 1, 9}, []uint32{5, 5, 5})
	s.Draws = append(s.Draws, s.Draws[1]) // an instance, whose vertices are shaded again
	c := must.Get(Params{Batch: 18, Workgroup: 32}.Resolve("multi"))
	st, counts := must.Get2(Analyze(s, c))
	require.Len(t, counts, 10+6+6)
	require.Equal(t, Stats{
		Draws: 3, Vertices: 22, Referenced: 6, Triangles: 4, Indices: 12, Invocations: 22,
		Batches: 3 + 4, Iterations: 4, LaneSlots: 4 * 32, Histogram: []int{0, 6},
	}, st)
	require.Equal(t, []Batch{{0, 6, 0, 0}, {6, 4, 0, 0}, {0, 6, 1, 0}, {0, 6, 2, 0}}, VertexBatches(s, c))
	require.InDelta(t, 1-22.0/12, st.Reuse(), 1e-12)
	require.Equal(t, MaxBatch, must.Get(Params{Workgroup: 1024}.Resolve("multi")).Batch, "the default keeps to the bounds")
}
