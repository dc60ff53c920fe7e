package oracle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps/subdivide"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/meshtest"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// subdivided returns an asset that is subdivided while it is drawn.
func subdivided(t testing.TB, name string, levels int) *geometry.Scene {
	return must.Get(subdivide.NewScene(t.Context(), asset(t, name), levels))
}

// sameFrame compares a frame of a computed mesh with the same frame of the stored mesh. Counts are equal, and so are
// picture and depth or, without a rasterizer, the corners in the queues of the last chunk.
func sameFrame(t *testing.T, b plan.Backend, f renderer.Frame, stored *geometry.Scene, what string) {
	want := renderer.WantCounts
	if f.NoRaster {
		want |= renderer.WantQueues
	} else {
		want |= renderer.WantColor | renderer.WantDepth
	}
	camera := renderer.FitCamera(stored.Bounds(), 1)
	got, _ := render(t, b, f, camera, want, what)
	f.Scene = stored
	wanted, p := render(t, b, f, camera, want, what)
	require.Equal(t, wanted.Counts, got.Counts, what)
	require.Equal(t, wanted.Stats, got.Stats, what)
	require.Equal(t, wanted.Culling, got.Culling, what)
	require.Equal(t, wanted.Color, got.Color, what)
	require.Equal(t, wanted.Depth, got.Depth, what)
	if !f.NoRaster {
		return
	}
	last := p.Chunks[len(p.Chunks)-1]
	for k := range 3 * last.TriangleCount {
		w, g := wanted.Queues.Corner(f.Queue, k/3, k%3), got.Queues.Corner(f.Queue, k/3, k%3)
		if wanted.Queues.Positions[w] != got.Queues.Positions[g] || wanted.Queues.Attributes[w] != got.Queues.Attributes[g] {
			require.Fail(t, "corners differ", "%s: corner %d", what, k)
		}
	}
}

// TestSubdividedFrames draws meshes that are subdivided while they are drawn, with every mode of every strategy. The frames
// equal those of the stored refined mesh. With -short each strategy, lane count and queue occurs at least once.
func TestSubdividedFrames(t *testing.T) {
	b := openGPU(t)
	var scenes, stored []*geometry.Scene
	for _, name := range []string{"knot8", "grid4", "soup"} {
		s := subdivided(t, name, 1)
		scenes, stored = append(scenes, s), append(stored, s.Stored())
	}
	type way struct {
		mode
		scene  int
		view   renderer.View
		raster int // no raster, hardware, compute
		cull   bool
		budget int64
	}
	var all []way
	for i, m := range coverEach(allModes(b.Limits()), mode.features) {
		for _, c := range product(len(scenes), len(renderer.ViewNames), 3, 2, 2) {
			if testing.Short() && (c[1] != i%len(renderer.ViewNames) || c[2] != i/2%3 || c[3] != i/5%2) {
				continue // each view and each way to draw and to cull of a mode needs its own pipelines
			}
			w := way{m, c[0], renderer.View(c[1]), c[2], c[3] == 1 && m.frame.Queue == renderer.Indexed, int64(c[4]) * 96 << 10}
			all = append(all, w)
		}
	}
	for _, w := range pairwise(all, func(w way) []any { return append(w.features(), w.scene, w.view, w.raster, w.cull, w.budget) }) {
		f := w.frame
		f.Scene, f.View, f.NoRaster, f.Cull, f.QueueBudget = scenes[w.scene], w.view, w.raster == 0, w.cull, w.budget
		if w.raster == 2 {
			f.Raster = renderer.ComputeRaster
		}
		sameFrame(t, b, f, stored[w.scene], f.Scene.Name+", "+w.name)
	}
}

// TestSubdividedFused draws subdivided meshes without a vertex queue, with every strategy that
// can do that, and compares with the stored refined mesh.
func TestSubdividedFused(t *testing.T) {
	b := openGPU(t)
	s := subdivided(t, "knot8", 1)
	stored := s.Stored()
	for i, m := range coverEach(indexedModes(b.Limits()), func(m mode) []any {
		return []any{m.frame.Reuse.Strategy.Name, m.frame.Reuse.Batching, m.frame.Subgroups}
	}) {
		f := m.frame
		f.Scene, f.View, f.Raster = s, renderer.View(i%len(renderer.ViewNames)), renderer.FusedRaster
		if f.Reuse.Strategy.WholeDraws {
			f.View = renderer.Shaded
		}
		sameFrame(t, b, f, stored, "fused, "+m.name)
	}
}

// TestSubdividedQueues compares the GPU's queues of a subdivided mesh with the CPU's, and counts with the reference; with
// -short each strategy, lane count and queue occurs at least once.
func TestSubdividedQueues(t *testing.T) {
	b, cpu := backends(t)
	s := subdivided(t, "knot8", 2)
	stored := s.Stored()
	for _, m := range coverEach(allModes(b.Limits()), mode.features) {
		f := m.frame
		f.Scene, f.NoRaster, f.View = s, true, renderer.Shaded
		checkQueues(t, b, cpu, m.name, f)
		out, _ := render(t, b, f, renderer.FitCamera(s.Bounds(), 1), renderer.WantCounts)
		_, want := must.Get2(reuse.Analyze(stored, f.Reuse))
		require.Equal(t, want, out.Counts, m.name)
	}
}

// TestSubdividedMeshes draws a mesh with holes and unreferenced vertices, once with each strategy, and compares by
// sameFrame.
func TestSubdividedMeshes(t *testing.T) {
	if testing.Short() {
		t.Skip("four million triangles")
	}
	b := openGPU(t)
	s := must.Get(subdivide.NewScene(t.Context(), meshtest.Scene(t, "bun_zipper.ply"), 1))
	for _, name := range reuse.Names() {
		f := pictureFrame(t, s, renderer.Counts)
		f.Reuse = resolve(t, name, 0, 0)
		sameFrame(t, b, f, s.Stored(), name)
	}
}
