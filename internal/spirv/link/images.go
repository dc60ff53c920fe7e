package link

import (
	"math"

	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// isImage reports whether an id is one of the program's images, which the joined module does not
// have.
func (c *copier) isImage(id uint32) bool {
	variable, _ := c.v.Image(id)
	return variable != 0
}

// declareImage declares where an image is found: in Values, which is read as uvec4s.
func (c *copier) declareImage(id uint32, name string) {
	uvec4 := c.vectorType(c.uintType(), 4)
	if c.texels == 0 {
		texels := c.global(module.OpTypeRuntimeArray, 0, uvec4)
		c.decorate(texels, module.ArrayStride, module.TexelBytes)
		whole := c.global(module.OpTypeStruct, 0, texels)
		c.decorate(whole, module.BlockDecoration)
		c.decorateMember(whole, 0, module.Offset, 0)
		c.texels = c.global(module.OpVariable, c.pointerType(module.StorageBuffer, whole), uint32(module.StorageBuffer))
		c.bind(c.texels, c.valuesBinding)
		c.decorate(c.texels, module.NonWritable)
		c.name(c.texels, "texels")
	}
	p := place{variable: c.texels, pointer: c.pointerType(module.StorageBuffer, uvec4)}
	if c.program.Blocks[c.blocks[id][0]].Slot != 0 {
		p.slot = c.private(c.uintType(), name+".head")
	}
	c.places[c.blocks[id][0]] = p
}

// texels reads an image.
type texels struct {
	*copier
	place               place
	head, width, height uint32
	size                uint32 // the header
}

func (c *copier) texelsOf(image uint32) (t texels) {
	variable, _ := c.v.Image(image)
	block := c.blocks[variable][0]
	t = texels{copier: c, place: c.places[block], head: c.constant(c.program.Blocks[block].Base / module.TexelBytes)}
	if t.place.slot != 0 {
		t.head = c.value(module.OpLoad, c.uintType(), t.place.slot)
	}
	t.size = t.load(t.head)
	t.width = c.value(module.OpCompositeExtract, c.uintType(), t.size, 0)
	t.height = c.value(module.OpCompositeExtract, c.uintType(), t.size, 1)
	return t
}

func (t *texels) uvec4() uint32 { return t.vectorType(t.uintType(), 4) }

func (t *texels) load(index uint32) uint32 {
	return t.value(module.OpLoad, t.uvec4(), t.value(module.OpAccessChain, t.place.pointer, t.place.variable, t.constant(0), index))
}

// fetch returns the bits of a texel. Outside the image there are zeros, as with Vulkan's robust
// access. y is 0 for an image of one dimension.
func (t *texels) fetch(x, y uint32) uint32 {
	number, boolean := t.uintType(), t.global(module.OpTypeBool, 0)
	inside, index := t.value(module.OpULessThan, boolean, x, t.width), x
	if y != 0 {
		inside = t.value(module.OpLogicalAnd, boolean, inside, t.value(module.OpULessThan, boolean, y, t.height))
		index = t.value(module.OpIAdd, number, index, t.value(module.OpIMul, number, y, t.width))
	}
	index = t.value(module.OpIAdd, number, index, t.value(module.OpIAdd, number, t.head, t.constant(module.ImageHead/module.TexelBytes)))
	texel := t.load(t.value(module.OpSelect, number, inside, index, t.head))
	each := t.value(module.OpCompositeConstruct, t.vectorType(boolean, 4), inside, inside, inside, inside)
	return t.value(module.OpSelect, t.uvec4(), each, texel, t.null(t.uvec4()))
}

// copyImageUse converts a fetch of a texel, or a query of an image's size, to loads.
func (c *copier) copyImageUse(in module.Instruction) {
	_, dimensions := c.v.Image(in.At(2))
	t, number := c.texelsOf(in.At(2)), c.uintType()
	if in.Op == module.OpImageFetch {
		at := append(c.coordinates(in.At(3), dimensions), 0)
		c.cast(in, t.fetch(at[0], at[1]), t.uvec4())
		return
	}
	if dimensions == 2 {
		pair := c.vectorType(number, 2)
		c.cast(in, c.value(module.OpVectorShuffle, pair, t.size, t.size, 0, 1), pair)
	} else {
		c.cast(in, t.width, number)
	}
}

// copySample converts a filtered read of an image to four fetches. No product and sum may be fused,
// so that package interpret gets the same bits.
func (c *copier) copySample(in module.Instruction) {
	t, float, vec4 := c.texelsOf(in.At(2)), c.floatType(), c.vec4Type()
	boolean := c.global(module.OpTypeBool, 0)
	flag := func(n uint32) uint32 {
		bits := c.value(module.OpCompositeExtract, c.uintType(), t.size, n)
		return c.value(module.OpINotEqual, boolean, bits, c.constant(0))
	}
	nearest, clamp := flag(2), flag(3)
	half := c.value(module.OpSelect, float, nearest, c.null(float), c.global(module.OpConstant, float, math.Float32bits(.5)))
	at := c.coordinates(in.At(3), 2)
	var low, high, share [2]uint32
	for axis, size := range []uint32{t.width, t.height} {
		x := c.scalar(module.OpFMul, at[axis], c.value(module.OpConvertUToF, float, size))
		x = c.scalar(module.OpFSub, x, half)
		const floor, nClamp = 8, 81
		limit := func(v float32) uint32 { return c.global(module.OpConstant, float, math.Float32bits(v)) }
		x = c.value(module.OpExtInst, float, c.imported("GLSL.std.450"), nClamp, x, limit(-module.MostTexel), limit(module.MostTexel))
		whole := c.value(module.OpExtInst, float, c.imported("GLSL.std.450"), floor, x)
		share[axis] = c.value(module.OpSelect, float, nearest, c.null(float), c.scalar(module.OpFSub, x, whole))
		first := c.value(module.OpConvertFToS, c.intType(), whole)
		low[axis] = c.wrapped(first, size, clamp)
		high[axis] = c.wrapped(c.value(module.OpIAdd, c.intType(), first, c.global(module.OpConstant, c.intType(), 1)), size, clamp)
	}
	texel := func(x, y uint32) uint32 { return c.value(module.OpBitcast, vec4, t.fetch(x, y)) }
	mix := func(a, b, share uint32) uint32 {
		rest := c.scalar(module.OpFSub, c.global(module.OpConstant, float, math.Float32bits(1)), share)
		return c.exactly(module.OpFAdd, vec4, c.exactly(module.OpVectorTimesScalar, vec4, a, rest), c.exactly(module.OpVectorTimesScalar, vec4, b, share))
	}
	above := mix(texel(low[0], low[1]), texel(high[0], low[1]), share[0])
	below := mix(texel(low[0], high[1]), texel(high[0], high[1]), share[0])
	c.cast(in, mix(above, below, share[1]), vec4)
}

// wrapped returns an index within a size: the nearest one, or the image repeats. Vulkan does not
// say what remainders of negative numbers are: a multiple of the size makes them positive.
func (c *copier) wrapped(index, size, clamp uint32) uint32 {
	signed, number := c.intType(), c.uintType()
	const sMin, uMax, sMax = 39, 41, 42
	glsl := func(op, of, a, b uint32) uint32 {
		return c.value(module.OpExtInst, of, c.imported("GLSL.std.450"), op, a, b)
	}
	count := glsl(uMax, number, size, c.constant(1))
	last := c.value(module.OpBitcast, signed, c.value(module.OpISub, number, count, c.constant(1)))
	nearest := c.value(module.OpBitcast, number, glsl(sMax, signed, glsl(sMin, signed, index, last), c.null(signed)))
	times := c.value(module.OpIAdd, number, c.value(module.OpUDiv, number, c.constant(2*module.MostTexel), count), c.constant(1))
	positive := c.value(module.OpIAdd, number, c.value(module.OpBitcast, number, index), c.value(module.OpIMul, number, times, count))
	return c.value(module.OpSelect, number, clamp, nearest, c.value(module.OpUMod, number, positive, count))
}

func (c *copier) scalar(op module.Op, a, b uint32) uint32 { return c.exactly(op, c.floatType(), a, b) }

func (c *copier) exactly(op module.Op, typeID, a, b uint32) uint32 {
	id := c.value(op, typeID, a, b)
	c.decorate(id, module.NoContraction)
	return id
}

// coordinates returns the numbers of a texel's coordinates.
func (c *copier) coordinates(id uint32, dimensions int) (list []uint32) {
	t := c.v.Module.Definition(c.v.Module.Definition(id).Type())
	if t.Op != module.OpTypeVector {
		return []uint32{c.mapped(id)}
	}
	for i := range dimensions {
		list = append(list, c.value(module.OpCompositeExtract, c.mapped(t.At(1)), c.mapped(id), uint32(i)))
	}
	return list
}

// cast makes bits the result of an instruction.
func (c *copier) cast(in module.Instruction, bits, of uint32) {
	op, to := module.OpBitcast, c.mapped(in.At(0))
	if to == of {
		op = module.OpCopyObject
	}
	c.emit(op, to, c.mapped(in.Result()), bits)
}
