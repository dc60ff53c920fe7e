package picture

import (
	"fmt"
	"image/color"
)

// Heat holds the colours of vertices that were shaded 1, 2, 3, 4, 5, and 6 or more times: green to
// dark red, as in the paper's reuse pictures.
var Heat = [6]color.RGBA{
	{41, 163, 56, 255},
	{153, 204, 51, 255},
	{245, 217, 56, 255},
	{245, 148, 41, 255},
	{224, 61, 36, 255},
	{128, 5, 15, 255},
}

// Background is the colour where nothing was drawn.
var Background = color.RGBA{28, 31, 36, 255}

// Palette is the scale of six colours of the counts view.
type Palette uint32

// The palettes.
const (
	PaperPalette      Palette = iota // green to dark red, as in the paper's reuse pictures
	ColorblindPalette                // blue to yellow, lighter with every step: readable in print and without seeing red and green
	DifferencePalette                // for DifferenceCounts: blue for less, grey for equal, red for more, symmetric
)

// PaletteNames are the names of the palettes, in value order.
var PaletteNames = []string{"paper", "colorblind", "difference"}

// CountPaletteNames are the names of the palettes that users can choose for counts.
var CountPaletteNames = PaletteNames[:DifferencePalette]

func (p Palette) String() string {
	if int(p) < len(PaletteNames) {
		return PaletteNames[p]
	}
	return fmt.Sprintf("unknown(%d)", uint32(p))
}

// Colors returns the colours of the steps.
func (p Palette) Colors() [6]color.RGBA {
	switch p {
	case ColorblindPalette: // matplotlib's viridis with a lighter dark end
		return [6]color.RGBA{{88, 101, 206, 255}, {62, 137, 190, 255}, {47, 167, 155, 255}, {85, 190, 118, 255}, {150, 210, 75, 255}, {253, 231, 37, 255}}
	case DifferencePalette:
		return [6]color.RGBA{{24, 72, 190, 255}, {110, 170, 245, 255}, {150, 154, 160, 255}, {245, 158, 90, 255}, {205, 38, 28, 255}, {0, 0, 0, 255}}
	}
	return Heat
}

// Steps returns how many of the six colours the palette uses.
func (p Palette) Steps() int {
	if p == DifferencePalette {
		return 5
	}
	return len(p.Colors())
}

// Labels returns the labels of the steps.
func (p Palette) Labels() [6]string {
	if p == DifferencePalette {
		return [6]string{"-2..", "-1", "same", "+1", "+2.."}
	}
	return [6]string{"1", "2", "3", "4", "5", "6+"}
}

// DifferenceCounts returns steps of DifferencePalette for Frame.Shown: how much more often b shaded each
// vertex than a, from 1 for -2 or less to 5 for +2 or more. a and b have the layout of reuse.Analyze
// and the same length.
func DifferenceCounts(a, b []uint32) []uint32 {
	shown := make([]uint32, len(a))
	for i := range a {
		shown[i] = uint32(min(max(int64(b[i])-int64(a[i]), -2), 2) + 3)
	}
	return shown
}

// Ramp interpolates n evenly spaced colours from the first stop to the last.
func Ramp(stops []color.RGBA, n int) []color.RGBA {
	ramp := make([]color.RGBA, n)
	for i := range ramp {
		at := float64(i) / float64(max(n-1, 1)) * float64(len(stops)-1)
		k := min(int(at), len(stops)-2)
		mix := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*(at-float64(k)) + .5) }
		a, b := stops[k], stops[k+1]
		ramp[i] = color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
	}
	return ramp
}

// BatchColor returns the colour of a batch in the batches view; neighbours get different colours.
func BatchColor(batch uint32) color.RGBA {
	n := (batch + 1) * 0x9e3779b1
	n ^= n >> 15
	n *= 0x85ebca77
	n ^= n >> 13
	channel := func(shift int) uint8 { return uint8(64 + 3*(n>>shift&63)) }
	return color.RGBA{channel(0), channel(8), channel(16), 255}
}
