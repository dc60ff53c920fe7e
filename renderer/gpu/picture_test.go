package gpu

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/renderer"
)

// TestColorOfComputedPictures: the image that a window gets is what Exec reads
// back, also after another frame and when it is asked for twice.
func TestColorOfComputedPictures(t *testing.T) {
	b := newBackend(t)
	m, err := b.Color()
	require.NoError(t, err)
	require.Nil(t, m, "before the first picture")
	p := computePlan(t, b, false, [3]mgl32.Vec3{{-0.5, -0.5, 0}, {0.5, -0.5, 0}, {0, 0.5, 0}})
	camera := flatCamera
	var last []byte
	for _, zoom := range []float32{1, 2} {
		camera.Distance = zoom
		out, err := b.Exec(p, camera, renderer.WantColor|renderer.WantDepth)
		require.NoError(t, err)
		require.Len(t, out.Depth, 256*256)
		require.NotEqual(t, last, out.Color.Pix)
		last = out.Color.Pix
		require.Nil(t, b.recordings[0].target, "the graphics pipeline draws nothing here")
		before := b.recordings[0].bytes()
		for i := range 2 {
			m, err := b.Color()
			require.NoError(t, err)
			pixels, err := b.recordings[0].readImage(m)
			require.NoError(t, err)
			require.Equal(t, out.Color.Pix, pixels)
			if zoom == 1 && i == 0 {
				require.Equal(t, before+4*256*256, b.recordings[0].bytes(), "what the next plan replaces")
			}
		}
	}

	nothing := *p
	nothing.Passes, nothing.Frame.NoRaster, nothing.Buffers = p.Passes[:2], true, nil
	for _, have := range p.Buffers {
		if have.Name != "PictureColor" {
			nothing.Buffers = append(nothing.Buffers, have)
		}
	}
	_, err = b.Exec(&nothing, camera, 0)
	require.NoError(t, err)
	m, err = b.Color()
	require.NoError(t, err)
	require.Nil(t, m, "a plan without a picture")
}
