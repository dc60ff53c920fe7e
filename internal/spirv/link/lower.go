package link

import (
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// The host's version may be older than a program's. Two instructions that compilers use from
// SPIR-V 1.4 on are expanded for it, member by member.
const (
	version14 = 0x10400
	maxSteps  = 1 << 12 // most instructions to which a program's may expand
)

// copyLogical copies a value to a type that differs only in its decorations.
func (c *copier) copyLogical(in module.Instruction, operands []uint32) {
	if c.host.Version >= version14 {
		c.emit(in.Op, operands...)
		return
	}
	c.rebuild(operands[0], operands[1], func(parts []uint32, partType uint32) uint32 {
		return c.part(operands[2], parts, partType)
	}, nil)
}

// copySelect selects whole vectors or composites with one condition.
func (c *copier) copySelect(in module.Instruction, operands []uint32) {
	scalar := c.v.Module.Definition(c.v.Module.Definition(in.At(2)).Type()).Op == module.OpTypeBool
	kind := c.definitions[operands[0]]
	if c.host.Version >= version14 || !scalar || isScalar(kind.Op) || kind.Op == module.OpTypePointer {
		c.emit(in.Op, operands...)
		return
	}
	c.rebuild(operands[0], operands[1], func(parts []uint32, partType uint32) uint32 {
		a := c.part(operands[3], parts, partType)
		b := c.part(operands[4], parts, partType)
		return c.value(module.OpSelect, partType, operands[2], a, b)
	}, nil)
}

func isScalar(op module.Op) bool {
	return op == module.OpTypeBool || op == module.OpTypeInt || op == module.OpTypeFloat
}

// rebuild constructs a value of a type from its scalars, which leaf returns by their position in
// the value.
func (c *copier) rebuild(typeID, result uint32, leaf func(parts []uint32, partType uint32) uint32, parts []uint32) {
	c.step()
	count, partOf := c.parts(typeID)
	operands := []uint32{typeID, result}
	for n := range count {
		partType, inner := partOf(n), append(parts[:len(parts):len(parts)], uint32(n))
		if isScalar(c.definitions[partType].Op) {
			operands = append(operands, leaf(inner, partType))
			c.step()
			continue
		}
		id := c.id()
		c.rebuild(partType, id, leaf, inner)
		operands = append(operands, id)
	}
	c.emit(module.OpCompositeConstruct, operands...)
}

// step counts an instruction to which others expand.
func (c *copier) step() {
	if c.steps++; c.steps > maxSteps {
		must.Fail("values of more than %d members are copied as a whole", maxSteps)
	}
}

// parts returns how many parts a composite has, and a function that returns their types.
func (c *copier) parts(typeID uint32) (int, func(n int) uint32) {
	in := c.definitions[typeID]
	elem := func(int) uint32 { return in.At(1) }
	switch in.Op {
	case module.OpTypeVector, module.OpTypeMatrix:
		return int(in.At(2)), elem
	case module.OpTypeArray:
		length := c.definitions[in.At(2)]
		return int(min(length.At(2), maxSteps+1)), elem
	case module.OpTypeStruct:
		return len(in.Operands) - 1, func(n int) uint32 { return in.At(n + 1) }
	}
	must.Fail("%s is not copied as a whole", in.Op)
	return 0, elem
}

// part extracts a part of a value.
func (c *copier) part(value uint32, parts []uint32, partType uint32) uint32 {
	return c.value(module.OpCompositeExtract, partType, append([]uint32{value}, parts...)...)
}
