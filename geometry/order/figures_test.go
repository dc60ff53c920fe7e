package order_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/meshtest"
)

// warpReuse is the reuse of the paper's warp voting, batches of 96 over 32 lanes.
func warpReuse(t testing.TB, s *geometry.Scene) float64 {
	c := must.Get(reuse.Resolve("warp", 32, 96))
	stats, _ := must.Get2(reuse.Analyze(s, c))
	return stats.Reuse()
}

// dynamicReuse is the reuse of the paper's dynamic batching: a batch closes before it would have
// more than 256 vertices or 1023 indices, and a vertex is shaded once per batch.
func dynamicReuse(s *geometry.Scene) float64 {
	invocations := 0
	for i := range s.Draws {
		batch, length := map[uint32]bool{}, 0
		indices := s.DrawIndices(i)
		for k := 0; k < len(indices); k += 3 {
			fresh := map[uint32]bool{}
			for _, id := range indices[k : k+3] {
				if !batch[id] {
					fresh[id] = true
				}
			}
			if len(batch)+len(fresh) > 256 || length+3 > 1023 {
				invocations += len(batch)
				batch, length = map[uint32]bool{}, 0
			}
			for _, id := range indices[k : k+3] {
				batch[id] = true
			}
			length += 3
		}
		invocations += len(batch)
	}
	return 1 - float64(invocations)/float64(s.IndexStreamLen())
}

// TestBunnyReuse compares the reuse of original, random and forsyth with what independent implementations reached on
// the same mesh, and that of other orders with earlier results.
func TestBunnyReuse(t *testing.T) {
	s := meshtest.Scene(t, "bun_zipper.ply")
	for _, c := range []struct {
		name                   string
		warp, warpWithin       float64
		dynamic, dynamicWithin float64
	}{
		{"original", .2659, .00005, .3497, .00005},
		{"forsyth", .714, .004, .799, .004},
		{"random", -.06, .005, 0, .01},
		// The figures below are not published: they only detect that an order has changed.
		{"hoppe", .6773, .0001, .7895, .0001},
		{"tipsify", .6979, .0001, .7952, .0001},
		{"forsyth32", .7187, .0001, .7930, .0001},
	} {
		t.Run(c.name, func(t *testing.T) {
			ordered := must.Get(order.Apply(t.Context(), s, c.name))
			warp, dynamic := warpReuse(t, ordered), dynamicReuse(ordered)
			t.Logf("warp %.4f, dynamic %.4f", warp, dynamic)
			require.InDelta(t, c.warp, warp, c.warpWithin)
			require.InDelta(t, c.dynamic, dynamic, c.dynamicWithin)
		})
	}
}
