package link

import (
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// writer writes the instructions of functions into a joined module.
type writer struct {
	*joined
	out []module.Instruction
}

func (w *writer) emit(op module.Op, operands ...uint32) {
	w.out = append(w.out, module.Instruction{Op: op, Operands: operands})
}

// value writes an instruction with a new id as its result, and returns the id.
func (w *writer) value(op module.Op, resultType uint32, operands ...uint32) uint32 {
	id := w.id()
	w.emit(op, append([]uint32{resultType, id}, operands...)...)
	return id
}

// exactly writes an arithmetic instruction, like value, and forbids drivers to fuse it with others.
func (w *writer) exactly(op module.Op, resultType, a, b uint32) uint32 {
	id := w.value(op, resultType, a, b)
	w.decorate(id, module.NoContraction)
	return id
}

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
		const known = 3 // Unroll and DontUnroll; bits of later versions have operands
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

// memoryAccess removes memory operands that some SPIR-V versions or memory models lack. The memory
// operands begin at index `at`.
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

// contracts reports whether a driver may fuse an instruction on floats with others, so that the bits
// of its result may differ between pipelines.
func contracts(op module.Op) bool {
	return slices.Contains([]module.Op{127, 129, 131, 133, 136, 140, 141, 142, 143, 144, 145, 146, 147, 148}, op)
}

// findWritten finds the global variables that the program's functions use for more than loads.
func (c *copier) findWritten() {
	c.written = map[uint32]bool{}
	roots := map[uint32]uint32{} // variable of each pointer
	for _, in := range c.v.Module.Globals {
		if in.Op == module.OpVariable {
			roots[in.Result()] = in.Result()
		}
	}
	for _, in := range c.v.Body {
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

// Some indices come from files: joints of vertices, numbers in blocks. Devices need not check indices,
// so indices are clamped to the indexed type: too large and negative ones give the last element.

// copyChain copies an access chain with clamped indices. A chain into a block begins at the block's place.
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

// keepWithin records that the pointer `to` leads into the same block as the pointer `from`.
func (c *copier) keepWithin(to, from uint32) {
	if block, ok := c.within[from]; ok {
		c.within[to] = block
	}
}

// length returns how many parts of a type can be indexed; for a runtime array it returns `elements`.
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

// clamped returns an index into a type, clamped to the type's last part unless the program is trusted.
func (c *copier) clamped(index uint32, into module.Instruction, elements int) uint32 {
	if c.trusted {
		return c.mapped(index)
	}
	length := c.length(into, elements)
	if value, ok := c.v.Constant(index); ok {
		return c.constant(min(value, length-1))
	}
	const unsignedMinimum = 38 // number of UMin in GLSL.std.450
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

// The host's version may be older than a program's. OpCopyLogical, and OpSelect of whole composites, need
// SPIR-V 1.4: for older hosts they are expanded, member by member.
const (
	version14 = 0x10400
	maxSteps  = 1 << 12 // most scalars and composites that expansions may rebuild in a program
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

// copySelect copies an OpSelect. For hosts before SPIR-V 1.4 it expands one that selects a whole vector or composite by a single
// condition.
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

// rebuild writes code that constructs a value from its scalars. `leaf` returns the scalar at a position, given as
// indices from outside to inside.
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

// step counts a scalar or composite that an expansion rebuilds. It fails beyond maxSteps of them in a program.
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

func (c *copier) part(value uint32, parts []uint32, partType uint32) uint32 {
	return c.value(module.OpCompositeExtract, partType, append([]uint32{value}, parts...)...)
}
