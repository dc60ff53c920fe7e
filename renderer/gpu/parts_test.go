package gpu

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// TestLongPlansAreCut: a plan of many triangles is submitted in parts that give the same result
// as the whole, timed or not, and reports its progress.
func TestLongPlansAreCut(t *testing.T) {
	for _, raster := range []renderer.RasterHost{renderer.HardwareRaster, renderer.ComputeRaster} {
		b := newBackend(t)
		f := sliceFrame(t, raster)
		camera := renderer.FitCamera(f.Scene.Bounds(), 1)
		want := renderer.WantColor | renderer.WantDepth | renderer.WantCounts
		reference, p := render(t, b, f, camera, want)
		require.Len(t, b.recordings[0].parts, 1)
		b.partTriangles = f.Scene.Triangles() / 3
		for _, whole := range []bool{false, true} {
			f.TimeWhole = whole
			var told []float64
			b.Set(plan.Options{Progress: func(done float64) { told = append(told, done) }})
			out, _ := render(t, b, f, camera, want)
			require.Equal(t, reference.Counts, out.Counts)
			require.Equal(t, reference.Color.Pix, out.Color.Pix)
			require.Equal(t, reference.Depth, out.Depth)
			require.Greater(t, len(b.recordings[0].parts), 2)
			require.Less(t, len(b.recordings[0].parts), len(p.Chunks))
			require.Len(t, told, len(b.recordings[0].parts))
			require.True(t, slices.IsSorted(told))
			require.Equal(t, 1., told[len(told)-1])
			require.Positive(t, out.Elapsed)
		}
	}
}
