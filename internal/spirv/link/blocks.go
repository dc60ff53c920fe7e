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
