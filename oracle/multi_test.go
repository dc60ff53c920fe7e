package oracle

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/shape"
	"github.com/shadeonce/shadeonce/renderer"
)

// sparse has draws that reference only some of their vertices.
func sparse(t testing.TB) *geometry.Scene {
	s := *asset(t, "city6")
	s.Name = "sparse city"
	s.Draws = append([]geometry.Draw{}, s.Draws...)
	for i := range s.Draws {
		s.Draws[i].IndexCount = max(3, s.Draws[i].IndexCount/6*3)
	}
	require.NoError(t, s.Validate(t.Context()))
	require.Less(t, shape.Referenced(&s)[0], int(s.Draws[0].VertexCount))
	return &s
}

// TestMultiShadesWholeDraws covers what the tests of all strategies leave out: unreferenced vertices, odd batches and
// workgroups, a budget too small for any queue, and all views in both queue forms; with -short each scene, batch and
// workgroup once.
func TestMultiShadesWholeDraws(t *testing.T) {
	b, cpu := backends(t)
	scenes := []*geometry.Scene{asset(t, "triangle"), asset(t, "city6"), sparse(t), shuffled(asset(t, "sphere4"))}
	params := []reuse.Params{{}, {Batch: 3}, {Batch: 93, Workgroup: 32}, {Batch: reuse.MaxBatch, Workgroup: 64}, {Workgroup: 1024}}
	for _, choice := range eachChoice(len(scenes), len(params), len(renderer.ViewNames)) {
		s, view := scenes[choice[0]], renderer.View(choice[2])
		if testing.Short() {
			view = renderer.View(choice[1] % len(renderer.ViewNames)) // each view needs its own pipelines
		}
		camera := renderer.FitCamera(s.Bounds(), 1)
		c, err := params[choice[1]].Resolve("multi")
		require.NoError(t, err)
		_, want := must.Get2(reuse.Analyze(s, c))
		var first *renderer.Output
		for _, queue := range []renderer.QueueForm{renderer.Indexed, renderer.Expanded} {
			mode := fmt.Sprintf("%s, %s, workgroup %d, %s, %s", s.Name, c, c.Workgroup, view, queue)
			f := renderer.Frame{Scene: s, Reuse: c, Queue: queue, View: view, Width: 96, Height: 96, QueueBudget: 1}
			checkQueues(t, b, cpu, mode, f)
			out, made := render(t, b, f, camera, renderer.WantColor|renderer.WantDepth|renderer.WantCounts, mode)
			require.Len(t, made.Chunks, 1, mode)
			require.Equal(t, want, out.Counts, mode)
			if first == nil {
				first = out
			}
			require.True(t, bytes.Equal(first.Color.Pix, out.Color.Pix), mode)
			require.Equal(t, first.Depth, out.Depth, mode)
		}
	}
}

// TestMultiCountsViewIsThatOfPerfectReuse: hash finds every repeated index of a cube, so it too
// shades each vertex once, and the heatmaps are equal.
func TestMultiCountsViewIsThatOfPerfectReuse(t *testing.T) {
	b := openGPU(t)
	s := asset(t, "cube")
	draw := func(name string) *renderer.Output {
		c := resolve(t, name, 0, 0)
		return renderPicture(t, b, renderer.Frame{Scene: s, Reuse: c, View: renderer.Counts, Width: 128, Height: 128})
	}
	want, got, naive := draw("hash"), draw("multi"), draw("naive-index")
	require.True(t, bytes.Equal(want.Color.Pix, got.Color.Pix))
	require.False(t, bytes.Equal(naive.Color.Pix, got.Color.Pix))
}
