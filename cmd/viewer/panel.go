package main

import (
	"image"
	"image/color"
	"image/draw"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/shadeonce/shadeonce/renderer/present"
)

// Metrics of panels, in pixels of a display of ordinary density.
const (
	panelMargin = 12
	panelPad    = 8
	panelLine   = 16
)

// columns puts lines side by side where a window, of that size on a display of
// ordinary density, is too low for them and wide enough.
func columns(lines []string, window image.Point) []string {
	wide := 0
	for _, l := range lines {
		wide = max(wide, utf8.RuneCountInString(l))
	}
	wide += 2 // between columns
	edge := panelMargin + 2*panelPad
	rows, most := max((window.Y-edge)/panelLine, 1), max((window.X-edge)/(wide*basicfont.Face7x13.Advance), 1)
	n := min((len(lines)+rows-1)/rows, most)
	if n <= 1 {
		return lines
	}
	rows = (len(lines) + n - 1) / n
	out := slices.Clone(lines[:rows])
	for i, l := range lines[rows:] {
		row := i % rows
		out[row] += strings.Repeat(" ", (i/rows+1)*wide-utf8.RuneCountInString(out[row])) + l
	}
	return out
}

// textPanel draws lines of text on the legend's ground. It is opaque.
func textPanel(lines []string) *image.RGBA {
	width := 0
	for _, l := range lines {
		width = max(width, font.MeasureString(basicfont.Face7x13, l).Ceil())
	}
	img := image.NewRGBA(image.Rect(0, 0, width+2*panelPad, len(lines)*panelLine+2*panelPad))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{24, 26, 30, 255}), image.Point{}, draw.Src)
	ink := image.NewUniform(color.RGBA{225, 228, 232, 255})
	for i, l := range lines {
		d := font.Drawer{Dst: img, Src: ink, Face: basicfont.Face7x13, Dot: fixed.P(panelPad, panelPad+(i+1)*panelLine-4)}
		d.DrawString(l)
	}
	return img
}

// enlarge repeats every pixel n times both ways, for displays of high density.
func enlarge(img *image.RGBA, n int) *image.RGBA {
	if n <= 1 {
		return img
	}
	b := img.Bounds()
	big := image.NewRGBA(image.Rect(0, 0, n*b.Dx(), n*b.Dy()))
	for y := range big.Rect.Dy() {
		for x := range big.Rect.Dx() {
			big.SetRGBA(x, y, img.RGBAAt(b.Min.X+x/n, b.Min.Y+y/n))
		}
	}
	return big
}

// overlays places the panels that there are: the legend in the lower left corner
// where the window can hold it, that of the right side in the lower right, and
// help in the upper left. All are already enlarged by scale.
func (a *app) overlays(help *image.RGBA, window image.Point, scale int) []present.Overlay {
	margin := panelMargin * scale
	var list []present.Overlay
	place := func(legend *image.RGBA, left, room int) {
		if at := image.Pt(left, window.Y-margin-legend.Bounds().Dy()); at.Y >= 0 && legend.Bounds().Dx() <= room {
			list = append(list, present.Overlay{Panel: legend, At: at})
		}
	}
	if a.legend != nil {
		place(a.legend, margin, window.X-margin)
	}
	if right := a.rightLegend; right != nil && a.split() {
		left := window.X - margin - right.Bounds().Dx()
		place(right, left, left) // not where it would cover the left one
	}
	if help != nil {
		list = append(list, present.Overlay{Panel: help, At: image.Pt(margin, margin)})
	}
	return list
}
