package oracle

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// wantCulled returns the results that the tests of culling read back. The hardware rasterizer cannot
// tell which triangle each pixel shows.
func wantCulled(f renderer.Frame) renderer.Want {
	want := renderer.WantColor | renderer.WantDepth | renderer.WantCounts
	if f.Raster != renderer.HardwareRaster {
		want |= renderer.WantVisible
	}
	return want
}

// culled draws a culling frame on a device and with soft, and compares culled triangles, counts and pictures.
func culled(t testing.TB, b, cpu plan.Backend, f renderer.Frame, c renderer.Camera, what string) *renderer.Output {
	f.Cull = true
	got, _ := render(t, b, f, c, wantCulled(f), what)
	mirror := f
	mirror.Subgroups = renderer.AutoSubgroups
	if mirror.Raster == renderer.ComputeRaster {
		mirror.Raster = renderer.SoftRaster
	}
	want, _ := render(t, cpu, mirror, c, wantCulled(mirror), what)
	require.Equal(t, want.Culling, got.Culling, what)
	require.Equal(t, want.Counts, got.Counts, what)
	if f.Raster == renderer.HardwareRaster {
		require.NoError(t, byHardware(t, openGPU(t), f.View, want, got).Check(equalShare), what)
	} else {
		samePixels(t, want, got, what)
		sameTriangles(t, want, got, what)
	}
	k := got.Culling
	require.Equal(t, f.Scene.Triangles(), k.Frustum+k.ZeroArea+k.BackFace+k.NoSample+k.Survived, what)
	require.Equal(t, got.Stats.Invocations, k.Shaded, what)
	if !f.Reuse.Strategy.WholeDraws {
		_, counts := must.Get2(reuse.Analyze(f.Scene, f.Reuse))
		require.Equal(t, must.Get(renderer.CountStats(f.Scene, counts)).Invocations, k.Positioned, what)
	} else {
		require.Equal(t, f.Scene.DrawVertices(), k.Positioned, what)
	}
	require.LessOrEqual(t, k.Shaded, k.Positioned, what)
	// Ratios are over the surviving triangles: culled ones do not count as reuse.
	if st := got.Stats; k.Survived > 0 {
		require.Equal(t, k.Survived, st.Triangles, what)
		require.True(t, st.Reuse() >= 0 && st.Reuse() <= st.Ideal() && st.ATVR() >= 1, "%s: %+v", what, st)
	}
	return got
}

// samePictureUnculled requires that culling changes no pixel if it drops no back faces.
func samePictureUnculled(t testing.TB, b plan.Backend, f renderer.Frame, c renderer.Camera, got *renderer.Output, what string) {
	f.Cull, f.CullFaces = false, renderer.FacesOfFile
	want, _ := render(t, b, f, c, wantCulled(f), what)
	require.Equal(t, want.Depth, got.Depth, what)
	require.Equal(t, want.Visible, got.Visible, what)
	if f.View != renderer.Counts { // the counts view's colours depend on what is culled
		require.Equal(t, want.Color.Pix, got.Color.Pix, what)
	}
}

var deviceRasters = []renderer.RasterHost{renderer.HardwareRaster, renderer.ComputeRaster}

// TestCulling culls each of smallAssets in every view from five positions: from three of them the hardware draws, from two the
// compute rasterizer. With -short it culls two assets, each in half of the pairs of view and position.
func TestCulling(t *testing.T) {
	b, cpu := backends(t)
	var sum renderer.Culling
	names := smallAssets
	if testing.Short() {
		names = []string{"city6", "soup"}
	}
	for i, name := range names {
		s := asset(t, name)
		list := cameras(t, s, 131.0/77)
		for k, at := range slices.Sorted(maps.Keys(list)) {
			camera := list[at]
			for view := range renderer.View(len(renderer.ViewNames)) {
				if testing.Short() && (i+k+int(view))%2 != 0 {
					continue
				}
				f := pictureFrame(t, s, view)
				// Each rasterizer draws every view of an asset.
				f.Raster, f.Width, f.Height, f.CullFaces = deviceRasters[k/2%2], 131, 77, renderer.NoFaces
				what := fmt.Sprintf("%s, %s, %s, %s", name, at, view, f.Raster)
				got := culled(t, b, cpu, f, camera, what)
				samePictureUnculled(t, b, f, camera, got, what)
				culledFused(t, b, f, camera, got, what)
				require.Zero(t, got.Culling.BackFace, what)
				sum.Frustum, sum.ZeroArea, sum.NoSample = sum.Frustum+got.Culling.Frustum, sum.ZeroArea+got.Culling.ZeroArea, sum.NoSample+got.Culling.NoSample
				f.CullFaces = renderer.AllFaces
				got = culled(t, b, cpu, f, camera, what+", back faces")
				culledFused(t, b, f, camera, got, what+", back faces")
				sum.BackFace += got.Culling.BackFace
			}
		}
	}
	require.NotZero(t, sum.Frustum)
	require.NotZero(t, sum.ZeroArea)
	require.NotZero(t, sum.BackFace)
	require.NotZero(t, sum.NoSample)
}

// TestCullingOfEveryStrategy covers pairs of a mode with the indexed queue, scene, view (of three), rasterizer, vertex
// shader, and one chunk or many. With -short every strategy meets each scene, and some of the other values.
func TestCullingOfEveryStrategy(t *testing.T) {
	b, cpu := backends(t)
	var frames []run
	scenes, budgets := assetList(t, "city6", "knot24"), []int64{0, 1 << 18}
	for i, m := range indexedModes(b.Limits()) {
		for _, c := range product(len(scenes), 3, len(deviceRasters), 3, len(budgets)) {
			if city := c[0] == 0; testing.Short() && (c[2] != i%2 && city || c[2] != 1 && !city || c[3] != i%3 && city || c[3] != 0 && !city || c[4] != (i/2+c[0])%2 || c[1] == 1 && i%3 != 0) {
				continue // each strategy has one pipeline per scene; rasterizers, vertex shaders and budgets take turns
			}
			f := &m.frame
			f.Scene, f.Width, f.Height, f.CullFaces = scenes[c[0]], 96, 96, renderer.NoFaces
			f.View, f.Raster, f.VertexShader, f.QueueBudget = renderer.View(c[1]), deviceRasters[c[2]], renderer.VertexShader(c[3]), budgets[c[4]]
			if f.Load = 0; f.VertexShader == renderer.Skin {
				f.Load = 64
			}
			if usual := f.Reuse.Lanes == 0 || f.Reuse.Lanes == 8; usual || c[0] == 1 && c[1] == 0 && c[3] == 0 && c[4] == 0 {
				frames = append(frames, run{m, f.Scene})
			}
		}
	}
	canFuse := func(f *renderer.Frame) bool { // with -short only frames of one draw with Transform, which share pipelines
		return f.Raster == renderer.ComputeRaster && (!testing.Short() || f.VertexShader == renderer.Transform && f.Scene == scenes[1])
	}
	frames = pairwise(frames, func(r run) []any {
		f := r.frame
		return []any{f.Reuse.Strategy.Name, f.Reuse.Lanes, f.Subgroups, f.Reuse.Batching, r.scene, f.View, f.Raster, f.VertexShader, f.QueueBudget, canFuse(&f)}
	})
	fused := map[string]bool{}
	for _, r := range frames {
		s, f := r.scene, r.frame
		camera := cameraOf(t, "az=77,el=25,zoom=3", s.Bounds(), 1)
		what := fmt.Sprintf("%s, %s, %s, %s, %s, budget %d", s.Name, r.name, f.View, f.Raster, f.VertexShader, f.QueueBudget)
		got := culled(t, b, cpu, f, camera, what)
		unculled := f
		if testing.Short() && f.View != renderer.Batches { // all strategies draw the same picture
			unculled.Reuse, unculled.Subgroups = pictureFrame(t, s, f.View).Reuse, renderer.AutoSubgroups
		}
		samePictureUnculled(t, b, unculled, camera, got, what)
		require.NotZero(t, got.Culling.Survived, what)
		require.Less(t, got.Culling.Survived, s.Triangles(), what)
		if mode := fmt.Sprint(f.Reuse.Strategy.Name, f.Subgroups); canFuse(&f) && !fused[mode] {
			fused[mode] = true
			f.QueueBudget = 0
			culledFused(t, b, f, camera, got, what)
		}
	}
	for _, m := range batchModes(b.Limits()) {
		require.True(t, fused[fmt.Sprint(m.frame.Reuse.Strategy.Name, renderer.VirtualSubgroups)], m.name)
	}
}

// TestCullingInChunks: neither the budget nor earlier frames change what is culled and counted.
func TestCullingInChunks(t *testing.T) {
	b := openGPU(t)
	s := asset(t, "sphere4")
	far := cameraOf(t, "zoom=0.1", s.Bounds(), 1)
	for _, raster := range deviceRasters {
		for view := range renderer.View(len(renderer.ViewNames)) {
			f := pictureFrame(t, s, view)
			if testing.Short() && view > renderer.Batches {
				continue // the other views take the same vertices as counts
			}
			f.Raster, f.Cull, f.CullFaces = raster, true, renderer.AllFaces
			fit := renderer.FitCamera(s.Bounds(), 1)
			want, p := render(t, b, f, fit, wantCulled(f))
			require.Len(t, p.Chunks, 1)
			if raster == renderer.ComputeRaster {
				fused := f
				fused.QueueBudget, fused.VertexShare = 1<<14, 1 // as after an overflow
				require.Greater(t, len(culledFused(t, b, fused, fit, want, view.String()).Chunks), 3)
				fused.QueueBudget, fused.VertexShare, fused.Slice = 0, 0, 256
				culledFused(t, b, fused, fit, want, view.String()+" in slices")
			}
			f.QueueBudget = 1 << 15
			for _, camera := range []renderer.Camera{far, fit} {
				got, p := render(t, b, f, camera, wantCulled(f))
				require.Greater(t, len(p.Chunks), 3)
				again := must.Get(b.Exec(p, camera, wantCulled(f)))
				require.Equal(t, got.Culling, again.Culling)
				require.Equal(t, got.Counts, again.Counts)
				require.Equal(t, got.Color.Pix, again.Color.Pix)
				if camera == far {
					require.NotEqual(t, want.Culling, got.Culling)
					continue
				}
				require.Equal(t, want.Culling, got.Culling)
				require.Equal(t, want.Counts, got.Counts)
				require.Equal(t, want.Color.Pix, got.Color.Pix)
				require.Equal(t, want.Depth, got.Depth)
			}
		}
	}
}

// turned returns a scene whose draws are one-sided, and mirrored or with flipped windings if wanted.
func turned(s *geometry.Scene, mirror, flip bool) *geometry.Scene {
	out := *s
	out.Draws = append([]geometry.Draw{}, s.Draws...)
	out.Indices = append([]uint32{}, s.Indices...)
	for i := range out.Draws {
		out.Draws[i].OneSided = true
		if mirror {
			out.Draws[i].Transform = mgl32.Scale3D(-1, 1, 1).Mul4(out.Draws[i].Transform)
		}
	}
	for i := 0; flip && i+2 < len(out.Indices); i += 3 {
		out.Indices[i+1], out.Indices[i+2] = out.Indices[i+2], out.Indices[i+1]
	}
	return &out
}

// TestCulledBackFaces: a ball of counter-clockwise triangles loses no pixel, mirrored or not, and about half of its
// triangles are culled as back faces. Turned inside out, it shows its inside. Two-sided draws lose none.
func TestCulledBackFaces(t *testing.T) {
	b, cpu := backends(t)
	s := asset(t, "sphere4")
	for _, raster := range deviceRasters {
		for _, mirror := range []bool{false, true} {
			for _, flip := range []bool{false, true} {
				what := fmt.Sprintf("%s, mirror %t, flip %t", raster, mirror, flip)
				f := pictureFrame(t, turned(s, mirror, flip), renderer.Shaded)
				f.Raster = raster
				camera := renderer.FitCamera(f.Scene.Bounds(), 1)
				got := culled(t, b, cpu, f, camera, what)
				culledFused(t, b, f, camera, got, what)
				whole := f
				want, _ := render(t, b, whole, camera, wantCulled(whole))
				require.Equal(t, flip, fmt.Sprint(want.Depth) != fmt.Sprint(got.Depth), what)
				if !flip {
					require.Equal(t, want.Color.Pix, got.Color.Pix, what)
					require.InDelta(t, .5, float64(got.Culling.BackFace)/float64(s.Triangles()), .1, what)
				}
				f.CullFaces = renderer.NoFaces
				require.Zero(t, culled(t, b, cpu, f, camera, what).Culling.BackFace, what)
			}
		}
	}
	f := pictureFrame(t, s, renderer.Shaded)
	require.Zero(t, culled(t, b, cpu, f, renderer.FitCamera(s.Bounds(), 1), "two-sided").Culling.BackFace)
}

// TestCullingOfHostileTriangles culls triangles with corners that are huge, tiny, behind the eye or on planes.
func TestCullingOfHostileTriangles(t *testing.T) {
	b, cpu := backends(t)
	hostileFrames(t, func(_ int, f renderer.Frame, camera renderer.Camera, what string) {
		f.CullFaces = renderer.NoFaces
		got := culled(t, b, cpu, f, camera, what)
		culledFused(t, b, f, camera, got, what)
		samePictureUnculled(t, b, f, camera, got, what)
	})
}

// TestCulledQueues: after the last pass of culling, the corners of all triangles equal the CPU's, also
// those of dropped triangles: with each vertex shader, and without a view, as in bench.
func TestCulledQueues(t *testing.T) {
	b, cpu := backends(t)
	s := asset(t, "city6")
	strategies, views := []string{"warp", "hash", "claim", "multi"}, []renderer.View{renderer.Counts, renderer.Batches, renderer.NoView}
	for _, choice := range choices(len(strategies), len(renderer.VertexShaderNames), len(views)) {
		strategy, shader, view := strategies[choice[0]], renderer.VertexShader(choice[1]), views[choice[2]]
		config, err := reuse.Resolve(strategy, 8, 0)
		if err != nil {
			config, err = reuse.Resolve(strategy, 0, 0)
		}
		require.NoError(t, err)
		f := renderer.Frame{
			Scene: s, Reuse: config, View: view, VertexShader: shader, Load: 256, NoRaster: true, Width: 40, Height: 30,
			Cull: true, CullFaces: renderer.AllFaces,
		}
		checkQueues(t, b, cpu, fmt.Sprint(strategy, ", ", shader, ", ", view), f)
	}
}

// TestCullingInOddFrames: culling works in a frame planned again after an overflow, and with Frame.Shown.
func TestCullingInOddFrames(t *testing.T) {
	b, cpu := backends(t)
	s := shuffled(asset(t, "sphere4"))
	camera := renderer.FitCamera(s.Bounds(), 1)
	for name, change := range map[string]func(*renderer.Frame){
		"overflow":         func(f *renderer.Frame) { f.VertexShare = 0.1 },
		"overflow, chunks": func(f *renderer.Frame) { f.VertexShare, f.QueueBudget = 0.1, 1<<16 },
	} {
		for view := range renderer.View(len(renderer.ViewNames)) {
			f := pictureFrame(t, s, view)
			config := resolve(t, "hash", 0, 0)
			f.Reuse, f.CullFaces, f.Raster = config, renderer.AllFaces, renderer.ComputeRaster
			change(&f)
			got := culled(t, b, cpu, f, camera, name)
			culledFused(t, b, f, camera, got, name)
			require.NotZero(t, got.Culling.BackFace)
		}
	}
	f := pictureFrame(t, s, renderer.Counts)
	f.Shown = make([]uint32, s.DrawVertices())
	for i := range f.Shown {
		f.Shown[i] = uint32(1 + i%6)
	}
	want, _ := render(t, b, f, camera, wantCulled(f))
	f.Cull, f.CullFaces = true, renderer.NoFaces
	got, _ := render(t, b, f, camera, wantCulled(f))
	require.Equal(t, f.Shown, got.Counts)
	require.Equal(t, want.Color.Pix, got.Color.Pix)
}

// TestCullingOfSharedMeshes culls real meshes, some of which say that they are one-sided, from
// five positions.
func TestCullingOfSharedMeshes(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	b, cpu := backends(t)
	for i, name := range []string{"bun_zipper.ply", "suzanne.obj", "spot.obj", "fandisk.obj.zst", "sw_oaktree.gltf.zst", "sw_deer.gltf", "sw_samplebuilding.gltf"} {
		t.Run(name, func(t *testing.T) {
			s := sharedMesh(t, name)
			for at, camera := range cameras(t, s, 320.0/200) {
				f := computeFrame(t, s, renderer.Shaded, 320, 200)
				culledFused(t, b, f, camera, culled(t, b, cpu, f, camera, at), at)
				// Where surfaces intersect, the hardware's rounding of depths decides.
				f.CullFaces, f.Raster = renderer.NoFaces, deviceRasters[(i+len(at))%2]
				culling := f
				culling.Cull = true
				got, _ := render(t, b, culling, camera, wantCulled(f))
				samePictureUnculled(t, b, f, camera, got, at)
			}
		})
	}
}
