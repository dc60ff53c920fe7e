package link

import (
	"slices"

	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// writer writes instructions of functions of a joined module.
type writer struct {
	*joined
	out []module.Instruction
}

func (w *writer) emit(op module.Op, operands ...uint32) {
	w.out = append(w.out, module.Instruction{Op: op, Operands: operands})
}

// value writes an instruction with a result.
func (w *writer) value(op module.Op, resultType uint32, operands ...uint32) uint32 {
	id := w.id()
	w.emit(op, append([]uint32{resultType, id}, operands...)...)
	return id
}

// copyInstruction copies an instruction of a function.
func (c *copier) copyInstruction(in module.Instruction) {
	switch in.Op {
	case module.OpLine, module.OpNoLine, module.OpNop:
		return
	case module.OpExtInst:
		if module.DebugSet(c.v.Module.Definition(in.At(2)).ImportName()) {
			return
		}
	case module.OpAccessChain, module.OpInBoundsAccessChain:
		c.copyChain(in)
		return
	case module.OpImageFetch, module.OpImageQuerySize, module.OpImageQuerySizeLod:
		c.copyImageUse(in)
		return
	case module.OpImageSampleImplicitLod, module.OpImageSampleExplicitLod:
		c.copySample(in)
		return
	}
	if c.isImage(in.Result()) {
		return
	}
	if in.Op == module.OpFunctionCall {
		in.Operands = append(in.Operands[:3:3], slices.DeleteFunc(slices.Clone(in.Operands[3:]), c.isImage)...)
	}
	if in.Op != module.OpFunction {
		c.pointTo(in)
	}
	operands := c.mappedOperands(in)
	switch in.Op {
	case module.OpLoad:
		operands = memoryAccess(operands, 3)
	case module.OpStore, module.OpCopyMemory:
		operands = memoryAccess(operands, 2)
	case module.OpLoopMerge:
		const known = 3 // unroll and don't unroll: others are of later versions and have operands
		operands = []uint32{operands[0], operands[1], operands[2] & known}
	case module.OpCopyObject:
		c.keepWithin(in.Result(), in.At(2))
	case module.OpVectorExtractDynamic, module.OpVectorInsertDynamic:
		at := len(operands) - 1
		vector := c.v.Module.Definition(c.v.Module.Definition(in.At(2)).Type())
		operands[at] = c.clamped(in.At(at), vector, 0)
	case module.OpCopyLogical:
		c.copyLogical(in, operands)
		return
	case module.OpSelect:
		c.copySelect(in, operands)
		return
	}
	if c.precise && contracts(in.Op) {
		c.decorate(operands[1], module.NoContraction)
	}
	c.emit(in.Op, operands...)
}

// memoryAccess removes memory operands that some SPIR-V versions or memory models lack. The
// memory operands begin at index at.
func memoryAccess(operands []uint32, at int) []uint32 {
	if len(operands) <= at {
		return operands
	}
	const kept = module.MemoryVolatile | module.MemoryAligned | module.MemoryNontemporal
	mask := operands[at] & kept
	if mask&module.MemoryAligned != 0 {
		return append(operands[:at:at], mask, operands[at+1])
	}
	return append(operands[:at:at], mask)
}

// contracts reports whether a driver may fuse an instruction on floats with others, so that its
// bits may differ between pipelines.
func contracts(op module.Op) bool {
	switch op {
	case 127, 129, 131, 133, 136, 140, 141, 142, 143, 144, 145, 146, 147, 148:
		return true
	}
	return false
}

// findWritten finds the private variables that the program's functions do not only load.
func (c *copier) findWritten() {
	c.written = map[uint32]bool{}
	roots := map[uint32]uint32{} // variables of pointers
	for _, in := range c.v.Module.Globals {
		if in.Op == module.OpVariable {
			roots[in.Result()] = in.Result()
		}
	}
	for _, f := range c.v.Functions {
		for _, in := range f.Body {
			for _, at := range c.v.Module.References(in) {
				root, ok := roots[in.Operands[at]]
				switch {
				case !ok || in.Op == module.OpLoad:
				case in.Op == module.OpAccessChain || in.Op == module.OpInBoundsAccessChain:
					roots[in.Result()] = root
				default:
					c.written[root] = true
				}
			}
		}
	}
}
