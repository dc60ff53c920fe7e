package picture

import (
	"image"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/image/font/basicfont"
)

// Columns puts lines side by side if a LegendPanel of them would be too tall for the
// window and the window is wide enough. The size is in pixels at ordinary density.
func Columns(lines []string, window image.Point) []string {
	wide := 0
	for _, l := range lines {
		wide = max(wide, utf8.RuneCountInString(l))
	}
	wide += 2 // between columns
	edge := PanelMargin + 2*legendPad
	rows, most := max((window.Y-edge)/legendLine, 1), max((window.X-edge)/(wide*basicfont.Face7x13.Advance), 1)
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

// Enlarge repeats every pixel n times both ways, for displays of high density.
func Enlarge(img *image.RGBA, n int) *image.RGBA {
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

// CutOut copies a part of a picture. Pixels whose depth is still the cleared value,
// where nothing was drawn, become transparent.
func CutOut(to *image.NRGBA, color *image.RGBA, depth []float32, part image.Rectangle) {
	width := color.Rect.Dx()
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			at := to.PixOffset(x, y)
			if depth[y*width+x] == 1 {
				clear(to.Pix[at : at+4])
				continue
			}
			copy(to.Pix[at:at+4], color.Pix[color.PixOffset(x, y):])
		}
	}
}
