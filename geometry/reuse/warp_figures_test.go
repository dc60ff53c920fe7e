package reuse_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/meshtest"
)

// wholeTriangles returns how many vertices the other reading of Algorithm 1 shades: an iteration
// takes triangles until one does not fit completely.
func wholeTriangles(batch []uint32, lanes int) (shaded int) {
	var held []uint32
	for k := 0; k < len(batch); k += 3 {
		before := len(held)
		for _, id := range batch[k : k+3] {
			if !slices.Contains(held, id) {
				held = append(held, id)
			}
		}
		if len(held) > lanes {
			shaded += before
			held = held[:0]
			k -= 3
		}
	}
	return shaded + len(held)
}

// TestWarpReadings compares both readings of Algorithm 1 with the figures in the strategy's
// comment.
func TestWarpReadings(t *testing.T) {
	bunny := must.Get(order.Apply(t.Context(), meshtest.Scene(t, "bun_zipper.ply"), "forsyth"))
	for _, c := range []struct {
		lanes         int
		letter, whole float64
	}{{4, .0297, .2218}, {8, .3681, .3970}, {16, .6130, .6146}, {32, .7148, .7148}, {64, .7536, .7536}} {
		config := must.Get(reuse.Resolve("warp", c.lanes, 0))
		st, _ := must.Get2(reuse.Analyze(bunny, config))
		require.InDelta(t, c.letter, st.Reuse(), .00005)
		shaded := 0
		for _, b := range reuse.Batches(bunny, config) {
			shaded += wholeTriangles(bunny.Indices[b.FirstIndex:b.FirstIndex+b.IndexCount], c.lanes)
		}
		require.InDelta(t, c.whole, 1-float64(shaded)/float64(len(bunny.Indices)), .00005)
	}
}
