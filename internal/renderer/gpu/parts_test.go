package gpu

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
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
			b.Set(plan.Options{Progress: func(done float64) error { told = append(told, done); return nil }})
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
			passes := time.Duration(len(out.Timings)) // 1 ns for the rounding of each
			for _, one := range out.Timings {
				passes -= one.Duration
			}
			require.GreaterOrEqual(t, out.Elapsed+passes, time.Duration(0), "the frame takes as long as its passes at least")
		}
	}
}

// TestCancelledPlansRunAgain: a plan that is cancelled after some of its parts gives the same result
// when it runs again, whether or not results of run-once passes are kept.
func TestCancelledPlansRunAgain(t *testing.T) {
	enough := errors.New("enough")
	for name, change := range map[string]func(*renderer.Frame){
		"hardware": func(*renderer.Frame) {},
		"compute":  func(f *renderer.Frame) { f.Raster = renderer.ComputeRaster },
		"fused":    func(f *renderer.Frame) { f.Raster = renderer.FusedRaster },
	} {
		b := newBackend(t)
		f := sliceFrame(t, renderer.HardwareRaster)
		change(&f)
		camera := renderer.FitCamera(f.Scene.Bounds(), 1)
		want := renderer.WantColor | renderer.WantCounts
		reference, p := render(t, b, f, camera, want)
		for _, keep := range []bool{false, true} {
			for after, of := 1, 2; after < of; after += 1 + of/4 {
				parts := 0
				b.Reset()
				b.Set(plan.Options{Stepwise: true, KeepOnce: keep, Progress: func(done float64) error {
					if parts++; parts == after {
						of = int(math.Round(float64(after) / done))
						return enough
					}
					return nil
				}})
				_, err := b.Exec(p, camera, want)
				require.ErrorIs(t, err, enough, name)
				require.Equal(t, after, parts, "%s: no part runs after that", name)
				require.False(t, slices.ContainsFunc(b.recordings, (*recording).unfinished), "%s: the times of some of the passes that run once would pass for those of all", name)
				out, err := b.Exec(p, camera, want)
				require.NoError(t, err, name)
				require.Equal(t, reference.Counts, out.Counts, name)
				require.Equal(t, reference.Color.Pix, out.Color.Pix, name)
				require.Equal(t, reference.Stats, out.Stats, name)
			}
		}
	}
}
