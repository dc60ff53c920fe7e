package oracle

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

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
	s, err := asset(t, "sphere5").Copies(9)
	require.NoError(t, err)
	s.Draws[4].IndexCount -= 300
	camera := renderer.FitCamera(s.Bounds(), 1)
	camera.Zoom(6, s.Bounds())
	for _, host := range []renderer.RasterHost{renderer.HardwareRaster, renderer.ComputeRaster, renderer.FusedRaster} {
		f := pictureFrame(t, s, renderer.Counts)
		f.Raster = host
		want, _ := render(t, b, f, camera, renderer.WantColor|renderer.WantCounts)
		got, p, err := measure.RenderByShape(b, f, camera, renderer.WantColor)
		require.NoError(t, err)
		require.Less(t, len(p.Frame.Scene.Draws), len(s.Draws))
		require.True(t, bytes.Equal(want.Color.Pix, got.Color.Pix), host)
		require.Equal(t, want.Stats, got.Stats)
		if host != renderer.HardwareRaster {
			continue
		}
		whole := p.Frame
		whole.QueueBudget = 128 << 10
		for _, p := range windowed(t, b, whole) {
			got, err := b.Exec(p, camera, renderer.WantColor)
			require.NoError(t, err)
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
