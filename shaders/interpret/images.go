package interpret

import (
	"encoding/binary"

	"github.com/shadeonce/shadeonce/shaders/module"
)

// images compiles fetches of texels and queries of image sizes; it returns false for other
// instructions. Images themselves are not values here.
func (f *frame) images(in module.Instruction) bool {
	if variable, _ := f.v.Image(in.Result()); variable != 0 {
		return true
	}
	variable, dimensions := f.v.Image(in.At(2))
	switch in.Op {
	case module.OpImageFetch:
		block, at, v := f.blockOf(variable, 0), f.value(in.At(3)), f.result(in)
		f.emit(in, v, func(t *thread) {
			x, y := t.r[at.at], uint32(0)
			if dimensions == 2 {
				y = t.r[at.at+1]
			}
			fetchTexel(t.r[v.at:v.at+4], t.blocks[block], x, y)
		}, at)
	case module.OpImageQuerySize, module.OpImageQuerySizeLod:
		block, v := f.blockOf(variable, 0), f.result(in)
		f.emit(in, v, func(t *thread) {
			width, height, _, _ := module.ImageSize(t.blocks[block])
			t.r[v.at] = width
			if dimensions == 2 {
				t.r[v.at+1] = height
			}
		})
	default:
		return false
	}
	return true
}

// fetchTexel reads a texel; outside the image it is zeros.
func fetchTexel(to []uint32, image []byte, x, y uint32) {
	width, height, _, _ := module.ImageSize(image)
	if x >= width || y >= height {
		clear(to)
		return
	}
	at := module.ImageHead + module.TexelBytes*(int(y)*int(width)+int(x))
	for i := range to {
		to[i] = binary.LittleEndian.Uint32(image[at+4*i:])
	}
}
