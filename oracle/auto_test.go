package oracle

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// TestAutoAsNamed: the strategies that auto chooses for a CPU (no multiprocessors) and for a large GPU have the counts of
// the reference, and draw the same pictures as when the user names them.
func TestAutoAsNamed(t *testing.T) {
	b := openGPU(t)
	auto := resolve(t, reuse.Auto, 0, 0)
	picked := map[string]bool{}
	for at, name := range []string{"sphere3", "soup", "city2"} {
		s := asset(t, name)
		counted := must.Get(measure.Strategy(auto, renderer.Frame{}).Count(b, s))
		require.Equal(t, reuse.Auto, counted.Name)
		require.NotEmpty(t, counted.Reason)
		auto := auto
		if name == "city2" {
			auto = resolve(t, reuse.AutoStreaming, 0, 0)
		}
		for i, multiprocessors := range []int{0, 132} {
			for k, load := range []int{0, 4096} {
				if testing.Short() && i != (k+at)%2 { // every scene and every value, not every combination
					continue
				}
				l := b.Limits()
				l.Multiprocessors = multiprocessors
				f := renderer.Frame{Scene: s, Reuse: auto, Raster: renderer.AutoRaster, Load: load, View: renderer.Counts, Width: 96, Height: 64}
				what := fmt.Sprint(name, multiprocessors, load)
				p, err := plan.New(f, l)
				require.NoError(t, err, what)
				require.Contains(t, p.Choice.String(), p.Frame.Reuse.Strategy.Name, what)
				require.Contains(t, p.Choice.String(), p.Frame.Raster.String(), what)
				picked[p.Frame.Reuse.Strategy.Name+"/"+p.Frame.Raster.String()] = true
				camera := renderer.FitCamera(s.Bounds(), 1.5)
				out, p, err := plan.Exec(b, p, camera, renderer.WantCounts|renderer.WantColor)
				require.NoError(t, err, what)
				_, counts := must.Get2(reuse.Analyze(s, p.Frame.Reuse))
				require.Equal(t, counts, out.Counts, what)
				f = p.Frame
				f.Reuse.FitBatch = false // the device's own multiprocessors may select other batches
				named, _ := render(t, b, f, camera, renderer.WantColor, what)
				require.Equal(t, named.Color.Pix, out.Color.Pix, what)
			}
		}
	}
	require.Greater(t, len(picked), 2, "%v", picked)
}
