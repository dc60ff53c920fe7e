package oracle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

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
