package session

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// TestStream puts the batches of every strategy that has some together: they are the stream of the
// ordered scene, and its reference's counts, in its own numbers.
func TestStream(t *testing.T) {
	t.Parallel()
	scene := must.Get(order.Apply(t.Context(), must.Get(assets.Make("city2")), "random+fetch"))
	var s Session
	opened := do(t, &s, Request{Do: "open", Path: "asset:city2"})
	a := do(t, &s, Request{Do: "stream", Order: "random+fetch"})
	indices, positions := a.Counts["indices"], a.Floats["positions"]
	require.NotEqual(t, opened.Floats["positions"], positions, "vertices have the order's numbers")
	var wantIndices []uint32
	var wantPositions []float32
	for i := range scene.Draws {
		wantPositions, wantIndices = scene.AppendWorld(i, wantPositions, wantIndices)
	}
	require.Equal(t, wantIndices, indices)
	require.Equal(t, wantPositions, positions)
	for _, strategy := range reuse.Strategies {
		if strategy.WholeDraws {
			continue
		}
		c := must.Get(reuse.Resolve(strategy.Name, 4, 0))
		st, counts := must.Get2(reuse.Analyze(scene, c))
		a := do(t, &s, Request{Do: "batches", Order: "random+fetch", Strategy: strategy.Name, Lanes: 4})
		require.Equal(t, counts, a.Counts["counts"])
		shape, next := a.Value.(Shape), uint32(0)
		require.Equal(t, st.Invocations, shape.Invocations)
		require.Equal(t, c.Lanes, shape.Lanes)
		require.Equal(t, strategy.Multiplier != nil, shape.Multiplier%2 == 1)
		for batch := range slices.Chunk(a.Counts["batches"], 2) {
			require.Equal(t, next, batch[0])
			require.LessOrEqual(t, int(batch[1]), shape.Batch)
			next += batch[1]
		}
		require.Len(t, indices, int(next))
		require.Len(t, a.Counts["batches"], 2*st.Batches)
	}
}
