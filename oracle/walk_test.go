package oracle

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps/walk"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer"
)

// deviceWalk is a walk on a device, with all agents at once or in parts.
type deviceWalk interface {
	Sort(context.Context) (time.Duration, error)
	Advance(context.Context) (walk.StepTime, error)
	Counts() ([]uint32, error)
	Occupancy(context.Context) ([]uint32, error)
	Agents(context.Context) ([]uint32, error)
	Moved(ctx context.Context, most int) (before, after []uint32, err error)
	Close()
}

// openWalk puts a walk on the device, in parts of the given number of agents; 0 means all at once.
func openWalk(t *testing.T, b *gpu.Backend, start *walk.Walk, part int, c reuse.Config, kind renderer.Subgroups) deviceWalk {
	o := walk.DeviceOptions{Reuse: c, Subgroups: kind, Sorts: true}
	if part == 0 {
		return must.Get(walk.NewResident(t.Context(), b, start, o))
	}
	return must.Get(walk.NewParts(b, start, part, o))
}

// checkWalk takes steps on the device and on the CPU, and requires the same counts per cell, agents, occupancy and moves.
func checkWalk(t *testing.T, b *gpu.Backend, start walk.Walk, steps, sortEvery, part int, c reuse.Config, kind renderer.Subgroups) *walk.Walk {
	w := openWalk(t, b, &start, part, c, kind)
	defer w.Close()
	for step := range steps {
		if sortEvery > 0 && step%sortEvery == 0 {
			require.NoError(t, start.Sort(t.Context()))
			must.Get(w.Sort(t.Context()))
		}
		before := start.Agents
		_, want := must.Get2(start.Advance(t.Context(), c))
		must.Get(w.Advance(t.Context()))
		counts := must.Get(w.Counts())
		require.Equal(t, want, counts, "step %d", step)
		agents := must.Get(w.Agents(t.Context()))
		require.Equal(t, start.Agents, agents, "step %d", step)
		occupancy := must.Get(w.Occupancy(t.Context()))
		require.Equal(t, start.Occupancy(), occupancy)
		checkMoved(t, w, before, start.Agents)
	}
	return &start
}

// checkMoved compares the moves of all agents with the CPU's. The moves of a sample of agents must be among those.
func checkMoved(t *testing.T, w deviceWalk, before, after []uint32) {
	pairs := func(a, b []uint32) map[[2]uint32]int {
		n := map[[2]uint32]int{}
		for i := range a {
			n[[2]uint32{a[i], b[i]}]++
		}
		return n
	}
	want := pairs(before, after)
	from, to := must.Get2(w.Moved(context.Background(), len(before)))
	require.Equal(t, want, pairs(from, to))
	from, to = must.Get2(w.Moved(context.Background(), max(1, len(before)/3)))
	require.NotEmpty(t, from)
	for pair, n := range pairs(from, to) {
		require.LessOrEqual(t, n, want[pair])
	}
}

func newWalk(t *testing.T, agents, grid int) walk.Walk {
	w := must.Get(walk.New(context.Background(), agents, grid, 1))
	return *w
}

// TestWalk walks with every strategy, unsorted and sorted.
func TestWalk(t *testing.T) {
	b := openGPU(t)
	for turn, size := range []struct{ agents, grid, sort int }{{2000, 40, 0}, {2500, 64, 1}, {1, 1, 0}, {601, 3, 2}} {
		if testing.Short() {
			size.agents = (size.agents + 3) / 4
		}
		start := newWalk(t, size.agents, size.grid)
		eachConfig(t, b, turn, 4, func(t *testing.T, c reuse.Config, kind renderer.Subgroups) {
			checkWalk(t, b, start, 3, size.sort, 0, c, kind)
		})
	}
}

// TestWalkOfEqualMoves: of twelve moves with the same score, agents use the first eight.
func TestWalkOfEqualMoves(t *testing.T) {
	b := openGPU(t)
	start := newWalk(t, 200, 40)
	const x, y = 20, 20
	clear(start.Tables.Potential)
	for dy := -5; dy <= 5; dy++ {
		for dx := -5; dx <= 5; dx++ {
			if dx*dx+dy*dy == 25 {
				start.Tables.Potential[(y+dy)*40+x+dx] = 64 << 16
			}
		}
	}
	for i := range start.Agents {
		start.Agents[i] = y<<16 | x
	}
	c := must.Get(reuse.Params{}.Resolve("hash"))
	end := checkWalk(t, b, start, 1, 0, 0, c, renderer.AutoSubgroups)
	require.Equal(t, 8, walk.Occupied(end.Occupancy()))
}

// TestWalkRestarts: sorted agents return to their start, in order of their numbers.
func TestWalkRestarts(t *testing.T) {
	b := openGPU(t)
	start := newWalk(t, 500, 20)
	c := must.Get(reuse.Params{}.Resolve("claim"))
	w := openWalk(t, b, &start, 0, c, renderer.AutoSubgroups).(*walk.Resident)
	defer w.Close()
	must.Get(w.Sort(t.Context()))
	must.Get(w.Advance(t.Context()))
	require.NoError(t, w.Restart(t.Context(), &start))
	agents := must.Get(w.Agents(t.Context()))
	require.Equal(t, start.Agents, agents)
	must.Get(w.Advance(t.Context()))
	_, want := must.Get2(start.Advance(t.Context(), c))
	counts := must.Get(w.Counts())
	require.Equal(t, want, counts)
	agents = must.Get(w.Agents(t.Context()))
	require.Equal(t, start.Agents, agents)
}

// TestWalkInParts walks a part of the agents at a time, with every strategy. With -short it takes one
// strategy for each kind of batches.
func TestWalkInParts(t *testing.T) {
	b := openGPU(t)
	start := newWalk(t, 2000, 40)
	sortEvery := 0
	for _, s := range reuse.Strategies {
		if testing.Short() && !slices.Contains([]string{"multi", "hash", "claim", "meshlet"}, s.Name) {
			continue // one of these strategies distributes batches in the same way
		}
		c := must.Get(reuse.Params{Batch: 96}.Resolve(s.Name))
		checkWalk(t, b, start, 3, sortEvery, 300, c, renderer.AutoSubgroups)
		sortEvery = (sortEvery + 1) % 3
	}
}

// TestPapersWalk walks like the paper's agents to the published end, unsorted and sorted. TestWalk
// covers every strategy.
func TestPapersWalk(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes on a CPU")
	}
	b := openGPU(t)
	start := newWalk(t, 300000, 256)
	require.Equal(t, "d382cf7bb23672b1", fmt.Sprintf("%016x", start.Sum()))
	for i, name := range []string{"multi", "hash", "claim"} {
		c := must.Get(reuse.Params{}.Resolve(name))
		t.Run(c.String(), func(t *testing.T) {
			end := checkWalk(t, b, start, 10, i, 0, c, renderer.AutoSubgroups)
			require.Equal(t, "65ac5bcc88c17be8", fmt.Sprintf("%016x", end.Sum()))
		})
	}
}
