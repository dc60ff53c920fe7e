package picture

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTakeSeen(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 4, 1))
	for i, alpha := range []uint8{255, 254, 252, 252} {
		img.Pix[4*i+3] = alpha
	}
	s := TakeSeen(img)
	require.Equal(t, Seen{Pixels: 4, Times: [6]int{1, 0, 2, 0, 0, 0}}, s)
	require.True(t, img.Opaque())
	require.Equal(t, []string{"33.3 %", "0 %", "66.7 %", "0 %", "0 %", "0 %"}, s.Shares())
	require.Equal(t, "-", (&Seen{Pixels: 4}).Shares()[0])
}

func TestPercentIsExactAtTheEnds(t *testing.T) {
	require.Equal(t, "<0.1 %", percent(1, 1e6))
	require.Equal(t, ">99.9 %", percent(1e6-1, 1e6))
	require.Equal(t, "100 %", percent(7, 7))
}
