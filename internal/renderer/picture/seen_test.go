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
	require.Equal(t, [6]int{1, 0, 2, 0, 0, 0}, s.Times)
	require.Equal(t, 4, s.Pixels)
	require.True(t, img.Opaque())
	require.Equal(t, []string{"33.3 %", "0 %", "66.7 %", "0 %", "0 %", "0 %"}, s.Shares())
	require.Equal(t, "-", (&Seen{Pixels: 4}).Shares()[0])
}

// Between counts only the columns from left to right, in every row.
func TestSeenBetweenColumns(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 3, 2))
	for i, alpha := range []uint8{254, 253, 255, 254, 254, 249} {
		img.Pix[4*i+3] = alpha
	}
	s := TakeSeen(img)
	require.Equal(t, [6]int{3, 1, 0, 0, 0, 1}, s.Times)
	for _, c := range []struct {
		left, right, pixels int
		times               [6]int
	}{{0, 3, 6, s.Times}, {0, 1, 2, [6]int{2}}, {1, 3, 4, [6]int{1, 1, 0, 0, 0, 1}}, {-1, 9, 6, s.Times}, {2, 1, 0, [6]int{}}, {5, 6, 0, [6]int{}}} {
		part := s.Between(c.left, c.right)
		require.Equal(t, c.times, part.Times)
		require.Equal(t, c.pixels, part.Pixels)
	}
	require.Equal(t, "-", new(Seen).Between(0, 5).Shares()[0], "nothing was counted")
}

func TestPercentIsExactAtTheEnds(t *testing.T) {
	require.Equal(t, "<0.1 %", percent(1, 1e6))
	require.Equal(t, ">99.9 %", percent(1e6-1, 1e6))
	require.Equal(t, "100 %", percent(7, 7))
}
