package renderer

import (
	"image/color"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/renderer/picture"
)

// lit returns a colour as renderers store it, channel by channel, under light of step 0 to 63.
func lit(c color.RGBA, l Light, step int) (rgb [3]float64) {
	strength := float64(l.Strength())
	for i, channel := range []uint8{c.R, c.G, c.B} {
		rgb[i] = math.Floor(float64(channel)*(1-strength*(1-float64(step)/63)) + 0.5)
	}
	return rgb
}

// chroma returns each channel's share of a colour's sum, which light does not change.
func chroma(rgb [3]float64) [3]float64 {
	sum := rgb[0] + rgb[1] + rgb[2]
	return [3]float64{rgb[0] / sum, rgb[1] / sum, rgb[2] / sum}
}

func same(rgb [3]float64) [3]float64 { return rgb }

// nearestStep returns the step of a palette whose colour is nearest to rgb, after `of` is applied to both.
func nearestStep(p picture.Palette, rgb [3]float64, of func([3]float64) [3]float64) (nearest int) {
	least := math.Inf(1)
	colors := p.Colors()
	for i, c := range colors[:p.Steps()] {
		a, b := of(lit(c, NoLight, 63)), of(rgb)
		if d := math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2]); d < least {
			nearest, least = i, d
		}
	}
	return nearest
}

// Light never changes a colour's step: soft light leaves it nearest to its own colour in the
// legend, and full light leaves its hue nearest to its own hue.
func TestLightKeepsEveryClass(t *testing.T) {
	for p := range picture.Palette(len(picture.PaletteNames)) {
		colors := p.Colors()
		for i, c := range colors[:p.Steps()] {
			for step := 16; step <= 63; step++ { // the light of vertices is .25 to 1
				require.Equal(t, i, nearestStep(p, lit(c, SoftLight, step), same), "%s, soft, step %d", p, step)
				require.Equal(t, i, nearestStep(p, lit(c, FullLight, step), chroma), "%s, on, step %d", p, step)
			}
			require.Equal(t, lit(c, FullLight, 63), lit(c, NoLight, 16))
		}
	}
}

// contrast is the contrast of two colours by WCAG 2, 1 to 21.
func contrast(a, b color.RGBA) float64 {
	luminance := func(c color.RGBA) float64 {
		linear := func(x uint8) float64 {
			s := float64(x) / 255
			if s <= 0.04045 {
				return s / 12.92
			}
			return math.Pow((s+0.055)/1.055, 2.4)
		}
		return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// WCAG requires a contrast of 3 between graphics and adjacent colours.
func TestColorblindPaletteIsSeenOnTheBackground(t *testing.T) {
	for i, c := range picture.ColorblindPalette.Colors() {
		require.Greater(t, contrast(c, picture.Background), 3.0, "step %d", i+1)
	}
}

// TestParseRange: a text becomes the range that it says, and back. 0..1 is the zero Range.
func TestParseRange(t *testing.T) {
	for text, want := range map[string]Range{"-1..1": {Low: -1, High: 1}, "0..5": {High: 5}, "-2..0": {Low: -2}, "0..1": {}, "abs": {Abs: true}} {
		r, err := ParseRange(text)
		require.NoError(t, err, text)
		require.Equal(t, want, r)
		require.Equal(t, text, r.String())
	}
	for _, text := range []string{"", "1", "..1", "0..", "1..0", "0..0", "nan..1", "0..inf", "-3e38..3e38", "0..1..2"} {
		_, err := ParseRange(text)
		require.ErrorContains(t, err, "want LOW..HIGH", text)
	}
}
