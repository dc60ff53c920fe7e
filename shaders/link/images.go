package link

import "github.com/shadeonce/shadeonce/shaders/module"

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

// copyImageUse converts a fetch of a texel, or a query of an image's size, to loads. Outside the
// image there are zeros, as with Vulkan's robust access.
func (c *copier) copyImageUse(in module.Instruction) {
	variable, dimensions := c.v.Image(in.At(2))
	block := c.blocks[variable][0]
	place, number, boolean := c.places[block], c.uintType(), c.global(module.OpTypeBool, 0)
	uvec4 := c.vectorType(number, 4)
	load := func(index uint32) uint32 {
		return c.value(module.OpLoad, uvec4, c.value(module.OpAccessChain, place.pointer, place.variable, c.constant(0), index))
	}
	head := c.constant(c.program.Blocks[block].Base / module.TexelBytes)
	if place.slot != 0 {
		head = c.value(module.OpLoad, number, place.slot)
	}
	size := load(head)
	width := c.value(module.OpCompositeExtract, number, size, 0)
	if in.Op != module.OpImageFetch {
		if dimensions == 2 {
			pair := c.vectorType(number, 2)
			c.cast(in, c.value(module.OpVectorShuffle, pair, size, size, 0, 1), pair)
		} else {
			c.cast(in, width, number)
		}
		return
	}
	at := c.coordinates(in.At(3), dimensions)
	inside, index := c.value(module.OpULessThan, boolean, at[0], width), at[0]
	if dimensions == 2 {
		height := c.value(module.OpCompositeExtract, number, size, 1)
		inside = c.value(module.OpLogicalAnd, boolean, inside, c.value(module.OpULessThan, boolean, at[1], height))
		index = c.value(module.OpIAdd, number, index, c.value(module.OpIMul, number, at[1], width))
	}
	index = c.value(module.OpIAdd, number, index, c.value(module.OpIAdd, number, head, c.constant(module.ImageHead/module.TexelBytes)))
	texel := load(c.value(module.OpSelect, number, inside, index, head))
	each := c.value(module.OpCompositeConstruct, c.vectorType(boolean, 4), inside, inside, inside, inside)
	c.cast(in, c.value(module.OpSelect, uvec4, each, texel, c.null(uvec4)), uvec4)
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
