package oracle

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

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
