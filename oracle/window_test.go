package oracle

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// windowBudgets returns device budgets that force a frame into windows: once with the scene's pools on the device, once
// with pools per window. A budget is 0 if none was found.
func windowBudgets(t testing.TB, b plan.Backend, f renderer.Frame) (resident, gathered int64) {
	p := planned(t, b, f)
	for budget := p.DeviceBytes(); gathered == 0 || resident == 0; budget -= max(1<<15, budget>>10) {
		f.DeviceBudget = budget
		p, err := plan.New(f, b.Limits())
		if err != nil { // a scene of at most two windows is not split into windows
			return resident, gathered
		}
		require.LessOrEqual(t, p.DeviceBytes(), budget)
		switch {
		case len(p.Windows) < 3:
		case p.Gathered:
			gathered = budget
		default:
			resident = budget
		}
		if gathered != 0 && resident == 0 {
			break // the pools are too small to stay for long
		}
	}
	return resident, gathered
}

// TestWindowsChangeNothing: windows change neither counts nor culling nor the picture, on both backends and with the raster
// hosts hardware, compute, soft and fused.
func TestWindowsChangeNothing(t *testing.T) {
	b, cpu := backends(t)
	const want = renderer.WantColor | renderer.WantDepth | renderer.WantCounts
	residents, gathers := 0, 0
	for i, name := range []string{"terrain80", "sphere3", "knot48"} {
		s := asset(t, name)
		copy(s.Indices[len(s.Indices)/48*45:], s.Indices) // so that the first windows show counts of the last
		if name == "sphere3" {
			for range 80 { // so that windows hold much more than the pools do
				d := s.Draws[0]
				d.Transform = s.Draws[len(s.Draws)-1].Transform.Mul4(mgl32.Translate3D(0.5, 0.25, 0))
				d.OneSided = len(s.Draws)%2 == 0
				s.Draws = append(s.Draws, d)
			}
		}
		for k, strategy := range [][]string{{"hash", "warp"}, {"claim", "phash"}, {"naive", "sort"}}[i] {
			if testing.Short() && k > 0 {
				continue
			}
			f := pictureFrame(t, s, renderer.View((i+k)%3))
			c := resolve(t, strategy, 0, 0)
			if slices.Contains(c.Strategy.Batchings, reuse.DynamicBatching) && i != 1 {
				c = must.Get(reuse.Params{Batching: "dynamic"}.Resolve(strategy))
			}
			f.Reuse, f.QueueBudget = c, 64<<10
			f.Queue = renderer.QueueForm((i + k) / 2 % 2)
			f.Raster = []renderer.RasterHost{renderer.HardwareRaster, renderer.ComputeRaster}[(i+k/2)%2]
			f.Cull = f.Queue == renderer.Indexed && k == 0
			camera := renderer.FitCamera(s.Bounds(), 1)
			frames := []renderer.Frame{f, f, f}
			frames[1].Raster, frames[2].Raster = renderer.SoftRaster, renderer.FusedRaster
			frames[2].Queue = renderer.Indexed
			for i, backend := range []plan.Backend{b, cpu, b} {
				g := frames[i]
				resident, gathered := windowBudgets(t, backend, g)
				if resident != 0 {
					residents++
				}
				if gathered != 0 {
					gathers++
				}
				whole, _ := render(t, backend, g, camera, want)
				for _, budget := range []int64{resident, gathered} {
					if budget == 0 {
						continue
					}
					g.DeviceBudget = budget
					what := fmt.Sprintf("%s, %s, %s, %s, budget %d", name, c, backend.Info().Name, g.Raster, budget)
					out, p := render(t, backend, g, camera, want, what)
					require.Greater(t, len(p.Windows), 2, what)
					require.Equal(t, whole.Counts, out.Counts, what)
					require.Equal(t, whole.Culling, out.Culling, what)
					require.Equal(t, whole.Color.Pix, out.Color.Pix, what)
					require.Equal(t, whole.Depth, out.Depth, what)
					// Again with the recorded plan and another camera.
					turned := cameraOf(t, "az=70,el=20", s.Bounds(), 1)
					_, err := backend.Exec(p, turned, want)
					require.NoError(t, err, what)
					again, err := backend.Exec(p, camera, want)
					require.NoError(t, err, what)
					require.Equal(t, out.Counts, again.Counts, what)
					require.Equal(t, out.Color.Pix, again.Color.Pix, what)
				}
			}
		}
	}
	require.NotZero(t, residents)
	require.Greater(t, gathers, residents)
}

// TestWindowsOfShown: Frame.Shown colours a scene in windows like a whole one.
func TestWindowsOfShown(t *testing.T) {
	b := openGPU(t)
	s := asset(t, "terrain160")
	f := pictureFrame(t, s, renderer.Counts)
	f.QueueBudget = 256 << 10
	f.Shown = make([]uint32, s.DrawVertices())
	for i := range f.Shown {
		f.Shown[i] = uint32(i/500) % 7
	}
	camera := renderer.FitCamera(s.Bounds(), 1)
	for _, f.Raster = range []renderer.RasterHost{renderer.ComputeRaster, renderer.FusedRaster} {
		f.DeviceBudget = 0
		_, gathered := windowBudgets(t, b, f)
		whole, _ := render(t, b, f, camera, renderer.WantColor)
		f.DeviceBudget = gathered
		out, p := render(t, b, f, camera, renderer.WantColor|renderer.WantCounts)
		require.True(t, p.Windowed())
		require.Equal(t, whole.Color.Pix, out.Color.Pix)
		require.Equal(t, f.Shown, out.Counts)
		require.NotSame(t, &f.Shown[0], &out.Counts[0], "the output's counts are its own")
	}
}

// TestWindowsOverflow: an overflow in a window's chunk is reported, and the frame planned again.
func TestWindowsOverflow(t *testing.T) {
	b := openGPU(t)
	s := asset(t, "terrain160")
	f := pictureFrame(t, s, renderer.Shaded)
	f.Raster, f.QueueBudget = renderer.ComputeRaster, 256<<10
	_, f.DeviceBudget = windowBudgets(t, b, f)
	f.VertexShare = 0.05
	p := planned(t, b, f)
	require.True(t, p.Windowed())
	camera := renderer.FitCamera(s.Bounds(), 1)
	_, err := b.Exec(p, camera, 0)
	var overflow *renderer.OverflowError
	require.ErrorAs(t, err, &overflow)
	out, p := render(t, b, f, camera, renderer.WantColor)
	require.True(t, p.Windowed())
	f.VertexShare, f.DeviceBudget = 0, 0
	whole, _ := render(t, b, f, camera, renderer.WantColor)
	require.Equal(t, whole.Color.Pix, out.Color.Pix)

	// An overflow of the lists of larger triangles of fused.
	f.Scene = asset(t, "terrain130")
	f.Raster, f.Width, f.Height, f.QueueBudget = renderer.FusedRaster, 384, 384, 8<<10
	camera = cameraOf(t, "zoom=16", s.Bounds(), 1)
	whole, _ = render(t, b, f, camera, renderer.WantColor|renderer.WantVisible)
	_, f.DeviceBudget = windowBudgets(t, b, f)
	first := planned(t, b, f)
	out, p = render(t, b, f, camera, renderer.WantColor|renderer.WantVisible)
	require.True(t, p.Windowed())
	require.Greater(t, len(p.Chunks), len(first.Chunks))
	require.Equal(t, whole.Color.Pix, out.Color.Pix)
	require.Equal(t, whole.Visible, out.Visible)
}

// TestSlicesChangeNothing: Frame.Slice changes neither counts nor pictures, on both backends, each with two rasterizers.
func TestSlicesChangeNothing(t *testing.T) {
	gpu := openGPU(t)
	cpu := soft.New()
	defer cpu.Close()
	s := asset(t, "sphere4") // 5,120 triangles
	camera := renderer.FitCamera(s.Bounds(), 1)
	want := renderer.WantColor | renderer.WantDepth | renderer.WantCounts
	names, backends := []string{"multi", "warp", "claim", "hash"}, []plan.Backend{gpu, cpu}
	for _, choice := range choices(len(names), len(backends), 2, len(renderer.QueueFormNames)) {
		name, b, queue := names[choice[0]], backends[choice[1]], renderer.QueueForm(choice[3])
		raster := [][]renderer.RasterHost{{renderer.HardwareRaster, renderer.ComputeRaster}, {renderer.HardwareRaster, renderer.SoftRaster}}[choice[1]][choice[2]]
		c := resolve(t, name, 8, 0)
		f := renderer.Frame{Scene: s, Reuse: c, Queue: queue, View: renderer.Counts, Raster: raster, Width: 96, Height: 96}
		what := fmt.Sprint(name, ", ", b.Info().Name, ", ", raster, ", ", queue)
		whole, p := render(t, b, f, camera, want, what)
		f.Slice = 1024
		sliced, cut := render(t, b, f, camera, want, what)
		if name != "multi" || raster == renderer.HardwareRaster {
			require.Greater(t, len(cut.Passes), len(p.Passes), what)
		}
		require.Equal(t, whole.Counts, sliced.Counts, what)
		require.True(t, bytes.Equal(whole.Color.Pix, sliced.Color.Pix), what)
		require.Equal(t, whole.Depth, sliced.Depth, what)
	}
}
