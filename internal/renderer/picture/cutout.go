package picture

import "image"

// CutOut copies a part of a picture. Pixels with the depth of a cleared picture, where nothing
// was drawn, become transparent.
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
