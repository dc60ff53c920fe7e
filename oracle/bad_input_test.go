package oracle

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// withEmptyDraws adds draws without triangles before, between and after the scene's own draws. Every
// second one has vertices.
func withEmptyDraws(s *geometry.Scene, each int) *geometry.Scene {
	out := *s
	out.Draws = nil
	add := func() {
		for i := range each {
			empty := geometry.Draw{Name: "empty", Transform: mgl32.Ident4(), FirstIndex: uint32(len(s.Indices))}
			if i%2 == 1 {
				empty.VertexCount, empty.FirstIndex = 5, 3
			}
			out.Draws = append(out.Draws, empty)
		}
	}
	for _, d := range s.Draws {
		add()
		out.Draws = append(out.Draws, d)
	}
	add()
	return &out
}

// TestEmptyDraws: draws without triangles (first, last, between, many in a row) do not change the picture: whole, in chunks
// or, if the strategy streams, in windows; with -short each strategy has one number in a row. A scene of such draws alone
// is refused.
func TestEmptyDraws(t *testing.T) {
	b := openGPU(t)
	s := asset(t, "city3")
	camera := renderer.FitCamera(s.Bounds(), 1)
	for n, each := range []int{1, 100} {
		e := withEmptyDraws(s, each)
		require.NoError(t, e.Validate(t.Context()))
		for i, strategy := range reuse.Strategies {
			if testing.Short() && i/2%2 != n {
				continue // strategies take turns
			}
			c := resolve(t, strategy.Name, 0, 0)
			f := pictureFrame(t, s, renderer.Shaded)
			f.Reuse, f.Raster, f.Cull = c, deviceRasters[i%2], i%3 == 0
			frames := []renderer.Frame{f, f}
			frames[1].QueueBudget = 64 << 10
			if !strategy.WholeDraws {
				frames = append(frames, frames[1])
				frames[2].Scene = e
				frames[2].DeviceBudget, _ = windowBudgets(t, b, frames[2])
			}
			for k, f := range frames {
				what := fmt.Sprintf("%s, %d empty draws each, frame %d", c, each, k)
				f.Scene = s
				budget := f.DeviceBudget
				f.DeviceBudget = 0
				want, _ := render(t, b, f, camera, renderer.WantColor|renderer.WantDepth|renderer.WantCounts, what)
				f.Scene, f.DeviceBudget = e, budget
				got, p := render(t, b, f, camera, renderer.WantColor|renderer.WantDepth|renderer.WantCounts, what)
				require.Equal(t, budget != 0, p.Windowed(), what)
				require.Equal(t, want.Color.Pix, got.Color.Pix, what)
				require.Equal(t, want.Depth, got.Depth, what)
				if !strategy.WholeDraws { // whole-draw strategies also shade unreferenced vertices
					require.Equal(t, want.Stats.Invocations, got.Stats.Invocations, what)
				}
				require.Equal(t, want.Culling.Survived, got.Culling.Survived, what)
			}
		}
	}
	// A scene with only empty draws is refused.
	alone := *s
	alone.Draws = withEmptyDraws(s, 3).Draws[:3]
	require.EqualError(t, alone.Validate(t.Context()), "no triangles")
	for _, raster := range deviceRasters {
		f := pictureFrame(t, &alone, renderer.Shaded)
		f.Raster = raster
		_, _, err := plan.Render(b, f, camera, 0)
		require.EqualError(t, err, "scene without triangles")
	}
}

// TestManyDrawsInWindows: 100,000 draws in windows give the same picture as in one piece.
func TestManyDrawsInWindows(t *testing.T) {
	b := openGPU(t)
	s := *asset(t, "cube")
	one := s.Draws[0]
	one.IndexCount = 6
	s.Draws = make([]geometry.Draw, 100_000)
	for i := range s.Draws {
		s.Draws[i] = one
		s.Draws[i].FirstIndex = uint32(i % 6 * 6)
		s.Draws[i].Transform = mgl32.Translate3D(float32(i%317)*3, float32(i/317)*3, float32(i%7))
		s.Draws[i].Color = mgl32.Vec4{float32(i%256) / 255, float32(i/256%256) / 255, 0.5, 1}
	}
	require.NoError(t, s.Validate(t.Context()))
	camera := renderer.FitCamera(s.Bounds(), 1)
	f := pictureFrame(t, &s, renderer.Shaded)
	f.Raster, f.QueueBudget = renderer.ComputeRaster, 4<<20
	const want = renderer.WantVisible | renderer.WantColor | renderer.WantCounts
	whole, p := render(t, b, f, camera, want)
	require.False(t, p.Windowed())
	f.DeviceBudget = 48 << 20
	got, p := render(t, b, f, camera, want)
	require.Greater(t, len(p.Windows), 5)
	require.LessOrEqual(t, p.DeviceBytes(), f.DeviceBudget)
	require.True(t, slices.Equal(whole.Visible, got.Visible))
	require.True(t, slices.Equal(whole.Counts, got.Counts))
	require.True(t, slices.Equal(whole.Color.Pix, got.Color.Pix))
}

// badCameras set values of a fitted camera to the limits of the allowed ranges, or beyond.
var badCameras = map[string]func(c *renderer.Camera){
	"within":             func(c *renderer.Camera) { c.Distance, c.Near = 1e-3, 1e-4 },
	"all before near":    func(c *renderer.Camera) { c.Near, c.Far = 1e4, 2e4 },
	"all beyond far":     func(c *renderer.Camera) { c.Near, c.Far = 1e-6, 1e-5 },
	"planes touch":       func(c *renderer.Camera) { c.Far = math.Nextafter32(c.Near, 1e9) },
	"near at nothing":    func(c *renderer.Camera) { c.Near = 1e-38 },
	"far at the end":     func(c *renderer.Camera) { c.Far = 1e36 },
	"needle":             func(c *renderer.Camera) { c.FovY = 1e-6 },
	"fish eye":           func(c *renderer.Camera) { c.FovY = 179.99 },
	"out of sight":       func(c *renderer.Camera) { c.Distance, c.Far = 1e18, 2e18 },
	"at a vertex":        func(c *renderer.Camera) { c.Target, c.Distance, c.Near = mgl32.Vec3{1, 1, 1}, 1e-20, 1e-21 },
	"far is near":        func(c *renderer.Camera) { c.Far = c.Near },
	"no distance":        func(c *renderer.Camera) { c.Distance = 0 },
	"NaN":                func(c *renderer.Camera) { c.Azimuth = float32(math.NaN()) },
	"parallel, no depth": func(c *renderer.Camera) { c.Orthographic, c.Near, c.Far = true, 1, 1 },
	"parallel, tiny":     func(c *renderer.Camera) { c.Orthographic, c.Distance = true, 1e-30 },
	"parallel, huge":     func(c *renderer.Camera) { c.Orthographic, c.Distance, c.Far = true, 1e30, 2e30 },
}

// TestBadCameras: soft, hardware and compute refuse a camera with the same error, or compute and soft show the same
// triangle in every pixel.
func TestBadCameras(t *testing.T) {
	b, cpu := backends(t)
	drawn, refused := 0, []string{}
	for name, change := range badCameras {
		for _, mesh := range []string{"cube", "knot12"} {
			s := asset(t, mesh)
			camera := renderer.FitCamera(s.Bounds(), 1)
			change(&camera)
			for _, cull := range []bool{false, true} {
				what := fmt.Sprintf("%s, %s, culled %v", name, mesh, cull)
				f := pictureFrame(t, s, renderer.Shaded)
				f.Cull = cull
				f.Raster = renderer.SoftRaster
				want, _, refusal := plan.Render(cpu, f, camera, renderer.WantVisible)
				f.Raster = renderer.HardwareRaster
				_, _, err := plan.Render(b, f, camera, renderer.WantColor)
				require.Equal(t, refusal, err, what)
				f.Raster = renderer.ComputeRaster
				got, _, err := plan.Render(b, f, camera, renderer.WantVisible)
				require.Equal(t, refusal, err, what)
				if refusal != nil {
					require.NotContains(t, refusal.Error(), "\n")
					refused = append(refused, name)
					continue
				}
				drawn++
				require.Equal(t, want.Visible, got.Visible, what)
			}
		}
	}
	slices.Sort(refused)
	require.Equal(t, []string{"NaN", "far is near", "no distance", "parallel, no depth"}, slices.Compact(refused))
	require.NotZero(t, drawn)
}
