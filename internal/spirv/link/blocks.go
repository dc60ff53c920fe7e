package link

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// declareBlocks declares the joined module's variable for a block, and records it in c.places. For an array of
// blocks it does so for each element that the program reads.
func (c *copier) declareBlocks(id uint32, name string) {
	for _, i := range c.blocks[id] {
		b, at := c.v.Blocks[i], c.program.Blocks[i]
		if b.Array {
			name = fmt.Sprintf("%s[%d]", name, b.Element)
		}
		content := c.mapped(b.Type.ID)
		class := module.StorageBuffer
		if at.Copies > 0 {
			class = module.Uniform
		}
		p := place{pointer: c.pointerType(class, content)}
		if b.Open {
			p.variable = c.global(module.OpVariable, p.pointer, uint32(module.StorageBuffer))
			c.bind(p.variable, at.Binding)
			c.decorate(p.variable, module.NonWritable)
		} else {
			p.variable = c.declareCopies(content, b, at)
			if at.Slot != 0 {
				p.slot = c.private(c.uintType(), name+".slot")
			}
		}
		c.name(p.variable, name)
		c.places[i] = p
	}
}

// declareCopies declares Values, or Uniforms, as an array of copies of a block.
func (c *copier) declareCopies(content uint32, b module.Block, at BlockLayout) uint32 {
	class, binding, copies := module.StorageBuffer, c.valuesBinding, uint32(0)
	if at.Copies > 0 {
		class, binding = module.Uniform, c.uniforms.binding
		copies = c.global(module.OpTypeArray, 0, content, c.constant(uint32(at.Copies)))
	} else {
		copies = c.global(module.OpTypeRuntimeArray, 0, content)
	}
	c.decorate(copies, module.ArrayStride, uint32(b.Stride()))
	variable := c.declareBuffer(class, binding, at.Base, copies)
	if class == module.StorageBuffer {
		c.decorate(variable, module.NonWritable)
	}
	return variable
}

// path returns the block to which an access chain leads, and the indices that lead to it from the variable of the block's
// place: nil for an Open block. These indices replace the first `taken` indices of the program's own chain.
func (c *copier) path(in module.Instruction) (block int, indices []uint32, taken int) {
	blocks := c.blocks[in.At(2)]
	at := 0
	if c.v.Blocks[blocks[0]].Array {
		element, _ := c.v.Constant(in.At(3)) // module.Vertex has checked it
		taken = 1
		at, _ = slices.BinarySearchFunc(blocks, element, func(b int, e uint32) int { return cmp.Compare(c.v.Blocks[b].Element, e) })
	}
	block = blocks[at]
	if c.v.Blocks[block].Open {
		return block, nil, taken
	}
	copyNumber := c.constant(0)
	if slot := c.places[block].slot; slot != 0 {
		copyNumber = c.value(module.OpLoad, c.uintType(), slot)
	}
	return block, []uint32{c.constant(0), copyNumber}, taken
}

// pointTo makes pointers to the blocks that an instruction uses as a whole. In the copy of the instruction they
// replace the blocks' variables.
func (c *copier) pointTo(in module.Instruction) {
	for _, at := range c.v.Module.References(in) {
		blocks, ok := c.blocks[in.Operands[at]]
		if !ok || c.v.Blocks[blocks[0]].Array {
			continue
		}
		block, indices, _ := c.path(module.Instruction{Operands: []uint32{0, 0, in.Operands[at]}})
		base := c.places[block].variable
		if len(indices) > 0 {
			if in.Op == module.OpFunctionCall {
				must.Fail("%s: a block that a function has as an argument is not supported", c.v.Blocks[blocks[0]].Name)
			}
			whole := c.value(module.OpAccessChain, c.places[block].pointer, append([]uint32{base}, indices...)...)
			base = whole
		}
		c.ids[in.Operands[at]] = base
	}
}

// classOf returns the storage class of a block in its own module.
func classOf(b module.Block) module.StorageClass {
	switch {
	case b.Kind == module.PushConstants:
		return module.PushConstant
	case b.Kind == module.UniformBlock || b.Legacy:
		return module.Uniform
	}
	return module.StorageBuffer
}

// InUniforms reports whether a program's blocks of a kind may be in Uniforms. The layout rules of
// uniform buffers are stricter than those of push constants. In an old module storage blocks have
// the class of uniform blocks, and their pointers cannot be told apart.
func InUniforms(v *module.Vertex, kind module.BlockKind) bool {
	if kind == module.StorageBlock || kind == module.FetchedImage {
		return false
	}
	for _, b := range v.Blocks {
		if kind == module.UniformBlock && b.Legacy || b.Kind == kind && !aligned(b.Type) {
			return false
		}
	}
	return true
}

// aligned reports whether a type has the layout of a uniform buffer and only 32-bit numbers.
func aligned(t *module.Type) bool {
	const most = 16
	switch t.Kind {
	case module.Array:
		return t.Stride%most == 0 && aligned(t.Elem)
	case module.Struct:
		for _, m := range t.Members {
			composite := m.Type.Kind == module.Array || m.Type.Kind == module.Struct || m.Type.Kind == module.Matrix
			if composite && m.Offset%most != 0 || m.MatrixStride%most != 0 || !aligned(m.Type) {
				return false
			}
		}
		return true
	case module.RuntimeArray:
		return false
	}
	return t.Scalar().Width == 32
}

// checkUniforms fails if a program's layout puts blocks into Uniforms that cannot be there.
func checkUniforms(p Program, uniforms *buffer) {
	for i, b := range p.Vertex.Blocks {
		if p.Blocks[i].Copies == 0 {
			continue
		}
		if uniforms == nil {
			must.Fail("host: no uniform Uniforms")
		}
		if !InUniforms(p.Vertex, b.Kind) {
			must.Fail("%s %s cannot lie in a uniform buffer", b.Kind, b.Name)
		}
		for k, other := range p.Vertex.Blocks {
			if other.Kind == b.Kind && p.Blocks[k].Copies == 0 {
				must.Fail("%s %s in Uniforms, %s not", b.Kind, b.Name, other.Name)
			}
		}
	}
}

// isImage reports whether an id is one of the program's image variables or a value loaded from one; the
// joined module has neither.
func (c *copier) isImage(id uint32) bool {
	variable, _ := c.v.Image(id)
	return variable != 0
}

// declareImage records an image's place in Values. For the first image it declares Values as an array of uvec4s.
func (c *copier) declareImage(id uint32, name string) {
	uvec4 := c.vectorType(c.uintType(), 4)
	if c.texels == 0 {
		texels := c.global(module.OpTypeRuntimeArray, 0, uvec4)
		c.decorate(texels, module.ArrayStride, module.TexelBytes)
		c.texels = c.declareBuffer(module.StorageBuffer, c.valuesBinding, 0, texels)
		c.decorate(c.texels, module.NonWritable)
		c.name(c.texels, "texels")
	}
	p := place{variable: c.texels, pointer: c.pointerType(module.StorageBuffer, uvec4)}
	if c.program.Blocks[c.blocks[id][0]].Slot != 0 {
		p.slot = c.private(c.uintType(), name+".head")
	}
	c.places[c.blocks[id][0]] = p
}

// texels writes code that reads an image.
type texels struct {
	*copier
	place               place
	head, width, height uint32 // ids; head is the header's index in Values, in texels
	size                uint32 // id of the loaded header
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

// fetch writes code that reads the bits of the texel at x, y. Outside the image they are zeros, as with
// Vulkan's robust access. For an image of one dimension, y is id 0.
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

// copySample converts a filtered read of an image to four fetches. Drivers may not fuse its products with
// sums, so that package interpret gets the same bits.
func (c *copier) copySample(in module.Instruction) {
	t, float, vec4 := c.texelsOf(in.At(2)), c.floatType(), c.vec4Type()
	boolean := c.global(module.OpTypeBool, 0)
	flag := func(n uint32) uint32 {
		bits := c.value(module.OpCompositeExtract, c.uintType(), t.size, n)
		return c.value(module.OpINotEqual, boolean, bits, c.constant(0))
	}
	nearest, clamp := flag(2), flag(3)
	half := c.value(module.OpSelect, float, nearest, c.null(float), c.float(.5))
	at := c.coordinates(in.At(3), 2)
	var low, high, share [2]uint32
	for axis, size := range []uint32{t.width, t.height} {
		x := c.scalar(module.OpFMul, at[axis], c.value(module.OpConvertUToF, float, size))
		x = c.scalar(module.OpFSub, x, half)
		const floor, nClamp = 8, 81
		x = c.value(module.OpExtInst, float, c.imported("GLSL.std.450"), nClamp, x, c.float(-module.MostTexel), c.float(module.MostTexel))
		whole := c.value(module.OpExtInst, float, c.imported("GLSL.std.450"), floor, x)
		share[axis] = c.value(module.OpSelect, float, nearest, c.null(float), c.scalar(module.OpFSub, x, whole))
		first := c.value(module.OpConvertFToS, c.intType(), whole)
		low[axis] = c.wrapped(first, size, clamp)
		high[axis] = c.wrapped(c.value(module.OpIAdd, c.intType(), first, c.global(module.OpConstant, c.intType(), 1)), size, clamp)
	}
	texel := func(x, y uint32) uint32 { return c.value(module.OpBitcast, vec4, t.fetch(x, y)) }
	mix := func(a, b, share uint32) uint32 {
		rest := c.scalar(module.OpFSub, c.float(1), share)
		return c.exactly(module.OpFAdd, vec4, c.exactly(module.OpVectorTimesScalar, vec4, a, rest), c.exactly(module.OpVectorTimesScalar, vec4, b, share))
	}
	above := mix(texel(low[0], low[1]), texel(high[0], low[1]), share[0])
	below := mix(texel(low[0], high[1]), texel(high[0], high[1]), share[0])
	c.cast(in, mix(above, below, share[1]), vec4)
}

// wrapped brings a texel's index into 0..size-1: clamped, or modulo the size if the image repeats. Vulkan
// leaves remainders of negative numbers undefined, so a multiple of the size is added first.
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

// coordinates returns the ids of a texel's coordinates, one scalar each.
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

// cast makes the result of an instruction: it writes code that reinterprets `bits`, whose type is `of`, as the result's type.
func (c *copier) cast(in module.Instruction, bits, of uint32) {
	op, to := module.OpBitcast, c.mapped(in.At(0))
	if to == of {
		op = module.OpCopyObject
	}
	c.emit(op, to, c.mapped(in.Result()), bits)
}
