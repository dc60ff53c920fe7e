package oracle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/picture"
	"github.com/shadeonce/shadeonce/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// rawCameras see a scene whole, from within and as a few pixels.
var rawCameras = []string{"", "zoom=4", "az=77,el=-15,zoom=6,fov=100", "az=200,zoom=0.1"}

// TestRawAgainstSoft compares the picture of the graphics pipeline without compute
// with soft's, and with the hardware rasterizer's from the queues. The latter has the
// same vertices to the bit, so its picture must be equal.
func TestRawAgainstSoft(t *testing.T) {
	b := openGPU(t)
	cpu := soft.New()
	defer cpu.Close()
	const want = renderer.WantColor | renderer.WantDepth
	for _, name := range smallAssets {
		s := asset(t, name)
		for _, text := range rawCameras {
			camera, err := cli.ParseCamera(text, s.Bounds(), 1)
			require.NoError(t, err)
			f := pictureFrame(t, s, renderer.Shaded)
			queued, _, err := plan.Render(b, f, camera, want)
			require.NoError(t, err)
			f.Raster = renderer.SoftRaster
			reference, _, err := plan.Render(cpu, f, camera, want)
			require.NoError(t, err)
			p, err := plan.New(renderer.Frame{Raw: true, Scene: s, View: renderer.Shaded, Width: f.Width, Height: f.Height}, b.Limits())
			require.NoError(t, err)
			raw, err := b.Exec(p, camera, want)
			require.NoError(t, err)

			r, err := picture.Compare(reference.Color, raw.Color, picture.CompareOptions{DepthA: reference.Depth, DepthB: raw.Depth, DepthStep: edgeDepth})
			require.NoError(t, err)
			require.NoError(t, r.Check(hardwareShare(b)), "%s, %q: %v", name, text, r)
			require.NotZero(t, r.Drawn, "%s, %q", name, text)
			require.Equal(t, queued.Depth, raw.Depth, "%s, %q", name, text)
			require.Equal(t, queued.Color.Pix, raw.Color.Pix, "%s, %q", name, text)
		}
	}
}

// TestRawCounts shows counts given in Frame.Shown.
func TestRawCounts(t *testing.T) {
	b := openGPU(t)
	for _, name := range []string{"knot24", "soup", "city6"} {
		s := asset(t, name)
		counted := renderPicture(t, b, pictureFrame(t, s, renderer.Counts))
		f := pictureFrame(t, s, renderer.Counts)
		_, p, err := plan.Render(b, f, renderer.FitCamera(s.Bounds(), 1), 0)
		require.NoError(t, err)
		out, err := b.Exec(p, renderer.FitCamera(s.Bounds(), 1), renderer.WantCounts)
		require.NoError(t, err)
		raw, err := plan.New(renderer.Frame{Raw: true, Scene: s, View: renderer.Counts, Shown: out.Counts, Width: f.Width, Height: f.Height}, b.Limits())
		require.NoError(t, err)
		for range 2 {
			got, err := b.Exec(raw, renderer.FitCamera(s.Bounds(), 1), renderer.WantColor)
			require.NoError(t, err)
			require.Equal(t, counted.Color.Pix, got.Color.Pix, name)
		}
	}
}
