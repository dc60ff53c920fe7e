package oracle

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// TestCarryKeeps goes through what carry has beside its defaults: every number
// of iterations kept, and batches whose table is emptied and whose slots run
// out, which shuffled triangles do soonest.
func TestCarryKeeps(t *testing.T) {
	b := openGPU(t)
	cpu := soft.New()
	defer cpu.Close()
	ordered := asset(t, "sphere4")
	for _, s := range []*geometry.Scene{ordered, shuffled(ordered)} {
		for _, lanes := range reuse.LaneCounts {
			for keep := 1; keep <= reuse.MaxKeep; keep++ {
				for _, batch := range []int{960, reuse.MaxBatch} {
					c, err := reuse.Params{Lanes: lanes, Keep: keep, Batch: batch}.Resolve("carry")
					require.NoError(t, err)
					ways := []renderer.Subgroups{renderer.VirtualSubgroups}
					if slices.Contains(b.Limits().NativeLanes, lanes) {
						ways = append(ways, renderer.NativeSubgroups)
					}
					for _, way := range ways {
						for queue := range renderer.QueueForm(len(renderer.QueueFormNames)) {
							f := renderer.Frame{Scene: s, Reuse: c, Subgroups: way, Queue: queue, NoRaster: true, Width: 32, Height: 32}
							checkCarry(t, b, cpu, f)
						}
					}
				}
			}
		}
	}
}

func checkCarry(t *testing.T, b, cpu plan.Backend, f renderer.Frame) {
	name := f.Reuse.String() + ", " + f.Subgroups.String() + ", " + f.Queue.String()
	_, want := reuse.Analyze(f.Scene, f.Reuse)
	out, _, err := plan.Render(b, f, renderer.FitCamera(f.Scene.Bounds(), 1), renderer.WantCounts)
	require.NoError(t, err, name)
	require.Len(t, out.Counts, len(want))
	for v := range want {
		if want[v] != out.Counts[v] {
			require.Equal(t, want[v], out.Counts[v], "%s, %s: vertex %d", f.Scene.Name, name, v)
		}
	}
	checkQueues(t, b, cpu, name, f)
}
