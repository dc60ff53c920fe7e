package walk_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps/walk"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

func config(t testing.TB, name string, p reuse.Params) reuse.Config {
	return must.Get(p.Resolve(name))
}

// TestAgainstOthers compares the start and the end of ten steps of the paper's walk, and the reuse on the way, with the
// published results of two other implementations, which agree.
func TestAgainstOthers(t *testing.T) {
	t.Parallel()
	w := must.Get(walk.New(t.Context(), 300000, 256, 1))
	require.Equal(t, "d382cf7bb23672b1", fmt.Sprintf("%016x", w.Sum()))
	start := walk.Uniform(w.Occupancy())
	require.InDelta(t, 0, start.Z(), 1.8)
	for range 10 {
		checkReuse(t, w)
		before := w.Agents
		require.NoError(t, w.Sort(t.Context())) // without sorting, hardly any agents of a batch share a cell
		st, counts := must.Get2(w.Advance(t.Context(), config(t, "hash", reuse.Params{Batch: 1536, Batching: "dynamic"})))
		require.Len(t, before, 300000)
		require.Equal(t, st.Referenced, walk.Occupied(counts))
		drawn := must.Get(w.Tables.Drawn(t.Context(), before, w.Agents))
		t.Logf("after step %d: chi-square %.0f of %.0f, z %.2f", w.Step, drawn.Value, drawn.Mean, drawn.Z())
		require.InDelta(t, 0, drawn.Z(), 1.8)
	}
	checkReuse(t, w)
	require.Equal(t, "65ac5bcc88c17be8", fmt.Sprintf("%016x", w.Sum()))
}

// checkReuse compares the reuse with the published table, if it has a row for the walk.
func checkReuse(t *testing.T, w *walk.Walk) {
	want, known := map[uint32]struct {
		occupied                                      int
		ideal, once576, once1536, dynamic, sorted1536 float64
	}{
		0:  {64892, .784, .0045, .0116, .0020, .783},
		5:  {31040, .897, .1145, .2139, .0636, .896},
		10: {29204, .903, .1526, .2676, .0903, .902},
	}[w.Step]
	if !known {
		return
	}
	require.Equal(t, want.occupied, walk.Occupied(w.Occupancy()))
	unsorted := walk.Walk{Grid: w.Grid, Agents: w.Agents, Tables: w.Tables}
	s := must.Get(unsorted.Stream(t.Context()))
	static, _, _ := config(t, "hash", reuse.Params{Batch: 576, Batching: "static"}).Count(s.Indices, s.IDs)
	require.InDelta(t, want.ideal, static.Ideal(), .0005)
	require.InDelta(t, want.once576, static.Reuse(), .00005)
	dynamic, _, _ := config(t, "hash", reuse.Params{Batch: 1536}).Count(s.Indices, s.IDs)
	require.InDelta(t, want.dynamic, dynamic.Reuse(), .00005)
	require.InDelta(t, want.once1536, onceEvery(1536, s.Indices), .00005)
	if w.Step == 0 {
		warp, _, _ := config(t, "warp", reuse.Params{Batch: 576}).Count(s.Indices, s.IDs)
		require.InDelta(t, -.065, warp.Reuse(), .0005)
	}
	require.NoError(t, unsorted.Sort(t.Context()))
	s = must.Get(unsorted.Stream(t.Context()))
	require.InDelta(t, want.sorted1536, onceEvery(1536, s.Indices), .0005)
}

// onceEvery returns the reuse of shading every id once per batch of the given size, which may
// exceed the slots of any strategy.
func onceEvery(batch int, ids []uint32) float64 {
	shaded := 0
	for part := range slices.Chunk(ids, batch) {
		part = slices.Sorted(slices.Values(part))
		shaded += len(slices.Compact(part))
	}
	return 1 - float64(shaded)/float64(len(ids))
}
