package oracle

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/apps/walk"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/stream"
)

// checkWalk takes steps on the device and on the CPU: each has the same counts per cell
// and the same agents.
func checkWalk(t *testing.T, b *gpu.Backend, start walk.Walk, steps, sortEvery int, c reuse.Config, kind renderer.Subgroups) *walk.Walk {
	t.Helper()
	w, err := stream.NewWalk(b, &start, c, kind)
	require.NoError(t, err)
	defer w.Close()
	for step := range steps {
		if sortEvery > 0 && step%sortEvery == 0 {
			require.NoError(t, start.Sort(t.Context()))
			_, err := w.Sort(t.Context())
			require.NoError(t, err)
		}
		_, want, err := start.Advance(t.Context(), c)
		require.NoError(t, err)
		_, err = w.Advance(t.Context())
		require.NoError(t, err)
		counts, err := w.Counts()
		require.NoError(t, err)
		require.Equal(t, want, counts, "step %d", step)
		agents, err := w.Agents(t.Context())
		require.NoError(t, err)
		require.Equal(t, start.Agents, agents, "step %d", step)
		occupancy, err := w.Occupancy(t.Context())
		require.NoError(t, err)
		require.Equal(t, start.Occupancy(), occupancy)
	}
	return &start
}

func newWalk(t *testing.T, agents, grid int) walk.Walk {
	t.Helper()
	w, err := walk.New(context.Background(), agents, grid, 1)
	require.NoError(t, err)
	return *w
}

// TestWalk walks by every strategy, unsorted and sorted.
func TestWalk(t *testing.T) {
	b := openGPU(t)
	for turn, size := range []struct{ agents, grid, sort int }{{2000, 40, 0}, {2500, 64, 1}, {1, 1, 0}, {601, 3, 2}} {
		start := newWalk(t, size.agents, size.grid)
		eachConfig(t, b, turn, func(t *testing.T, c reuse.Config, kind renderer.Subgroups) {
			checkWalk(t, b, start, 3, size.sort, c, kind)
		})
	}
}

// TestPapersWalk walks as the paper's agents do, by every strategy, to the published end.
func TestPapersWalk(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes on a CPU")
	}
	b := openGPU(t)
	start := newWalk(t, 300000, 256)
	require.Equal(t, "d382cf7bb23672b1", fmt.Sprintf("%016x", start.Sum()))
	for i, s := range reuse.Strategies {
		c, err := reuse.Params{}.Resolve(s.Name)
		require.NoError(t, err)
		t.Run(c.String(), func(t *testing.T) {
			end := checkWalk(t, b, start, 10, i%3, c, renderer.AutoSubgroups)
			require.Equal(t, "65ac5bcc88c17be8", fmt.Sprintf("%016x", end.Sum()))
		})
	}
}
