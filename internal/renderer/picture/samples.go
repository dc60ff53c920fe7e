package picture

import (
	"image"
	"math"
	"slices"
	"sync"
)

// Shrink averages, in linear light, squares of `side` x `side` pixels: the samples of one pixel of
// the result. Transparent samples have no colour: they make the pixel translucent.
func Shrink(img *image.NRGBA, side int) *image.NRGBA {
	if side <= 1 {
		return img
	}
	small := image.NewNRGBA(image.Rect(0, 0, img.Rect.Dx()/side, img.Rect.Dy()/side))
	tables := lightTables()
	for y := range small.Rect.Dy() {
		for x := range small.Rect.Dx() {
			var sum [3]float32
			covered := 0
			for row := range side {
				at := img.PixOffset(img.Rect.Min.X+x*side, img.Rect.Min.Y+y*side+row)
				for sample := range slices.Chunk(img.Pix[at:at+4*side], 4) {
					if sample[3] == 0 {
						continue
					}
					covered++
					for c := range sum {
						sum[c] += tables.linear[sample[c]]
					}
				}
			}
			if covered == 0 {
				continue
			}
			to := small.Pix[small.PixOffset(x, y):][:4]
			for c := range sum {
				to[c] = tables.stored[int(sum[c]/float32(covered)*float32(len(tables.stored)-1)+0.5)]
			}
			to[3] = uint8((255*covered + side*side/2) / (side * side))
		}
	}
	return small
}

// light converts stored values (sRGB) to linear light and back.
type light struct {
	linear [256]float32
	stored [1 << 16]uint8 // by linear light, in even steps from 0 to 1
}

var lightTables = sync.OnceValue(func() *light {
	var l light
	for i := range l.linear {
		if s := float64(i) / 255; s <= 0.04045 {
			l.linear[i] = float32(s / 12.92)
		} else {
			l.linear[i] = float32(math.Pow((s+0.055)/1.055, 2.4))
		}
	}
	value := 0
	for i := range l.stored {
		at := float32(i) / float32(len(l.stored)-1)
		for value < 255 && at >= (l.linear[value]+l.linear[value+1])/2 {
			value++
		}
		l.stored[i] = uint8(value)
	}
	return &l
})

// CutOut copies a part of a picture to the same place in another. Pixels with the depth of a cleared
// picture, where nothing was drawn, become transparent.
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
