package link

import (
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// Indices also come from files: joints of vertices, numbers in blocks. Devices need not bound
// them, so they are clamped to the type that they index: indices that are too large, and negative
// ones, give the last element.

// copyChain copies an access chain, adding the place of the block at which it begins.
func (c *copier) copyChain(in module.Instruction) {
	rest := in.Operands[3:]
	operands := []uint32{c.mapped(in.At(0)), c.mapped(in.At(1))}
	to := c.v.Module.Definition(c.v.Module.Definition(in.At(2)).Type()).At(2)
	if _, ok := c.blocks[in.At(2)]; ok {
		block, indices, taken := c.path(in)
		operands = append(append(operands, c.places[block].variable), indices...)
		c.within[in.Result()], to, rest = block, c.v.Blocks[block].Type.ID, rest[taken:]
	} else {
		c.keepWithin(in.Result(), in.At(2))
		operands = append(operands, c.mapped(in.At(2)))
	}
	elements := 0
	if block, ok := c.within[in.Result()]; ok {
		elements = c.program.Blocks[block].Elements
	}
	for _, index := range rest {
		t := c.v.Module.Definition(to)
		if t.Op == module.OpTypeStruct {
			member, _ := c.v.Constant(index) // module.Vertex has checked it
			operands = append(operands, c.mapped(index))
			to = t.At(1 + int(member))
			continue
		}
		operands = append(operands, c.clamped(index, t, elements))
		to = t.At(1)
	}
	c.emit(in.Op, operands...)
}

// keepWithin records that a pointer leads into the same block as another.
func (c *copier) keepWithin(to, from uint32) {
	if block, ok := c.within[from]; ok {
		c.within[to] = block
	}
}

// length returns how many parts of a type can be indexed; for a runtime array it is
// elements.
func (c *copier) length(t module.Instruction, elements int) uint32 {
	n, ok := uint32(elements), t.Op == module.OpTypeRuntimeArray
	switch t.Op {
	case module.OpTypeVector, module.OpTypeMatrix:
		n, ok = t.At(2), true
	case module.OpTypeArray:
		n, ok = c.v.Constant(t.At(2))
	}
	if !ok || n == 0 {
		must.Fail("an index into %s, whose length is not known", t.Op)
	}
	return n
}

// clamped returns an index into a type that is below the type's length.
func (c *copier) clamped(index uint32, into module.Instruction, elements int) uint32 {
	if c.trusted {
		return c.mapped(index)
	}
	length := c.length(into, elements)
	if value, ok := c.v.Constant(index); ok {
		return c.constant(min(value, length-1))
	}
	const unsignedMinimum = 38 // of GLSL.std.450
	value, t := c.mapped(index), c.v.Module.Definition(c.v.Module.Definition(index).Type())
	if t.Op != module.OpTypeInt {
		must.Fail("an index of %s, which is not an integer", t.Op)
	}
	if t.At(1) != 32 {
		op := module.OpUConvert
		if t.At(2) != 0 {
			op = module.OpSConvert
		}
		value = c.value(op, c.uintType(), value)
	}
	return c.value(module.OpExtInst, c.uintType(), c.imported("GLSL.std.450"), unsignedMinimum, value, c.constant(length-1))
}
