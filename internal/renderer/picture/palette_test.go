package picture

import (
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDifferenceCountsAreStepsOfTheScale(t *testing.T) {
	a := []uint32{5, 1, 1, 1, 1, 1, 1, 0, 1 << 31}
	b := []uint32{1, 0, 1, 2, 3, 4, 9, 0, 0}
	require.Equal(t, []uint32{1, 2, 3, 4, 5, 5, 5, 3, 1}, DifferenceCounts(a, b))
	for i, n := range DifferenceCounts(b, a) { // the scale is symmetric
		require.EqualValues(t, DifferencePalette.Steps()+1, n+DifferenceCounts(a, b)[i])
	}
}

func TestPalettesTellEveryStepApart(t *testing.T) {
	require.Equal(t, Heat, PaperPalette.Colors())
	for p := range Palette(len(PaletteNames)) {
		seen := map[any]bool{}
		for _, c := range p.Colors() {
			require.EqualValues(t, 255, c.A)
			require.False(t, seen[c], "%s: %v twice", p, c)
			seen[c] = true
		}
		require.Len(t, p.Labels(), len(p.Colors()))
	}
	// The colours for colour-blind readers get lighter with every step.
	last := 0
	for _, c := range ColorblindPalette.Colors() {
		luma := 299*int(c.R) + 587*int(c.G) + 114*int(c.B)
		require.Greater(t, luma, last)
		last = luma
	}
}

// TestRamp: the stops are at even distances, colours between them are mixed.
func TestRamp(t *testing.T) {
	black, red, white := color.RGBA{A: 255}, color.RGBA{200, 0, 0, 255}, color.RGBA{200, 100, 50, 255}
	require.Equal(t, []color.RGBA{black, {100, 0, 0, 255}, red, {200, 50, 25, 255}, white}, Ramp([]color.RGBA{black, red, white}, 5))
	require.Equal(t, []color.RGBA{black}, Ramp([]color.RGBA{black, white}, 1))
}
