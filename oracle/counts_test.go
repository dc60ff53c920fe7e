package oracle

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// checkCounts compares the counts of one scene in every mode.
func checkCounts(t *testing.T, b *gpu.Backend, s *geometry.Scene) {
	camera := renderer.FitCamera(s.Bounds(), 1)
	modes(t, b.Limits(), s, func(name string, f renderer.Frame) {
		_, want := reuse.Analyze(s, f.Reuse)
		f.NoRaster = true
		out, _, err := renderer.Render(b, f, camera, renderer.WantCounts)
		require.NoError(t, err, name)
		for v := range want {
			if want[v] != out.Counts[v] {
				require.Equal(t, want[v], out.Counts[v], "%s, %s: vertex %d", s.Name, name, v)
			}
		}
		require.Len(t, out.Counts, len(want))
	})
}

func TestCountsOfEveryAsset(t *testing.T) {
	b := openGPU(t)
	for _, name := range smallAssets {
		t.Run(name, func(t *testing.T) { checkCounts(t, b, asset(t, name)) })
	}
}

func TestCountsOfTheIcosphere(t *testing.T) {
	b := openGPU(t)
	s := asset(t, "sphere6")
	require.Equal(t, 81920, s.Triangles())
	require.Len(t, s.Positions, 40962)
	checkCounts(t, b, s)
	checkCounts(t, b, shuffled(s))
}

// TestCountsOfOddBatches takes batches that are no multiple of the lanes, and
// the largest.
func TestCountsOfOddBatches(t *testing.T) {
	b := openGPU(t)
	s := asset(t, "knot24")
	for _, strategy := range reuse.Names() {
		for _, lanes := range []int{4, 8, 32} {
			for _, batch := range []int{3, 9, 93, 111, 960, reuse.MaxBatch} {
				c, err := reuse.Resolve(strategy, lanes, batch)
				require.NoError(t, err)
				_, want := reuse.Analyze(s, c)
				out, _, err := renderer.Render(b, renderer.Frame{Scene: s, Reuse: c, NoRaster: true}, renderer.FitCamera(s.Bounds(), 1), renderer.WantCounts)
				require.NoError(t, err)
				require.Equal(t, want, out.Counts, "%s, %d lanes, batch %d", strategy, lanes, batch)
			}
		}
	}
}

// TestQueues compares what the geometry stage leaves for every triangle: clip
// positions bit for bit, and where they came from.
func TestQueues(t *testing.T) {
	b := openGPU(t)
	cpu := soft.New()
	defer cpu.Close()
	for _, name := range []string{"soup", "city6", "sphere3"} {
		s := asset(t, name)
		camera := renderer.FitCamera(s.Bounds(), 1)
		modes(t, b.Limits(), s, func(mode string, f renderer.Frame) {
			got, plan, err := renderer.Render(b, f, camera, renderer.WantQueues)
			require.NoError(t, err, mode)
			f.Subgroups = renderer.AutoSubgroups
			want, _, err := renderer.Render(cpu, f, camera, renderer.WantQueues)
			require.NoError(t, err, mode)
			require.Len(t, plan.Chunks, 1)
			for triangle := range s.Triangles() {
				for corner := range 3 {
					g, w := got.Queues.Corner(f.Queue, triangle, corner), want.Queues.Corner(f.Queue, triangle, corner)
					if bits(got.Queues.Positions[g]) != bits(want.Queues.Positions[w]) || got.Queues.Attributes[g][0] != want.Queues.Attributes[w][0] {
						require.Equal(t, want.Queues.Positions[w], got.Queues.Positions[g], "%s, %s: triangle %d corner %d", name, mode, triangle, corner)
						require.Equal(t, want.Queues.Attributes[w], got.Queues.Attributes[g], "%s, %s: triangle %d corner %d", name, mode, triangle, corner)
					}
				}
			}
		})
	}
}

func bits(p [4]float32) (b [4]uint32) {
	for i, f := range p {
		b[i] = math.Float32bits(f)
	}
	return b
}

// TestOverflowIsPlannedAgain starts with a vertex queue that is far too small.
func TestOverflowIsPlannedAgain(t *testing.T) {
	b := openGPU(t)
	s := shuffled(asset(t, "sphere5"))
	c, err := reuse.Resolve("warp", 8, 0)
	require.NoError(t, err)
	f := renderer.Frame{Scene: s, Reuse: c, Width: 64, Height: 64, QueueBudget: 128 << 10, VertexShare: 0.1}
	camera := renderer.FitCamera(s.Bounds(), 1)

	p, err := renderer.NewPlan(f, b.Limits())
	require.NoError(t, err)
	_, err = b.Exec(p, camera, 0)
	var overflow *renderer.OverflowError
	require.ErrorAs(t, err, &overflow)
	require.Equal(t, renderer.VertexQueue, overflow.Stage)
	require.Equal(t, p.VertexCapacity, overflow.Have)
	require.Greater(t, overflow.Need, overflow.Have)

	got, plan, err := renderer.Render(b, f, camera, renderer.WantColor|renderer.WantCounts)
	require.NoError(t, err)
	require.Greater(t, len(plan.Chunks), 1)
	f.QueueBudget, f.VertexShare = 0, 0
	want, plan, err := renderer.Render(b, f, camera, renderer.WantColor|renderer.WantCounts)
	require.NoError(t, err)
	require.Len(t, plan.Chunks, 1)
	require.Equal(t, want.Counts, got.Counts)
	require.Equal(t, want.Color.Pix, got.Color.Pix, "chunks must not change a pixel")
}
