package picture

import "image"

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
