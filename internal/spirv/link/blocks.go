package link

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// declareBlocks declares where a variable's block, or the elements of an array of blocks that the
// program reads, are found.
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
	whole := c.global(module.OpTypeStruct, 0, copies)
	c.decorate(whole, module.BlockDecoration)
	c.decorateMember(whole, 0, module.Offset, at.Base)
	variable := c.global(module.OpVariable, c.pointerType(class, whole), uint32(class))
	c.bind(variable, binding)
	if class == module.StorageBuffer {
		c.decorate(variable, module.NonWritable)
	}
	return variable
}

func (c *copier) bind(variable, binding uint32) {
	c.decorate(variable, module.DescriptorSet, c.valuesSet)
	c.decorate(variable, module.Binding, binding)
}

// path returns the block to which an access chain leads, the indices of the block in its
// declaration, and how many of the program's own indices these replace.
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

// pointTo makes pointers to the blocks that an instruction uses as a whole, and substitutes them
// for their variables' ids.
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

// checkUniforms fails if blocks cannot be in Uniforms.
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
