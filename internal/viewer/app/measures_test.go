package app

import (
	"image"
	"image/color"

	"slices"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
)

// differing returns the share of pixels above the legend in which two pictures differ; 1 if their
// sizes differ.
func differing(a, b *image.RGBA) float64 {
	if a.Bounds() != b.Bounds() {
		return 1
	}
	return portion(above(a), func(x, y int) bool { return a.RGBAAt(x, y) != b.RGBAAt(x, y) })
}

// portion returns the share of a part's pixels for which `is` returns true.
func portion(part image.Rectangle, is func(x, y int) bool) float64 {
	n := 0
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			if is(x, y) {
				n++
			}
		}
	}
	return float64(n) / float64(part.Dx()*part.Dy())
}

// above is the part of a picture that the legend never covers.
func above(img *image.RGBA) image.Rectangle {
	b := img.Bounds()
	b.Max.Y -= 130
	return b
}

// colorful is the share of pixels above the legend that are clearly coloured, as the scale's colours are.
func colorful(img *image.RGBA) float64 {
	return portion(above(img), func(x, y int) bool {
		c := img.RGBAAt(x, y)
		return max(c.R, c.G, c.B)-min(c.R, c.G, c.B) > 40
	})
}

// swatches reports whether the legend shows the scale: its six colours, in order,
// on one line in the lower left corner.
func swatches(img *image.RGBA) bool {
	for y := above(img).Max.Y; y < img.Bounds().Max.Y; y++ {
		next := 0
		for x := 0; x < min(300, img.Bounds().Max.X) && next < len(picture.Heat); x++ {
			if img.RGBAAt(x, y) == picture.Heat[next] {
				next++
			}
		}
		if next == len(picture.Heat) {
			return true
		}
	}
	return false
}

const changed = 0.01 // least share of the pixels that a change must affect

// agree reports whether two pictures agree in a part, which may be empty.
func agree(a, b *image.RGBA, in image.Rectangle) bool {
	return !(portion(in, func(x, y int) bool { return a.RGBAAt(x, y) != b.RGBAAt(x, y) }) > 0)
}

func background() color.RGBA { return picture.Background }

// nextStrategy returns the strategy that the key S chooses after this one.
func nextStrategy(name string) string {
	names := reuse.Names()
	return names[(slices.Index(names, name)+1)%len(names)]
}
