package oracle

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// fusedAsSoft draws a frame with fused and with soft. It compares pictures, and counts with the reference's, and returns
// fused's output and plan.
func fusedAsSoft(t testing.TB, b, cpu plan.Backend, f renderer.Frame, c renderer.Camera, what string) (*renderer.Output, *plan.Plan) {
	reference := f
	reference.Raster, reference.Subgroups = renderer.SoftRaster, renderer.AutoSubgroups
	want, _ := render(t, cpu, reference, c, wantRaster, what)
	f.Raster = renderer.FusedRaster
	got, p := render(t, b, f, c, wantRaster|renderer.WantCounts, what)
	sameTriangles(t, want, got, what)
	samePixels(t, want, got, what)
	_, counts := must.Get2(reuse.Analyze(f.Scene, p.Frame.Reuse))
	require.Equal(t, counts, got.Counts, what)
	return got, p
}

// batchModes returns all ways to run the strategies that draw their own batches.
func batchModes(l renderer.Limits) []mode {
	return slices.DeleteFunc(indexedModes(l), func(m mode) bool { return m.frame.Reuse.Strategy.WholeDraws })
}

// TestFusedAgainstSoft covers all pairs of a strategy, lane count, asset and view, from five positions, at
// an even and an odd size. With -short each asset has one view, and assets whose pipelines are specialized
// by batch size are drawn only with alikeModes.
func TestFusedAgainstSoft(t *testing.T) {
	b, cpu := backends(t)
	type look struct {
		mode
		name string
		size [2]int
		at   string
		view renderer.View
	}
	places := slices.Sorted(maps.Keys(cameras(t, asset(t, "cube"), 1)))
	var looks []look
	several := indexedModes(b.Limits())
	for i, m := range append(several, alikeModes(t)...) {
		for k, name := range smallAssets {
			for n, at := range places {
				size, view := [][2]int{{80, 128}, {131, 77}}[(i+k+n)%2], renderer.View((i+k+n)%len(renderer.ViewNames))
				if testing.Short() {
					view = renderer.View(k % len(renderer.ViewNames))
					if byBatch := view == renderer.Batches || len(asset(t, name).Draws) > 1; byBatch != (i >= len(several)) {
						continue
					}
				}
				if m.frame.Reuse.Strategy.WholeDraws && view == renderer.Batches {
					continue
				}
				looks = append(looks, look{m, name, size, at, view})
			}
		}
	}
	looks = pairwise(looks, func(l look) []any { return append(l.features(), l.name, l.size, l.at, l.view) })
	total := map[string]int{}
	for _, l := range looks {
		f := l.frame
		f.Scene, f.View, f.Width, f.Height = asset(t, l.name), l.view, l.size[0], l.size[1]
		camera := cameras(t, f.Scene, float32(l.size[0])/float32(l.size[1]))[l.at]
		out, _ := fusedAsSoft(t, b, cpu, f, camera, fmt.Sprint(l.mode.name, l.name, l.size, l.at, l.view))
		total[l.name] += drawn(out)
	}
	for _, name := range smallAssets {
		require.NotZero(t, total[name], name)
	}
}

// TestFusedVertexShaders: a vertex shader that moves vertices gives the same positions when a
// vertex is shaded a second time for the raster passes; with -short one strategy and multi per vertex shader.
func TestFusedVertexShaders(t *testing.T) {
	b, cpu := backends(t)
	s := shuffled(asset(t, "city6"))
	for i, shader := range []renderer.VertexShader{renderer.Transform, renderer.Skin, renderer.Displace} {
		for k, strategy := range []string{"naive-index", "claim", "hash", "multi"} {
			config := resolve(t, strategy, 8, 0)
			if testing.Short() {
				if k != i && strategy != "multi" {
					continue
				}
				config = resolve(t, strategy, 8, alikeBatches)
			}
			view := renderer.View((i + k) % 3)
			if strategy == "multi" {
				view = renderer.Shaded
			}
			f := renderer.Frame{Scene: s, Reuse: config, View: view, VertexShader: shader, Load: 64 * i, Width: 160, Height: 96}
			for _, at := range []string{"fit", "inside"} {
				fusedAsSoft(t, b, cpu, f, cameras(t, s, 160.0/96)[at], fmt.Sprint(strategy, shader, at))
			}
		}
	}
}

// TestFusedHostileTriangles draws triangles with corners that are huge, tiny, behind the eye or on planes, in turns with
// doubles of the device and with integers in their place.
func TestFusedHostileTriangles(t *testing.T) {
	b, cpu := backends(t)
	hostileFrames(t, func(i int, f renderer.Frame, camera renderer.Camera, what string) {
		if f.Reuse = resolve(t, []string{"claim", "naive", "warp", "multi"}[i%4], 8, 0); f.Reuse.Strategy.WholeDraws {
			f.View = renderer.Normals
		}
		var device plan.Backend = b
		if i%2 > 0 {
			device = limited{b, func(l *renderer.Limits) { l.Missing = append(slices.Clone(l.Missing), "Float64") }}
		}
		fusedAsSoft(t, device, cpu, f, camera, what)
	})
}

// TestFusedTogether: in scenes that are small for the device, four invocations draw each triangle.
// Batches have 64 triangles, or fewer on request; the last one is not full. With -short each scene has
// half of the cameras.
func TestFusedTogether(t *testing.T) {
	b, cpu := backends(t)
	small := wide(b, 132)
	lanes := func(p *plan.Plan) uint32 {
		i := slices.IndexFunc(p.Passes, func(pass plan.Pass) bool { return pass.Name == "fused:naive-index" })
		return p.Passes[i].Op.(*plan.Dispatch).Spec["TRIANGLE_LANES"]
	}
	config := must.Get(reuse.Params{FitBatch: true}.Resolve("naive-index"))
	drew := 0
	for i, name := range []string{"sphere4", "patches", "knot24", "city6", "tree3"} {
		s := asset(t, name)
		f := renderer.Frame{Scene: s, Reuse: must.Get(reuse.Resolve("naive-index", 0, 192-39*i)), View: renderer.View(i % len(renderer.ViewNames)), Width: 131, Height: 77}
		if i%2 == 0 {
			f.Width, f.Height = 150, 420
		}
		if f.View != renderer.Batches {
			f.Reuse = config
		}
		list := cameras(t, s, float32(f.Width)/float32(f.Height))
		for k, at := range slices.Sorted(maps.Keys(list)) {
			if testing.Short() && (i+k)%2 != 0 {
				continue
			}
			out, p := fusedAsSoft(t, small, cpu, f, list[at], name+", "+at)
			require.LessOrEqual(t, p.Frame.Reuse.Batch, 192)
			require.EqualValues(t, reuse.TriangleLanes, lanes(p))
			drew += drawn(out)
		}
	}
	require.NotZero(t, drew)
	f := renderer.Frame{Scene: asset(t, "sphere4"), Reuse: config, Raster: renderer.FusedRaster, Width: 64, Height: 64}
	for _, l := range []int{0, 7, 8} { // 5,120 triangles; up to 640 a multiprocessor count as few
		p := must.Get(plan.New(f, wide(b, l).Limits()))
		require.Equal(t, map[bool]uint32{false: 1, true: reuse.TriangleLanes}[l == 8], lanes(p))
		require.Equal(t, []uint32{plan.MostAtOnce * lanes(p), plan.FewAtOnce}, []uint32{p.AtOnce(true), p.AtOnce(false)})
	}
	f.Reuse = must.Get(reuse.Resolve("naive-index", 0, 195))
	require.EqualValues(t, 1, lanes(must.Get(plan.New(f, small.Limits()))), "a workgroup would draw the batch in two rounds")
	hostileFrames(t, func(i int, f renderer.Frame, camera renderer.Camera, what string) {
		if i%3 != 0 {
			return
		}
		f.Reuse = must.Get(reuse.Resolve("naive-index", 0, 192))
		_, p := fusedAsSoft(t, small, cpu, f, camera, what)
		require.EqualValues(t, reuse.TriangleLanes, lanes(p))
	})
}

// TestFusedOverflow: if the lists cannot hold the larger triangles, the frame is planned again in
// chunks, and gives the same picture and counts.
func TestFusedOverflow(t *testing.T) {
	b, cpu := backends(t)
	s := asset(t, "sphere3")
	camera := cameraOf(t, "zoom=2", s.Bounds(), 1)
	for view := range renderer.View(len(renderer.ViewNames)) {
		for k, strategy := range []string{"claim", "hash", "multi"} {
			if strategy == "multi" && view == renderer.Batches || testing.Short() && (k%2 != int(view)%2 || view > renderer.Batches) {
				continue
			}
			config := resolve(t, strategy, 8, alikeBatches)
			f := renderer.Frame{Scene: s, Reuse: config, View: view, Width: 290, Height: 290} // few triangles for so many pixels, so triangles of more than 64 pixels are listed
			_, p := fusedAsSoft(t, b, cpu, f, camera, strategy)
			require.Len(t, p.Chunks, 1)
			f.QueueBudget = 3 << 10
			_, p = fusedAsSoft(t, b, cpu, f, camera, strategy+" in chunks")
			require.Greater(t, len(p.Chunks), 1)
			f.QueueBudget, f.Slice = 0, 256
			_, p = fusedAsSoft(t, b, cpu, f, camera, strategy+" in slices")
			require.Len(t, p.Chunks, 1)
		}
	}
}

// TestFusedDraws draws a scene of many draws smaller than a batch, and a scene whose draws have several
// batches. No other short test of several draws has batches of the second scene's size.
func TestFusedDraws(t *testing.T) {
	b, cpu := backends(t)
	for i, strategy := range []string{"claim", "hash", "naive-index", "multi"} {
		if testing.Short() && i == 2 {
			continue
		}
		s := asset(t, "patches")
		if strategy != "claim" {
			s = must.Get(asset(t, "knot24").Copies(3))
		}
		config := resolve(t, strategy, 8, 0)
		f := renderer.Frame{Scene: s, Reuse: config, View: renderer.View(2 * i % 3), Width: 200, Height: 200}
		fusedAsSoft(t, b, cpu, f, cameras(t, s, 1)["fit"], strategy)
	}
}

// TestFusedSharedMeshes draws real meshes from five positions.
func TestFusedSharedMeshes(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	b, cpu := backends(t)
	for _, name := range []string{"bun_zipper.ply", "fandisk.obj.zst", "sw_oaktree.gltf.zst", "dragon_vrip_res3.ply"} {
		t.Run(name, func(t *testing.T) {
			s := sharedMesh(t, name)
			for i, strategy := range []string{"claim", "hash", "multi"} { // multi shows counts
				config := resolve(t, strategy, 0, 0)
				for at, camera := range cameras(t, s, 320.0/200) {
					f := renderer.Frame{Scene: s, Reuse: config, View: renderer.View(2 - i), Width: 320, Height: 200}
					fusedAsSoft(t, b, cpu, f, camera, name+", "+at)
				}
			}
		})
	}
}

// culledFused repeats with the fused rasterizer what compute has drawn with culling, and compares all results; it returns
// nil for other frames.
func culledFused(t testing.TB, b plan.Backend, f renderer.Frame, c renderer.Camera, want *renderer.Output, what string) *plan.Plan {
	if f.Raster != renderer.ComputeRaster || f.Reuse.Strategy.WholeDraws {
		return nil
	}
	f.Cull, f.Raster = true, renderer.FusedRaster
	got, p, err := plan.Render(b, f, c, wantCulled(f))
	what = "fused, " + what
	require.NoError(t, err, what)
	require.Equal(t, want.Culling, got.Culling, what)
	require.Equal(t, want.Counts, got.Counts, what)
	require.Equal(t, want.Stats.Invocations, got.Stats.Invocations, what)
	require.Equal(t, want.Depth, got.Depth, what)
	require.Equal(t, want.Visible, got.Visible, what)
	require.Equal(t, want.Color.Pix, got.Color.Pix, what)
	return p
}

// TestFarCorners draws single triangles whose box clipped to the picture is small, with corners so
// far outside that their edge functions exceed 32 bits: some cover the whole box, some miss it.
// Neither the rasterizer nor culling may treat them as small.
func TestFarCorners(t *testing.T) {
	b, cpu := backends(t)
	const size, far = 64, 20000 // pixels
	drew, missed := 0, 0
	for _, edge := range []float32{1, 2, 4} {
		for _, px := range [][3][2]float32{
			{{-far, edge}, {edge, -far}, {edge, edge}},
			{{-far, edge}, {edge, -far}, {-far, -far}},
			{{edge - 1, -far}, {edge, edge}, {edge - 1, edge}},
			{{-far, edge - 1}, {edge, edge}, {-far, edge}},
			{{-far, edge}, {edge, edge - 0.75}, {edge, edge - 0.25}},
			{{edge - 0.75, edge}, {edge - 0.25, edge}, {-far, -far}},
			{{-29000, edge + 0.25}, {edge, edge + 0.1}, {edge, edge + 0.4}}, // so far outside that culling leaves the triangle to the rasterizer
		} {
			var corners []mgl32.Vec3
			for _, p := range px {
				corners = append(corners, mgl32.Vec3{p[0]/(size/2) - 1, 1 - p[1]/(size/2), 0})
			}
			f := computeFrame(t, triangleScene(corners), renderer.Shaded, size, size)
			what := fmt.Sprint(px)
			if drawn(sameAsSoft(t, b, cpu, f, flatCamera, what)) > 0 {
				drew++
			} else {
				missed++
			}
			f.CullFaces = renderer.NoFaces
			got := culled(t, b, cpu, f, flatCamera, what)
			culledFused(t, b, f, flatCamera, got, what)
			samePictureUnculled(t, b, f, flatCamera, got, what)
		}
	}
	require.NotZero(t, drew)
	require.NotZero(t, missed)
}

// TestFusedSpillsToTheLastPlace: triangles that share no vertex spill exactly as many vertices as
// the buffer has slots.
func TestFusedSpillsToTheLastPlace(t *testing.T) {
	b, cpu := backends(t)
	from := asset(t, "grid8") // all of it is visible
	var corners []mgl32.Vec3
	for _, id := range from.Indices {
		corners = append(corners, from.Positions[id])
	}
	s := triangleScene(corners)
	config := resolve(t, "claim", 8, 0)
	f := renderer.Frame{Scene: s, Reuse: config, View: renderer.Shaded, Width: 48, Height: 160}
	_, p := fusedAsSoft(t, b, cpu, f, renderer.FitCamera(s.Bounds(), 48./160), "grid of lone triangles")
	require.Equal(t, len(corners)-p.BatchCount*shaders.ClaimHeld*8/32, p.VertexCapacity)
}

// TestFusedCullsLargeBatches: a batch's bits of surviving vertices take more words than Mesa's CPU
// driver clears at once. Triangles are shuffled, so that each uses vertices from all words.
func TestFusedCullsLargeBatches(t *testing.T) {
	b, cpu := backends(t)
	config := resolve(t, "claim", 32, 960)
	s := shuffled(asset(t, "sphere4"))
	f := renderer.Frame{Scene: s, Reuse: config, Raster: renderer.SoftRaster, Width: 48, Height: 160, Cull: true, CullFaces: renderer.AllFaces}
	camera := renderer.FitCamera(s.Bounds(), 48./160)
	want, _ := render(t, cpu, f, camera, renderer.WantCounts)
	f.Raster, f.Subgroups = renderer.FusedRaster, renderer.VirtualSubgroups
	got, _ := render(t, b, f, camera, renderer.WantCounts)
	require.Equal(t, want.Culling, got.Culling)
	require.Equal(t, want.Counts, got.Counts)
}
