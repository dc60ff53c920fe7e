package module

import "github.com/shadeonce/shadeonce/internal/base/must"

// undefinedComponent means no component in an OpVectorShuffle.
const undefinedComponent = 0xffffffff

// checkParts fails if a literal names a part that a value or struct does not have, or if a
// struct's member is not chosen by a constant, since a driver may crash on these. Other indices of
// access chains are clamped when the shader runs.
func (v *Vertex) checkParts() {
	for _, in := range v.Module.Globals {
		if in.Op == OpSpecConstantOp && v.Used[in.Result()] {
			v.checkPartsOf(Instruction{Op(in.At(2)), append(in.Operands[:2:2], in.Operands[3:]...)})
		}
	}
	for _, f := range v.Functions {
		for _, in := range f.Body {
			v.checkPartsOf(in)
		}
	}
}

func (v *Vertex) checkPartsOf(in Instruction) {
	defer must.Place("%s", in.Op)
	typeOf := func(operand int) uint32 { return v.Module.Definition(in.At(operand)).Type() }
	switch in.Op {
	case OpCompositeExtract:
		v.checkPath(typeOf(2), in.Operands[3:])
	case OpCompositeInsert:
		v.checkPath(typeOf(3), in.Operands[4:])
	case OpVectorShuffle:
		v.checkShuffle(v.partsOf(typeOf(2))+v.partsOf(typeOf(3)), v.partsOf(in.At(0)), in.Operands[4:])
	case OpAccessChain, OpInBoundsAccessChain:
		v.checkChain(v.Module.Definition(typeOf(2)).At(2), in.Operands[3:])
	case OpArrayLength:
		struc := v.Module.Definition(typeOf(2)).At(2)
		v.checkPath(struc, in.Operands[3:])
		if v.Module.Definition(v.part(struc, in.At(3))).Op != OpTypeRuntimeArray {
			must.Fail("member %d is not a runtime array", in.At(3))
		}
	}
}

// partsOf returns how many parts values of a type have; 0 if it is not a composite.
func (v *Vertex) partsOf(typeID uint32) uint64 {
	switch t := v.Module.Definition(typeID); t.Op {
	case OpTypeVector, OpTypeMatrix:
		return uint64(t.At(2))
	case OpTypeArray:
		length, _ := v.Constant(t.At(2))
		return uint64(length)
	case OpTypeStruct:
		return uint64(len(t.Operands) - 1)
	}
	return 0
}

// part returns the type of a part.
func (v *Vertex) part(typeID, index uint32) uint32 {
	t := v.Module.Definition(typeID)
	if t.Op == OpTypeStruct {
		return t.At(1 + int(index))
	}
	return t.At(1)
}

func (v *Vertex) checkPath(typeID uint32, indices []uint32) {
	for _, index := range indices {
		if n := v.partsOf(typeID); uint64(index) >= n {
			must.Fail("part %d of %s, which has %d", index, v.Module.Definition(typeID).Op, n)
		}
		typeID = v.part(typeID, index)
	}
}

func (v *Vertex) checkShuffle(from, to uint64, components []uint32) {
	if uint64(len(components)) != to {
		must.Fail("%d components for a vector of %d", len(components), to)
	}
	for _, c := range components {
		if c != undefinedComponent && uint64(c) >= from {
			must.Fail("component %d of vectors with %d", c, from)
		}
	}
}

// checkChain checks the struct members in an access chain.
func (v *Vertex) checkChain(typeID uint32, indices []uint32) {
	for _, id := range indices {
		index, constant := v.Constant(id)
		if v.Module.Definition(typeID).Op == OpTypeStruct {
			if !constant {
				must.Fail("a member of a struct by a number that is not constant")
			}
			v.checkPath(typeID, []uint32{index})
		}
		typeID = v.part(typeID, index)
	}
}
