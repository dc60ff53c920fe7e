package gpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// TestReshow: if the counts to show change, a kept plan draws the new ones as if it were planned
// with them, whatever its chunks, windows and culling.
func TestReshow(t *testing.T) {
	b := newBackend(t)
	s := memoryScene(t, "terrain100")
	camera := renderer.FitCamera(s.Bounds(), 1.5)
	config := resolve(t, "warp", 8, 0)
	plain := renderer.Frame{Scene: s, Reuse: config, Raster: renderer.ComputeRaster, Palette: picture.DifferencePalette, Width: 96, Height: 64}
	for name, change := range map[string]func(*renderer.Frame){
		"whole":   func(*renderer.Frame) {},
		"culled":  func(f *renderer.Frame) { f.Cull = true },
		"chunks":  func(f *renderer.Frame) { f.QueueBudget = 64 << 10 },
		"both":    func(f *renderer.Frame) { f.Cull, f.QueueBudget = true, 128<<10 },
		"windows": func(f *renderer.Frame) { f.DeviceBudget, f.QueueBudget = 33500<<10, 64<<10 },
	} {
		t.Run(name, func(t *testing.T) {
			f := plain
			change(&f)
			fill := func(shift int) []uint32 {
				counts := make([]uint32, s.DrawVertices())
				for i := range counts {
					counts[i] = uint32((i/7+shift)%6 + 1)
				}
				return counts
			}
			f.Shown = fill(2)
			want, p := render(t, b, f, camera, renderer.WantColor)
			require.Equal(t, name == "windows", p.Windowed())
			require.Equal(t, name == "chunks" || name == "both", !p.Windowed() && len(p.Chunks) > 1)

			f.Shown = fill(0)
			first, p := render(t, b, f, camera, renderer.WantColor)
			copy(f.Shown, fill(2))
			if name != "windows" { // windows read Frame.Shown in every Exec
				stale, err := b.Exec(p, camera, renderer.WantColor)
				require.NoError(t, err)
				require.Equal(t, first.Color.Pix, stale.Color.Pix, "not before it is told")
			}
			require.NoError(t, b.Reshow(p))
			got, err := b.Exec(p, camera, renderer.WantColor)
			require.NoError(t, err)
			require.Equal(t, want.Color.Pix, got.Color.Pix)
			require.NotEqual(t, first.Color.Pix, got.Color.Pix)

			// The CPU backend reads Frame.Shown in every Exec.
			f.Raster, f.Shown = renderer.SoftRaster, fill(0)
			cpu := soft.New()
			before, p := render(t, cpu, f, camera, renderer.WantColor)
			copy(f.Shown, fill(2))
			after, err := cpu.Exec(p, camera, renderer.WantColor)
			require.NoError(t, err)
			require.NotEqual(t, before.Color.Pix, after.Color.Pix)
		})
	}
	require.NoError(t, b.Reshow(&plan.Plan{Frame: renderer.Frame{Shown: []uint32{1}}}), "a plan that is not kept")
	require.Empty(t, b.Messages())
}

// TestWindowsCountEveryFrameAnew: windows add their counts on the host. The counts view stays the same when it is
// drawn again, whether or not the counts are read back.
func TestWindowsCountEveryFrameAnew(t *testing.T) {
	b := newBackend(t)
	s := memoryScene(t, "terrain100")
	camera := renderer.FitCamera(s.Bounds(), 1.5)
	f := renderer.Frame{Scene: s, Reuse: resolve(t, "warp", 8, 0), Raster: renderer.ComputeRaster, Width: 96, Height: 64, DeviceBudget: 33500 << 10, QueueBudget: 64 << 10}
	first, p := render(t, b, f, camera, renderer.WantColor|renderer.WantCounts)
	require.True(t, p.Windowed())
	for _, want := range []renderer.Want{renderer.WantColor, renderer.WantColor, renderer.WantColor | renderer.WantCounts} {
		again, err := b.Exec(p, camera, want)
		require.NoError(t, err)
		require.Equal(t, first.Color.Pix, again.Color.Pix)
		if want&renderer.WantCounts != 0 {
			require.Equal(t, first.Counts, again.Counts)
		}
	}
}
