package interpret

import (
	"encoding/binary"
	"math"

	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// Images themselves are not values here: instruction skips what makes them.

func (f *frame) fetch(in module.Instruction) {
	variable, dimensions := f.v.Image(in.At(2))
	block, at, v := f.blockOf(variable, 0), f.value(in.At(3)), f.result(in)
	f.emit(in, v, func(t *thread) {
		x, y := t.r[at.at], uint32(0)
		if dimensions == 2 {
			y = t.r[at.at+1]
		}
		fetchTexel(t.r[v.at:v.at+4], t.blocks[block], x, y)
	}, at)
}

func (f *frame) sample(in module.Instruction) {
	variable, _ := f.v.Image(in.At(2))
	block, at, v := f.blockOf(variable, 0), f.value(in.At(3)), f.result(in)
	f.emit(in, v, func(t *thread) {
		sampleTexels((*[4]uint32)(t.r[v.at:]), t.blocks[block], [2]float32{float(t.r[at.at]), float(t.r[at.at+1])})
	}, at)
}

func (f *frame) imageSize(in module.Instruction) {
	variable, dimensions := f.v.Image(in.At(2))
	block, v := f.blockOf(variable, 0), f.result(in)
	f.emit(in, v, func(t *thread) {
		width, height, _, _ := module.ImageSize(t.blocks[block])
		t.r[v.at] = width
		if dimensions == 2 {
			t.r[v.at+1] = height
		}
	})
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

// sampleTexels filters an image as package link's copySample does, with the same bits.
func sampleTexels(to *[4]uint32, image []byte, at [2]float32) {
	width, height, _, ok := module.ImageSize(image)
	if !ok {
		return
	}
	nearest, clamps := binary.LittleEndian.Uint32(image[8:]) != 0, binary.LittleEndian.Uint32(image[12:]) != 0
	var share [2]float32
	var texel [2][2]uint32 // low and high, of each axis
	for axis, size := range []uint32{width, height} {
		x := float32(at[axis] * float32(size))
		if !nearest {
			x -= .5
		}
		x = min(max(x, -module.MostTexel), module.MostTexel)
		if x != x { // as NClamp
			x = -module.MostTexel
		}
		whole := float32(math.Floor(float64(x)))
		if !nearest {
			share[axis] = x - whole
		}
		count := max(int(size), 1)
		for k := range 2 {
			index := int(whole) + k
			if clamps {
				index = min(max(index, 0), count-1)
			} else {
				index = (index%count + count) % count
			}
			texel[axis][k] = uint32(index)
		}
	}
	mix := func(a, b [4]float32, share float32) (m [4]float32) {
		for k := range m {
			m[k] = float32(a[k]*(1-share)) + float32(b[k]*share)
		}
		return m
	}
	var rows [2][4]float32
	for y := range rows {
		var of [2][4]float32
		for x := range of {
			fetchTexel(to[:], image, texel[0][x], texel[1][y])
			for k, bits := range to {
				of[x][k] = float(bits)
			}
		}
		rows[y] = mix(of[0], of[1], share[0])
	}
	for k, v := range mix(rows[0], rows[1], share[1]) {
		to[k] = math.Float32bits(v)
	}
}
