package oracle

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

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
	out, err := b.Exec(p, camera, want)
	require.NoError(t, err)
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
