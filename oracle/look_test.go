package oracle

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// hosts draws a frame with soft, hardware, compute and fused, then, except in the batches view, by the graphics pipeline
// alone (raw).
func hosts(t *testing.T, f renderer.Frame, camera renderer.Camera, want renderer.Want, each func(host string, out *renderer.Output)) {
	b, cpu := backends(t)
	for _, host := range []renderer.RasterHost{renderer.SoftRaster, renderer.HardwareRaster, renderer.ComputeRaster, renderer.FusedRaster} {
		var on plan.Backend = b
		if host == renderer.SoftRaster {
			on = cpu
		}
		f.Raster = host
		out, _ := render(t, on, f, camera, want, host)
		each(host.String(), out)
	}
	raw := renderer.Frame{Raw: true, Scene: f.Scene, View: f.View, Palette: f.Palette, Look: f.Look, Marks: f.Marks, Width: f.Width, Height: f.Height}
	if f.View == renderer.Counts {
		f.Raster = renderer.SoftRaster
		counted, _ := render(t, cpu, f, camera, renderer.WantCounts)
		raw.Shown = counted.Counts
	}
	if f.View == renderer.Batches {
		return
	}
	p := planned(t, b, raw)
	out := must.Get(b.Exec(p, camera, want))
	each("raw", out)
}

// The counts view shows only colours of counts that some vertex has: it never mixes colours.
func TestCountsViewIsTrue(t *testing.T) {
	for _, c := range []struct{ name, strategy string }{{"knot24", ""}, {"knot24", "naive"}, {"sphere4", ""}, {"city6", ""}} {
		name, f := c.name, pictureFrame(t, asset(t, c.name), renderer.Counts)
		if c.strategy != "" { // without reuse the knot has no vertex that is shaded fewer than six times
			f.Reuse = resolve(t, c.strategy, 0, 0)
		}
		hosts(t, f, cameras(t, f.Scene, 1)["fit"], renderer.WantColor, func(host string, out *renderer.Output) {
			require.Equal(t, f.Width*f.Height, out.Seen.Pixels)
			require.NotZero(t, out.Seen.Drawn())
			for i, n := range out.Seen.Times {
				require.True(t, n == 0 || have(t, f)[i], "%s, %s: %d pixels show %d, which no vertex has", name, host, n, i+1)
			}
		})
	}
}

// have returns, for each step of the palette, whether some vertex has its count.
func have(t *testing.T, f renderer.Frame) (steps [6]bool) {
	cpu := soft.New()
	defer cpu.Close()
	f.Raster = renderer.SoftRaster
	out, _ := render(t, cpu, f, renderer.FitCamera(f.Scene.Bounds(), 1), renderer.WantCounts)
	for times, n := range out.Stats.Histogram {
		if times > 0 && n > 0 {
			steps[min(times, 6)-1] = true
		}
	}
	return steps
}

// lineShare is the share of pixels in which hardware and soft must agree if lines are drawn: a
// device interpolates weights less exactly than it computes coverage.
const lineShare = 0.99

// TestLooks: the hosts draw every look like soft. Seen whole, compute and fused also show as many pixels of each step of
// the palette. With -short each look has one scene.
func TestLooks(t *testing.T) {
	looks := []renderer.Look{
		{Light: renderer.NoLight},
		{Light: renderer.FullLight, Smooth: true},
		{Edges: renderer.EdgeWidth},
		{Edges: 3, Light: renderer.NoLight, Background: picture.Heat[0]},
	}
	scenes, places := assetList(t, "knot24", "city6", "cube"), []string{"fit", "inside"}
	for _, choice := range product(len(looks), len(scenes), len(places)) {
		l, s, at := looks[choice[0]], scenes[choice[1]], places[choice[2]]
		if testing.Short() && choice[1] != []int{0, 2, 0, 1}[choice[0]] {
			continue // each view of a look needs its own pipelines
		}
		f := pictureFrame(t, s, renderer.View((choice[0]+choice[1])%3))
		f.Look = l
		var want *renderer.Output
		hosts(t, f, cameras(t, s, 1)[at], renderer.WantColor|renderer.WantDepth, func(host string, out *renderer.Output) {
			if want == nil {
				want = out
				return
			}
			what := fmt.Sprint(host, s.Name, at, f.View, l)
			if host == "compute" || host == "fused" {
				samePixels(t, want, out, what)
				require.Equal(t, want.Seen, out.Seen, what)
				return
			}
			least := hardwareShare(openGPU(t))
			if l.Edges > 0 {
				least = lineShare
			}
			r := compared(t, want, out)
			require.GreaterOrEqual(t, r.Equal(), least, "%s: %v", what, r)
		})
	}
}

// Hidden draws are invisible and dimmed draws dim, equally on every raster host. No mark changes a count.
func TestMarks(t *testing.T) {
	cpu := soft.New()
	defer cpu.Close()
	s := asset(t, "city6")
	for _, view := range []renderer.View{renderer.Counts, renderer.Shaded} {
		f := pictureFrame(t, s, view)
		camera := renderer.FitCamera(s.Bounds(), 1)
		plain := f
		plain.Raster = renderer.SoftRaster
		whole, _ := render(t, cpu, plain, camera, wantRaster|renderer.WantCounts)

		f.Marks = make([]renderer.Mark, len(s.Draws))
		for i := range f.Marks {
			f.Marks[i] = renderer.Mark(i % 3)
		}
		marked := f
		marked.Raster = renderer.SoftRaster
		want, _ := render(t, cpu, marked, camera, wantRaster|renderer.WantCounts)
		require.Equal(t, whole.Counts, want.Counts)
		dimmed := 0
		for i, triangle := range want.Visible {
			if triangle == 0 {
				continue
			}
			switch f.Marks[drawOf(s, triangle-1)] {
			case renderer.Hidden:
				require.Fail(t, "a hidden draw is seen")
			case renderer.Dimmed:
				if triangle == whole.Visible[i] {
					dimmed++
					require.NotEqual(t, whole.Color.Pix[4*i:4*i+3], want.Color.Pix[4*i:4*i+3])
				}
			default:
				if triangle == whole.Visible[i] {
					require.Equal(t, whole.Color.Pix[4*i:4*i+3], want.Color.Pix[4*i:4*i+3])
				}
			}
		}
		require.NotZero(t, dimmed)
		hosts(t, f, camera, renderer.WantColor|renderer.WantDepth, func(host string, out *renderer.Output) {
			if host == renderer.SoftRaster.String() {
				return
			}
			if host == "compute" || host == "fused" {
				samePixels(t, want, out, host)
				return
			}
			r := compared(t, want, out)
			require.GreaterOrEqual(t, r.Equal(), hardwareShare(openGPU(t)), "%s, %s: %v", view, host, r)
		})
	}
}

// drawOf returns the draw that has a triangle of the stream.
func drawOf(s *geometry.Scene, triangle uint32) int {
	for i := range s.Draws {
		n := s.Draws[i].IndexCount / 3
		if triangle < n {
			return i
		}
		triangle -= n
	}
	return -1
}

// TestShownCounts shows naive's counts on frames drawn with warp in chunks, and with multi: the pictures
// equal naive's own, and do not change when drawn again.
func TestShownCounts(t *testing.T) {
	cpu := soft.New()
	defer cpu.Close()
	for _, b := range []plan.Backend{cpu, openGPU(t)} {
		for _, name := range []string{"knot24", "soup"} {
			s := asset(t, name)
			naive := resolve(t, "naive", 0, 0)
			_, counts := must.Get2(reuse.Analyze(s, naive))
			f := pictureFrame(t, s, renderer.Counts)
			own := renderPicture(t, b, f)
			f.Reuse = naive
			want := renderPicture(t, b, f)
			require.False(t, bytes.Equal(want.Color.Pix, own.Color.Pix), "warp's picture is another")
			for _, strategy := range []string{"warp", "multi"} {
				f := pictureFrame(t, s, renderer.Counts)
				f.Reuse = resolve(t, strategy, 0, 0)
				f.Shown, f.QueueBudget = counts, 64<<10
				for round := range 2 {
					got := renderPicture(t, b, f)
					require.True(t, bytes.Equal(want.Color.Pix, got.Color.Pix), "%s: %s, %s, round %d", b.Info().Name, name, strategy, round)
				}
			}
		}
	}
}

// TestShownByShape: instances that share counts look the same as with counts of their own, whole and in
// windows. Only some of the instances are in view.
func TestShownByShape(t *testing.T) {
	b := openGPU(t)
	s := must.Get(asset(t, "sphere5").Copies(9))
	s.Draws[4].IndexCount -= 300
	camera := renderer.FitCamera(s.Bounds(), 1)
	camera.Zoom(6, s.Bounds())
	for _, host := range []renderer.RasterHost{renderer.HardwareRaster, renderer.ComputeRaster, renderer.FusedRaster} {
		f := pictureFrame(t, s, renderer.Counts)
		f.Raster = host
		want, _ := render(t, b, f, camera, renderer.WantColor|renderer.WantCounts)
		got, p := must.Get2(measure.RenderByShape(b, f, camera, renderer.WantColor))
		require.Less(t, len(p.Frame.Scene.Draws), len(s.Draws))
		require.True(t, bytes.Equal(want.Color.Pix, got.Color.Pix), host)
		require.Equal(t, want.Stats, got.Stats)
		if host != renderer.HardwareRaster {
			continue
		}
		whole := p.Frame
		whole.QueueBudget = 128 << 10
		for _, p := range windowed(t, b, whole) {
			got := must.Get(b.Exec(p, camera, renderer.WantColor))
			require.True(t, bytes.Equal(want.Color.Pix, got.Color.Pix), "%d windows", len(p.Windows))
		}
	}
}

// windowed returns plans of a frame in windows, one for each budget that windowBudgets finds.
func windowed(t *testing.T, b plan.Backend, f renderer.Frame) (plans []*plan.Plan) {
	resident, gathered := windowBudgets(t, b, f)
	for _, budget := range []int64{resident, gathered} {
		if f.DeviceBudget = budget; budget > 0 {
			p := planned(t, b, f)
			plans = append(plans, p)
		}
	}
	require.NotEmpty(t, plans)
	return plans
}
