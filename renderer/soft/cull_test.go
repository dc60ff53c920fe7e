package soft

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// flat returns a frame of 8x8 pixels, and a camera that shows x and y from -1 to 1, so that a pixel is 1/4 unit wide.
func flat(t testing.TB, corners ...mgl32.Vec3) (renderer.Frame, renderer.Camera) {
	s := &geometry.Scene{Name: "flat", Positions: corners}
	for i := range corners {
		s.Indices = append(s.Indices, uint32(i))
	}
	s.Draws = []geometry.Draw{{IndexCount: uint32(len(corners)), VertexCount: uint32(len(corners)), Transform: mgl32.Ident4(), OneSided: true}}
	require.NoError(t, s.MakeNormals(t.Context()))
	f := frameOf(t, s, "naive", 8, renderer.Shaded)
	f.Width, f.Height, f.Cull = 8, 8, true
	return f, renderer.Camera{FovY: 90, Distance: 1, Near: 0, Far: 2, Orthographic: true}
}

// TestCullVerdicts tests one triangle of each kind, made by hand. y points up.
func TestCullVerdicts(t *testing.T) {
	v := func(x, y float32) mgl32.Vec3 { return mgl32.Vec3{x, y, 0} }
	const p = 0.25 // a pixel
	for name, c := range map[string]struct {
		corners [3]mgl32.Vec3
		want    renderer.Culling
	}{
		"counter-clockwise":   {[3]mgl32.Vec3{v(-.5, -.5), v(.5, -.5), v(0, .5)}, renderer.Culling{Survived: 1, Shaded: 3}},
		"clockwise":           {[3]mgl32.Vec3{v(.5, -.5), v(-.5, -.5), v(0, .5)}, renderer.Culling{BackFace: 1}},
		"right of the view":   {[3]mgl32.Vec3{v(1.1, 0), v(2, 0), v(1.5, 1)}, renderer.Culling{Frustum: 1}},
		"behind the far side": {[3]mgl32.Vec3{{0, 0, -1.1}, {.5, 0, -1.1}, {0, .5, -2}}, renderer.Culling{Frustum: 1}},
		"on the far side":     {[3]mgl32.Vec3{{0, 0, -1}, {.5, 0, -1}, {0, .5, -1}}, renderer.Culling{Survived: 1, Shaded: 3}},
		"on the near side":    {[3]mgl32.Vec3{{0, 0, 1}, {.5, 0, 1}, {0, .5, 1}}, renderer.Culling{Survived: 1, Shaded: 3}},
		"across the far side": {[3]mgl32.Vec3{{.5, 0, -.5}, {0, 0, -.5}, {0, .5, -2}}, renderer.Culling{Survived: 1, Shaded: 3}},
		"around a corner":     {[3]mgl32.Vec3{v(1.2, .9), v(1.2, 1.2), v(.9, 1.2)}, renderer.Culling{NoSample: 1}},
		"a line":              {[3]mgl32.Vec3{v(-.5, -.5), v(.5, .5), v(0, 0)}, renderer.Culling{ZeroArea: 1}},
		"less than a step":    {[3]mgl32.Vec3{v(-.5, -.5), v(.5, -.5), v(0, -.5+p/1024)}, renderer.Culling{ZeroArea: 1}},
		"between centres":     {[3]mgl32.Vec3{v(-p*.45, -p*.45), v(p*.45, -p*.45), v(0, p*.45)}, renderer.Culling{NoSample: 1}},
		"about a centre":      {[3]mgl32.Vec3{v(.2*p, .2*p), v(.8*p, .2*p), v(.5*p, .9*p)}, renderer.Culling{Survived: 1, Shaded: 3}},
		"beside the centre":   {[3]mgl32.Vec3{v(.1*p, .1*p), v(.6*p, .1*p), v(.1*p, .6*p)}, renderer.Culling{NoSample: 1}},
		"beyond the guard":    {[3]mgl32.Vec3{v(0, 0), v(1e5, 0), v(0, .5)}, renderer.Culling{Survived: 1, Shaded: 3}},
	} {
		f, camera := flat(t, c.corners[:]...)
		want := c.want
		want.Positioned = 3
		out, _ := must.Get2(plan.Render(New(), f, camera, wantAll))
		require.Equal(t, want, out.Culling, name)
		require.Equal(t, want.Shaded, out.Stats.Invocations, name)
		plain := f
		plain.Cull = false
		whole, _ := must.Get2(plan.Render(New(), plain, camera, wantAll|renderer.WantVisible))
		if want.BackFace == 0 {
			samePicture(t, whole, out, name)
		}
	}
}

// TestCullLeavesRoom: if a device's rasterizer draws, triangles within a grid step of a pixel centre
// survive, since its grid may differ.
func TestCullLeavesRoom(t *testing.T) {
	const p, step = 0.25, 0.25 / 256
	for _, c := range []struct {
		right  float32
		raster renderer.RasterHost
		want   renderer.Culling
	}{
		{p/2 - step, renderer.SoftRaster, renderer.Culling{NoSample: 1, Positioned: 3}},
		{p/2 - step, renderer.HardwareRaster, renderer.Culling{Survived: 1, Positioned: 3, Shaded: 3}},
		{p/2 - 2*step, renderer.HardwareRaster, renderer.Culling{NoSample: 1, Positioned: 3}},
	} {
		f, camera := flat(t, mgl32.Vec3{0, 0, 0}, mgl32.Vec3{c.right, 0, 0}, mgl32.Vec3{0, p, 0})
		f.Raster = c.raster
		out, _ := must.Get2(plan.Render(New(), f, camera, wantAll))
		require.Equal(t, c.want, out.Culling, c)
	}
}

// TestCullMirrors: balls, every second one mirrored, lose their back faces but no pixel, in one chunk
// or several, on one thread or several.
func TestCullMirrors(t *testing.T) {
	s := balls(12)
	for i := range s.Draws {
		s.Draws[i].OneSided = true
		if i%2 == 1 {
			s.Draws[i].Transform = s.Draws[i].Transform.Mul4(mgl32.Scale3D(1, -1, 1))
		}
	}
	for _, strategy := range []string{"warp", "claim", "multi", "hash"} {
		f := frameOf(t, s, strategy, 8, renderer.Shaded)
		want, _ := render(t, New(), f)
		f.Cull = true
		got, _ := render(t, New(), f)
		samePicture(t, want, got, strategy)
		require.NotZero(t, got.Culling.BackFace)
		require.Less(t, got.Stats.Invocations, want.Stats.Invocations*2/3)
		f.CullFaces = renderer.NoFaces
		kept, _ := render(t, New(), f)
		require.Zero(t, kept.Culling.BackFace, "whatever the file says")
		f.CullFaces = renderer.FacesOfFile
		f.QueueBudget = 32 << 10
		again, _ := render(t, withThreads(5), f)
		samePicture(t, want, again, strategy)
		require.Equal(t, got.Culling, again.Culling)
		require.Equal(t, got.Counts, again.Counts)
		f.View = renderer.Counts
		counted, _ := render(t, New(), f)
		require.Equal(t, got.Culling, counted.Culling)
		require.Equal(t, got.Counts, counted.Counts)
		f.QueueBudget = 0
		whole, _ := render(t, New(), f)
		samePicture(t, whole, counted, strategy)
	}
}

// TestCullInWindows: windows change neither culling nor the picture. In the batches view, culling finds a triangle's draw,
// which says whether it is one-sided, by the triangle's batch.
func TestCullInWindows(t *testing.T) {
	s := ball(8, false)
	for i := range 400 {
		s.Draws = append(s.Draws, s.Draws[0])
		s.Draws[i].OneSided = i%3 == 0
	}
	f := frameOf(t, s, "claim", 8, renderer.Batches)
	f.Cull, f.QueueBudget = true, 64<<10
	want, p := render(t, New(), f)
	f.DeviceBudget = p.DeviceBytes()
	for ; !p.Windowed(); f.DeviceBudget -= 16 << 10 {
		p = must.Get(plan.New(f, New().Limits()))
	}
	got, _ := render(t, New(), f)
	require.Equal(t, want.Culling, got.Culling)
	samePicture(t, want, got, "windows")
}
