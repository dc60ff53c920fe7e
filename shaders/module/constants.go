package module

import "math"

// constants returns the values of the module's constants of at most 32 bits, by id, with the
// specialization constants frozen. A bool is 0 or 1. Operations on floats and vectors are left
// out, since no array's length depends on them.
func (m *Module) constants(specialization map[uint32]uint32) map[uint32]uint32 {
	values := map[uint32]uint32{}
	for _, in := range m.Globals {
		if v, ok := m.constant(in, values, specialization); ok {
			values[in.Result()] = v
		}
	}
	return values
}

func (m *Module) constant(in Instruction, values, specialization map[uint32]uint32) (uint32, bool) {
	specID, specialized := m.Decoration(in.Result(), SpecID)
	given, named := specialization[specID]
	specialized = specialized && named
	switch in.Op {
	case OpConstantTrue, OpConstantFalse:
		return truth(in.Op == OpConstantTrue), true
	case OpSpecConstantTrue, OpSpecConstantFalse:
		if specialized {
			return truth(given != 0), true
		}
		return truth(in.Op == OpSpecConstantTrue), true
	case OpConstant, OpSpecConstant:
		if in.Op == OpSpecConstant && specialized {
			return m.extended(in.At(0), given), len(in.Operands) == 3
		}
		return in.At(2), len(in.Operands) == 3
	case OpConstantNull:
		t := m.Definition(in.At(0)).Op
		return 0, t == OpTypeInt || t == OpTypeBool || t == OpTypeFloat
	case OpSpecConstantOp:
		var a [3]uint32
		for i, id := range in.Operands[3:] {
			v, ok := values[id]
			if !ok || i >= len(a) || !m.narrow(id) {
				return 0, false
			}
			a[i] = v
		}
		return evaluate(Op(in.At(2)), a, m.narrow(in.Result()))
	}
	return 0, false
}

// extended returns a number as operands hold it: one of fewer than 32 bits is sign-extended or
// zero-extended.
func (m *Module) extended(typeID, bits uint32) uint32 {
	t := m.Definition(typeID)
	unused := 32 - min(t.At(1), 32)
	if t.Op == OpTypeInt && t.At(2) != 0 {
		return uint32(int32(bits<<unused) >> unused)
	}
	return bits << unused >> unused
}

// narrow reports whether an id is a bool or a 32-bit integer.
func (m *Module) narrow(id uint32) bool {
	t := m.Definition(m.Definition(id).Type())
	return t.Op == OpTypeBool || t.Op == OpTypeInt && t.At(1) == 32
}

func truth(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// evaluate computes an operation on 32-bit integers and bools.
func evaluate(op Op, a [3]uint32, narrow bool) (uint32, bool) {
	x, y := a[0], a[1]
	s, t := int32(x), int32(y)
	if !narrow {
		return 0, false
	}
	switch op {
	case OpUDiv, OpSDiv, OpUMod, OpSRem, OpSMod:
		if y == 0 || op != OpUDiv && op != OpUMod && t == -1 && s == math.MinInt32 {
			return 0, false
		}
	case OpShiftLeftLogical, OpShiftRightLogical, OpShiftRightArithmetic:
		if y > 31 {
			return 0, false
		}
	}
	f, ok := map[Op]func() uint32{
		OpIAdd: func() uint32 { return x + y }, OpISub: func() uint32 { return x - y }, OpIMul: func() uint32 { return x * y },
		OpSNegate: func() uint32 { return -x }, OpUDiv: func() uint32 { return x / y }, OpUMod: func() uint32 { return x % y },
		OpSDiv: func() uint32 { return uint32(s / t) }, OpSRem: func() uint32 { return uint32(s % t) },
		OpSMod:             func() uint32 { return uint32((int64(s)%int64(t) + int64(t)) % int64(t)) },
		OpShiftLeftLogical: func() uint32 { return x << y }, OpShiftRightLogical: func() uint32 { return x >> y },
		OpShiftRightArithmetic: func() uint32 { return uint32(s >> y) },
		OpBitwiseAnd:           func() uint32 { return x & y }, OpBitwiseOr: func() uint32 { return x | y }, OpBitwiseXor: func() uint32 { return x ^ y },
		OpNot: func() uint32 { return ^x }, OpLogicalNot: func() uint32 { return 1 - x&1 },
		OpLogicalAnd: func() uint32 { return x & y }, OpLogicalOr: func() uint32 { return x | y },
		OpLogicalEqual: func() uint32 { return truth(x == y) }, OpLogicalNotEqual: func() uint32 { return truth(x != y) },
		OpIEqual: func() uint32 { return truth(x == y) }, OpINotEqual: func() uint32 { return truth(x != y) },
		OpULessThan: func() uint32 { return truth(x < y) }, OpUGreaterThan: func() uint32 { return truth(x > y) },
		OpULessThanEqual: func() uint32 { return truth(x <= y) }, OpUGreaterThanEqual: func() uint32 { return truth(x >= y) },
		OpSLessThan: func() uint32 { return truth(s < t) }, OpSGreaterThan: func() uint32 { return truth(s > t) },
		OpSLessThanEqual: func() uint32 { return truth(s <= t) }, OpSGreaterThanEqual: func() uint32 { return truth(s >= t) },
		OpSelect: func() uint32 {
			if x != 0 {
				return y
			}
			return a[2]
		},
		OpUConvert: func() uint32 { return x }, OpSConvert: func() uint32 { return x }, OpBitcast: func() uint32 { return x },
	}[op]
	if !ok {
		return 0, false
	}
	return f(), true
}
