package oracle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/renderer"
)

// rawCameras show a scene whole, from the inside, and a few pixels large.
var rawCameras = []string{"", "zoom=4", "az=77,el=-15,zoom=6,fov=100", "az=200,zoom=0.1"}

// TestRawAgainstSoft compares the picture of the graphics pipeline alone with soft's, and with the hardware
// rasterizer's from the queues. The queues hold bit-equal vertices, so these two pictures must be equal.
func TestRawAgainstSoft(t *testing.T) {
	b, cpu := backends(t)
	const want = renderer.WantColor | renderer.WantDepth
	for _, name := range smallAssets {
		s := asset(t, name)
		for _, text := range rawCameras {
			camera := cameraOf(t, text, s.Bounds(), 1)
			f := pictureFrame(t, s, renderer.Shaded)
			queued, _ := render(t, b, f, camera, want)
			f.Raster = renderer.SoftRaster
			reference, _ := render(t, cpu, f, camera, want)
			p := planned(t, b, renderer.Frame{Raw: true, Scene: s, View: renderer.Shaded, Width: f.Width, Height: f.Height})
			raw, err := b.Exec(p, camera, want)
			require.NoError(t, err)

			r := compared(t, reference, raw)
			require.NoError(t, r.Check(hardwareShare(b)), "%s, %q: %v", name, text, r)
			require.NotZero(t, r.Drawn, "%s, %q", name, text)
			require.Equal(t, queued.Depth, raw.Depth, "%s, %q", name, text)
			require.Equal(t, queued.Color.Pix, raw.Color.Pix, "%s, %q", name, text)
		}
	}
}

// TestRawCounts colours the graphics pipeline's picture by Frame.Shown: it equals the counts view of a strategy with these
// counts.
func TestRawCounts(t *testing.T) {
	b := openGPU(t)
	for _, name := range []string{"knot24", "soup", "city6"} {
		s := asset(t, name)
		counted := renderPicture(t, b, pictureFrame(t, s, renderer.Counts))
		f := pictureFrame(t, s, renderer.Counts)
		_, p := render(t, b, f, renderer.FitCamera(s.Bounds(), 1), 0)
		out, err := b.Exec(p, renderer.FitCamera(s.Bounds(), 1), renderer.WantCounts)
		require.NoError(t, err)
		raw := planned(t, b, renderer.Frame{Raw: true, Scene: s, View: renderer.Counts, Shown: out.Counts, Width: f.Width, Height: f.Height})
		for range 2 {
			got, err := b.Exec(raw, renderer.FitCamera(s.Bounds(), 1), renderer.WantColor)
			require.NoError(t, err)
			require.Equal(t, counted.Color.Pix, got.Color.Pix, name)
		}
	}
}
