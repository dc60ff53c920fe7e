package oracle

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// meshDevice returns a backend with mesh shaders, or skips the test.
func meshDevice(t *testing.T) *gpu.Backend {
	b := openGPU(t)
	if !b.GPU().Info.Features.MeshShader {
		t.Skipf("%s has no VK_EXT_mesh_shader: make test-mesa25 has a driver with it", b.Info().Driver)
	}
	return b
}

// meshDepth is the largest allowed difference of depths of one triangle. Mesa's CPU driver starts at
// another corner when it interpolates the depth of a mesh shader's triangle.
const meshDepth = 1e-5

// requireMeshColors compares colours. In the varying and normals views they may differ by one: floats are interpolated, and
// a value near a half lies between two colours.
func requireMeshColors(t testing.TB, f *renderer.Frame, want, got *renderer.Output, what string) {
	t.Helper()
	most := 0
	for i, c := range got.Color.Pix {
		most = max(most, int(c)-int(want.Color.Pix[i]), int(want.Color.Pix[i])-int(c))
	}
	require.LessOrEqual(t, most, map[bool]int{true: 1}[f.View.Interpolates()], what)
}

// meshAsHardware draws a frame with a mesh shader and with the graphics pipeline from queues. Colours are equal as
// requireMeshColors says, depths up to meshDepth. Counts equal the reference's or, with culling, the other frame's, and so
// do the numbers of culled triangles. It returns the mesh shader's plan.
func meshAsHardware(t testing.TB, b plan.Backend, f renderer.Frame, c renderer.Camera, what string) *plan.Plan {
	t.Helper()
	f.Raster = renderer.MeshRaster
	want := renderer.WantColor | renderer.WantDepth | renderer.WantCounts
	got, p := render(t, b, f, c, want, what)
	f.Raster, f.Reuse, f.Slice = renderer.HardwareRaster, p.Frame.Reuse, 0
	hardware, _ := render(t, b, f, c, want, what)
	drawn := 0
	for i, z := range got.Depth {
		if math.Abs(float64(z-hardware.Depth[i])) > meshDepth {
			require.Fail(t, "depths differ", "%s: pixel %d: %g and %g", what, i, z, hardware.Depth[i])
		}
		if z < 1 {
			drawn++
		}
	}
	requireMeshColors(t, &f, hardware, got, what)
	require.Equal(t, hardware.Seen, got.Seen, what)
	require.NotZero(t, drawn, what)
	counts := hardware.Counts
	if !f.Cull {
		_, counts = must.Get2(reuse.Analyze(f.Scene, p.Frame.Reuse))
	}
	require.Equal(t, counts, got.Counts, what)
	require.Equal(t, hardware.Culling, got.Culling, what)
	return p
}

// TestMeshRows: in the last row of a draw, workgroups beyond the last batch output nothing.
func TestMeshRows(t *testing.T) {
	b := limited{meshDevice(t), func(l *renderer.Limits) { l.Mesh.MaxGroups = 5 }}
	for _, strategy := range []string{"naive", "warp", "claim", "meshlet"} {
		f := meshFrame(t, strategy, asset(t, "knot24"))
		p := meshAsHardware(t, b, f, renderer.FitCamera(f.Scene.Bounds(), 96.0/160), strategy)
		idle := 0
		for i := range p.Passes {
			if op, ok := p.Passes[i].Op.(*plan.Mesh); ok {
				idle += int(op.Groups[0]*op.Groups[1]) - int(op.Push.BatchCount)
			}
		}
		require.Positive(t, idle, strategy)
	}
}

// meshModes returns all ways to run the strategies with a mesh shader, with the largest batches that it can output.
func meshModes(t testing.TB, l renderer.Limits) (list []renderer.Frame) {
	for _, s := range reuse.Strategies {
		for _, c := range s.Variants() {
			c.FitBatch = true
			f := renderer.Frame{Reuse: c, Raster: renderer.MeshRaster, Width: 8, Height: 8}
			if plan.Fits(f, l) != nil {
				continue
			}
			f.Subgroups = renderer.VirtualSubgroups
			list = append(list, f)
			if f.Subgroups = renderer.NativeSubgroups; slices.Contains(l.Mesh.NativeLanes, c.Lanes) {
				list = append(list, f)
			}
		}
	}
	return list
}

// TestMeshAgainstHardware covers all pairs of a strategy with a mesh shader and its lane count, camera, view,
// mesh, order, portrait or landscape, and culling. With -short it takes two lane counts.
func TestMeshAgainstHardware(t *testing.T) {
	b := meshDevice(t)
	strategies := map[string]bool{}
	type look struct {
		frame              renderer.Frame
		name, at           string
		shuffled, portrait bool
		cull               renderer.FaceCulling // FacesOfFile: no culling
		view               renderer.View
	}
	var looks []look
	names, places := []string{"knot24", "terrain48", "city6"}, []string{"fit", "inside", "ortho"}
	for _, f := range meshModes(t, b.Limits()) {
		strategies[f.Reuse.Strategy.Name] = true
		if lanes := f.Reuse.Lanes; testing.Short() && lanes != 8 && lanes != 32 && lanes != 0 {
			continue
		}
		for _, k := range product(len(names), len(places), 2, 2, len(renderer.FaceCullingNames), len(renderer.ViewNames)) {
			looks = append(looks, look{f, names[k[0]], places[k[1]], k[2] > 0, k[3] > 0, renderer.FaceCulling(k[4]), renderer.View(k[5])})
		}
	}
	require.Equal(t, map[string]bool{"naive": true, "warp": true, "claim": true, "meshlet": true}, strategies)
	for _, l := range pairwise(looks, func(l look) []any {
		return []any{fmt.Sprint(l.frame.Reuse, l.frame.Subgroups), l.name, l.at, l.shuffled, l.portrait, l.cull, l.view}
	}) {
		f := l.frame
		f.Scene, f.View, f.Width, f.Height = asset(t, l.name), l.view, 131, 77
		f.Cull, f.CullFaces = l.cull != renderer.FacesOfFile, l.cull
		if l.portrait {
			f.Width, f.Height = 80, 128
		}
		if l.shuffled {
			f.Scene = shuffled(f.Scene)
		}
		camera := cameras(t, f.Scene, float32(f.Width)/float32(f.Height))[l.at]
		meshAsHardware(t, b, f, camera, fmt.Sprint(f.Reuse, f.Subgroups, l.name, l.at, l.view, l.shuffled, l.cull))
	}
}

// meshFrame is a frame of a strategy with 8 lanes, with the largest batch that a mesh shader can output.
func meshFrame(t testing.TB, strategy string, s *geometry.Scene) renderer.Frame {
	f := pictureFrame(t, s, renderer.Shaded)
	f.Reuse, f.Width, f.Height = resolve(t, strategy, 8, 0), 96, 160
	f.Reuse.FitBatch = true
	return f
}

// TestMeshModes: with each of a frame's other options, the frame passes meshAsHardware. About half of the frames cull.
func TestMeshModes(t *testing.T) {
	b := meshDevice(t)
	changes := map[string]func(f *renderer.Frame){
		"edges":    func(f *renderer.Frame) { f.Look.Edges = 2 },
		"skin":     func(f *renderer.Frame) { f.VertexShader = renderer.Skin },
		"displace": func(f *renderer.Frame) { f.VertexShader, f.Load = renderer.Displace, 64 },
		"marks": func(f *renderer.Frame) {
			f.Marks = make([]renderer.Mark, len(f.Scene.Draws))
			f.Marks[1], f.Marks[2] = renderer.Hidden, renderer.Dimmed
		},
		"slices": func(f *renderer.Frame) { f.Scene, f.View, f.Slice = asset(t, "sphere4"), renderer.Counts, 1024 },
		"user's": func(f *renderer.Frame) { *f = customLike(t, *f) },
		"user's, shown": func(f *renderer.Frame) {
			*f = customLike(t, *f)
			f.View, f.Shading.Shown, f.Shading.Draws[3].Program = renderer.Varying, "color", -1
		},
		"user's, displace, edges": func(f *renderer.Frame) {
			f.VertexShader, f.Look.Edges = renderer.Displace, 1
			*f = customLike(t, *f)
		},
		"subdivided": func(f *renderer.Frame) { f.Scene, f.View = subdivided(t, "knot8", 2), renderer.Counts },
	}
	strategies := []string{"claim", "warp", "meshlet", "naive"}
	for i, what := range slices.Sorted(maps.Keys(changes)) {
		for k, strategy := range strategies {
			if testing.Short() && k != i%len(strategies) {
				continue
			}
			f := meshFrame(t, strategy, asset(t, "city6"))
			f.Cull = (i+k/2)%2 > 0
			changes[what](&f)
			p := meshAsHardware(t, b, f, renderer.FitCamera(f.Scene.Bounds(), 96.0/160), strategy+", "+what)
			require.Len(t, p.Chunks, 1)
			require.False(t, f.Slice > 0 && len(p.Passes) < 8, "slices: %s", p)
		}
	}
}

// TestMeshWindows: windows change neither counts nor picture, in the counts view with culling and in the
// batches view without.
func TestMeshWindows(t *testing.T) {
	b := meshDevice(t)
	f := meshFrame(t, "claim", asset(t, "terrain120"))
	f.Raster, f.QueueBudget = renderer.MeshRaster, 128<<10
	camera := renderer.FitCamera(f.Scene.Bounds(), 96.0/160)
	for _, f.View = range []renderer.View{renderer.Counts, renderer.Batches} {
		f.Cull = f.View == renderer.Counts
		whole, _ := render(t, b, f, camera, renderer.WantColor|renderer.WantDepth|renderer.WantCounts, f.View)
		in := f
		_, in.DeviceBudget = windowBudgets(t, b, f)
		out, p := render(t, b, in, camera, renderer.WantColor|renderer.WantDepth|renderer.WantCounts, f.View)
		require.Greater(t, len(p.Windows), 2, f.View)
		require.Equal(t, whole.Counts, out.Counts, f.View)
		require.Equal(t, whole.Culling, out.Culling, f.View)
		require.Equal(t, whole.Color.Pix, out.Color.Pix, f.View)
		require.Equal(t, whole.Depth, out.Depth, f.View)
	}
}

// TestMeshWithoutRasterizer: a frame without a picture runs the same shader and discards its
// triangles; its counts do not change.
func TestMeshWithoutRasterizer(t *testing.T) {
	b := meshDevice(t)
	for _, f := range meshModes(t, b.Limits()) {
		if testing.Short() && f.Reuse.Lanes > 16 {
			continue
		}
		f.Scene, f.NoRaster, f.View = shuffled(asset(t, "knot24")), true, renderer.NoView
		out, p := render(t, b, f, renderer.FitCamera(f.Scene.Bounds(), 1), renderer.WantCounts|renderer.WantColor, f.Reuse)
		require.IsType(t, &plan.Mesh{}, p.Passes[len(p.Passes)-1].Op)
		_, counts := must.Get2(reuse.Analyze(f.Scene, p.Frame.Reuse))
		require.Equal(t, counts, out.Counts, f.Reuse)
		require.Nil(t, out.Color)
	}
}
