package soft

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/renderer"
)

func TestChunksChangeNoPixel(t *testing.T) {
	for _, view := range []renderer.View{renderer.Counts, renderer.Batches, renderer.Shaded} {
		for _, queue := range []renderer.QueueForm{renderer.Indexed, renderer.Expanded} {
			for _, name := range reuse.Names() {
				f := frameOf(t, balls(11), name, 16, view)
				f.Queue, f.Reuse.Batch = queue, 48
				want, p := render(t, New(), f)
				require.Len(t, p.Chunks, 1)
				f.QueueBudget = 16 << 10
				got, p := render(t, New(), f)
				if f.Reuse.Strategy.WholeDraws {
					require.Len(t, p.Chunks, 1, "whatever the budget")
				} else {
					require.Greater(t, len(p.Chunks), 3)
				}
				samePicture(t, want, got, fmt.Sprint(name, queue, view))
			}
		}
	}
}

func TestThreadsChangeNothing(t *testing.T) {
	for _, queue := range []renderer.QueueForm{renderer.Indexed, renderer.Expanded} {
		f := frameOf(t, ball(70, true), "warp", 8, renderer.Counts)
		f.Queue = queue
		want, _ := render(t, withThreads(1), f)
		got, _ := render(t, withThreads(7), f)
		samePicture(t, want, got, queue.String())
		require.Equal(t, want.Queues, got.Queues)
		require.Equal(t, want.Counts, got.Counts)
	}
}

// assetNames are small scenes of every kind.
var assetNames = []string{"triangle", "cube", "sphere2", "knot6", "terrain12", "grid9", "tree3", "soup", "city3"}

// TestAssets draws small assets with every strategy and queue form, in chunks if they are large enough. The picture is
// that of naive with the default queue budget, and the counts are the reference's. Lanes differ by asset.
func TestAssets(t *testing.T) {
	for i, name := range assetNames {
		t.Run(name, func(t *testing.T) {
			s := must.Get(assets.Make(name))
			want, _ := render(t, withThreads(1), frameOf(t, s, "naive", 32, renderer.Shaded))
			drawn := 0
			for _, d := range want.Depth {
				if d < 1 {
					drawn++
				}
			}
			require.Greater(t, drawn, len(want.Depth)/50)
			for _, strategy := range reuse.Names() {
				for _, queue := range []renderer.QueueForm{renderer.Indexed, renderer.Expanded} {
					f := frameOf(t, s, strategy, reuse.LaneCounts[i%len(reuse.LaneCounts)], renderer.Shaded)
					f.Queue, f.QueueBudget, f.Reuse.Batch = queue, 8<<10, max(48, 3*f.Reuse.Lanes)
					got, _ := render(t, New(), f)
					samePicture(t, want, got, fmt.Sprint(strategy, queue))
					stats, counts := must.Get2(reuse.Analyze(s, f.Reuse))
					require.Equal(t, stats, got.Stats)
					require.Equal(t, counts, got.Counts)
				}
			}
		})
	}
}
