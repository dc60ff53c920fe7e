package picture

import (
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShrink(t *testing.T) {
	black, white, clear := color.NRGBA{A: 255}, color.NRGBA{255, 255, 255, 255}, color.NRGBA{}
	img := image.NewNRGBA(image.Rect(0, 0, 6, 2))
	for i, c := range []color.NRGBA{black, white, white, clear, clear, clear, white, black, clear, clear, clear, clear} {
		img.SetNRGBA(i%6, i/6, c)
	}
	small := Shrink(img, 2)
	require.Equal(t, image.Rect(0, 0, 3, 1), small.Rect)
	require.Equal(t, color.NRGBA{188, 188, 188, 255}, small.NRGBAAt(0, 0), "half of the light")
	require.Equal(t, color.NRGBA{255, 255, 255, 64}, small.NRGBAAt(1, 0), "what is not there darkens nothing")
	require.Equal(t, clear, small.NRGBAAt(2, 0))
	require.Same(t, img, Shrink(img, 1))
	large := image.NewNRGBA(image.Rect(0, 0, 4, 4))
	for i := range 7 {
		large.SetNRGBA(i%4, i/4, white)
	}
	require.Equal(t, color.NRGBA{255, 255, 255, 112}, Shrink(large, 4).NRGBAAt(0, 0), "7 of 16, rounded")
}

// If all samples of a pixel have one colour, the pixel gets it.
func TestShrinkKeepsColors(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 2*256, 2))
	for i := range img.Pix {
		img.Pix[i] = uint8(i % (4 * 2 * 256) / 8)
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	small := Shrink(img, 2)
	for x := range 256 {
		require.Equal(t, color.NRGBA{uint8(x), uint8(x), uint8(x), 255}, small.NRGBAAt(x, 0))
	}
}

// TestCutOut: inside the part, drawn pixels are copied and others become transparent; outside it nothing changes.
func TestCutOut(t *testing.T) {
	from, to := image.NewRGBA(image.Rect(0, 0, 3, 2)), image.NewNRGBA(image.Rect(0, 0, 3, 2))
	for i := range from.Pix {
		from.Pix[i], to.Pix[i] = uint8(i), 99
	}
	CutOut(to, from, []float32{0, 1, .5, 0, 1, .5}, image.Rect(1, 0, 3, 1))
	require.Equal(t, []uint8{99, 99, 99, 99, 0, 0, 0, 0, 8, 9, 10, 11, 99, 99, 99, 99}, to.Pix[:16])
}
