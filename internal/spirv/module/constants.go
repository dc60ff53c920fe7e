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

// extended extends a number of fewer than 32 bits to a word, as operands of instructions hold it: with its sign if its
// type is a signed integer, else with zeros.
func (m *Module) extended(typeID, bits uint32) uint32 {
	t := m.Definition(typeID)
	unused := 32 - min(t.At(1), 32)
	if t.Op == OpTypeInt && t.At(2) != 0 {
		return uint32(int32(bits<<unused) >> unused)
	}
	return bits << unused >> unused
}

// narrow reports whether an id's value is a bool or a 32-bit integer.
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

// evaluate computes an operation on 32-bit integers and bools; narrow says whether the result is such a value. It
// returns false if narrow is false, the operation is not in evaluations, or the specification leaves the result undefined.
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
	f, ok := evaluations[op]
	if !ok {
		return 0, false
	}
	return f(x, y, a[2]), true
}

// evaluations are the operations that evaluate computes, on up to three numbers.
var evaluations = map[Op]func(x, y, z uint32) uint32{
	OpIAdd: func(x, y, _ uint32) uint32 { return x + y }, OpISub: func(x, y, _ uint32) uint32 { return x - y }, OpIMul: func(x, y, _ uint32) uint32 { return x * y },
	OpSNegate: func(x, y, _ uint32) uint32 { return -x }, OpUDiv: func(x, y, _ uint32) uint32 { return x / y }, OpUMod: func(x, y, _ uint32) uint32 { return x % y },
	OpSDiv: func(x, y, _ uint32) uint32 { return uint32(int32(x) / int32(y)) }, OpSRem: func(x, y, _ uint32) uint32 { return uint32(int32(x) % int32(y)) },
	OpSMod: func(x, y, _ uint32) uint32 {
		return uint32((int64(int32(x))%int64(int32(y)) + int64(int32(y))) % int64(int32(y)))
	},
	OpShiftLeftLogical: func(x, y, _ uint32) uint32 { return x << y }, OpShiftRightLogical: func(x, y, _ uint32) uint32 { return x >> y },
	OpShiftRightArithmetic: func(x, y, _ uint32) uint32 { return uint32(int32(x) >> y) },
	OpBitwiseAnd:           func(x, y, _ uint32) uint32 { return x & y }, OpBitwiseOr: func(x, y, _ uint32) uint32 { return x | y }, OpBitwiseXor: func(x, y, _ uint32) uint32 { return x ^ y },
	OpNot: func(x, y, _ uint32) uint32 { return ^x }, OpLogicalNot: func(x, y, _ uint32) uint32 { return 1 - x&1 },
	OpLogicalAnd: func(x, y, _ uint32) uint32 { return x & y }, OpLogicalOr: func(x, y, _ uint32) uint32 { return x | y },
	OpLogicalEqual: func(x, y, _ uint32) uint32 { return truth(x == y) }, OpLogicalNotEqual: func(x, y, _ uint32) uint32 { return truth(x != y) },
	OpIEqual: func(x, y, _ uint32) uint32 { return truth(x == y) }, OpINotEqual: func(x, y, _ uint32) uint32 { return truth(x != y) },
	OpULessThan: func(x, y, _ uint32) uint32 { return truth(x < y) }, OpUGreaterThan: func(x, y, _ uint32) uint32 { return truth(x > y) },
	OpULessThanEqual: func(x, y, _ uint32) uint32 { return truth(x <= y) }, OpUGreaterThanEqual: func(x, y, _ uint32) uint32 { return truth(x >= y) },
	OpSLessThan: func(x, y, _ uint32) uint32 { return truth(int32(x) < int32(y)) }, OpSGreaterThan: func(x, y, _ uint32) uint32 { return truth(int32(x) > int32(y)) },
	OpSLessThanEqual: func(x, y, _ uint32) uint32 { return truth(int32(x) <= int32(y)) }, OpSGreaterThanEqual: func(x, y, _ uint32) uint32 { return truth(int32(x) >= int32(y)) },
	OpSelect: func(x, y, z uint32) uint32 {
		if x != 0 {
			return y
		}
		return z
	},
	OpUConvert: func(x, y, _ uint32) uint32 { return x }, OpSConvert: func(x, y, _ uint32) uint32 { return x }, OpBitcast: func(x, y, _ uint32) uint32 { return x },
}
