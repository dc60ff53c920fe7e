package module

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOperationsOnConstants tests every operation, with operands whose order and signs matter.
func TestOperationsOnConstants(t *testing.T) {
	const a, b = 0xfffffff9, 3   // -7 as a signed number
	results := map[Op][3]uint32{ // of (a, b), (b, a) and (b, b); shifts and logical operations are in others
		OpIAdd: {0xfffffffc, 0xfffffffc, 6}, OpISub: {0xfffffff6, 10, 0}, OpIMul: {0xffffffeb, 0xffffffeb, 9},
		OpSNegate: {7, 0xfffffffd, 0xfffffffd}, OpNot: {6, 0xfffffffc, 0xfffffffc},
		OpUDiv: {0x55555553, 0, 1}, OpUMod: {0, 3, 0}, OpSDiv: {0xfffffffe, 0, 1}, OpSRem: {0xffffffff, 3, 0}, OpSMod: {2, 0xfffffffc, 0},
		OpBitwiseAnd: {1, 1, 3}, OpBitwiseOr: {0xfffffffb, 0xfffffffb, 3}, OpBitwiseXor: {0xfffffffa, 0xfffffffa, 0},
		OpIEqual: {0, 0, 1}, OpINotEqual: {1, 1, 0}, OpLogicalEqual: {0, 0, 1}, OpLogicalNotEqual: {1, 1, 0},
		OpULessThan: {0, 1, 0}, OpUGreaterThan: {1, 0, 0}, OpULessThanEqual: {0, 1, 1}, OpUGreaterThanEqual: {1, 0, 1},
		OpSLessThan: {1, 0, 0}, OpSGreaterThan: {0, 1, 0}, OpSLessThanEqual: {1, 0, 1}, OpSGreaterThanEqual: {0, 1, 1},
		OpUConvert: {a, b, b}, OpSConvert: {a, b, b}, OpBitcast: {a, b, b}, OpSelect: {b, a, b},
	}
	others := map[Op][][3]uint32{ // first operand, second, result
		OpShiftLeftLogical: {{a, 4, 0xffffff90}, {1, 31, 1 << 31}}, OpShiftRightLogical: {{a, 4, 0x0fffffff}, {a, 0, a}},
		OpShiftRightArithmetic: {{a, 1, 0xfffffffc}, {1 << 31, 31, 0xffffffff}, {6, 1, 3}},
		OpLogicalAnd:           {{1, 1, 1}, {1, 0, 0}, {0, 1, 0}}, OpLogicalOr: {{0, 0, 0}, {1, 0, 1}, {0, 1, 1}}, OpLogicalNot: {{0, 0, 1}, {1, 0, 0}},
	}
	for op, want := range results {
		others[op] = [][3]uint32{{a, b, want[0]}, {b, a, want[1]}, {b, b, want[2]}}
	}
	// A remainder has the first operand's sign, a modulo the second's.
	for _, c := range [][5]int32{{7, 3, 2, 1, 1}, {-7, 3, -2, -1, 2}, {7, -3, -2, 1, -2}, {-7, -3, 2, -1, -1}, {-6, 3, -2, 0, 0}, {math.MinInt32, 1, math.MinInt32, 0, 0}, {5, -1, -5, 0, 0}} {
		for k, op := range []Op{OpSDiv, OpSRem, OpSMod} {
			others[op] = append(others[op], [3]uint32{uint32(c[0]), uint32(c[1]), uint32(c[2+k])})
		}
	}
	others[OpSelect] = append(others[OpSelect], [3]uint32{0, b, 5})
	for op := range evaluations {
		require.Contains(t, others, op)
	}
	for op, cases := range others {
		for _, c := range cases {
			got, ok := evaluate(op, [3]uint32{c[0], c[1], 5}, true)
			require.True(t, ok)
			require.Equal(t, c[2], got, "%v of %#x and %#x", op, c[0], c[1])
			_, ok = evaluate(op, [3]uint32{c[0], c[1], 5}, false)
			require.False(t, ok, "of more bits, or fewer")
		}
	}
}

// TestOperationsWithoutResult: operations that the specification leaves undefined must not end the program.
func TestOperationsWithoutResult(t *testing.T) {
	for _, op := range []Op{OpUDiv, OpSDiv, OpUMod, OpSRem, OpSMod} {
		_, ok := evaluate(op, [3]uint32{7, 0}, true)
		require.False(t, ok, "%v by zero", op)
		_, ok = evaluate(op, [3]uint32{1 << 31, math.MaxUint32}, true)
		require.Equal(t, op == OpUDiv || op == OpUMod, ok, "%v of the lowest number by -1", op)
	}
	for _, op := range []Op{OpShiftLeftLogical, OpShiftRightLogical, OpShiftRightArithmetic} {
		_, ok := evaluate(op, [3]uint32{1, 32}, true)
		require.False(t, ok, "%v by 32", op)
	}
	_, ok := evaluate(OpLoad, [3]uint32{1, 2}, true)
	require.False(t, ok)
}

// TestMatrixSize: a matrix has a vector of memory for each column, or for each row if it is stored by rows.
func TestMatrixSize(t *testing.T) {
	m := &Type{Kind: Matrix, Count: 2, Elem: &Type{Kind: Vector, Count: 4, Elem: &Type{Kind: Float, Width: 32}}}
	require.Equal(t, []int64{32, 64}, []int64{m.size(16, false), m.size(16, true)})
}

// TestConstants: a specialization replaces only specialization constants, and is extended to a word by its sign or by zeros.
func TestConstants(t *testing.T) {
	const boolean, short, unsigned, half, number, vector, special = 1, 2, 3, 4, 5, 6, 7
	m := &Module{decorations: map[member][]Decorated{{special, 0}: {{SpecID, []uint32{9}}}}, definitions: map[uint32]Instruction{
		boolean: {OpTypeBool, []uint32{boolean}}, short: {OpTypeInt, []uint32{short, 16, 1}}, unsigned: {OpTypeInt, []uint32{unsigned, 16, 0}}, half: {OpTypeFloat, []uint32{half, 16}},
		number: {OpTypeInt, []uint32{number, 32, 1}}, vector: {OpTypeVector, []uint32{vector, number, 2}},
	}}
	for _, c := range []struct {
		op          Op
		of          uint32
		given, want uint32
		ok          bool
	}{
		{OpSpecConstantTrue, boolean, 0, 0, true}, {OpSpecConstantFalse, boolean, 5, 1, true}, {OpConstantTrue, boolean, 0, 1, true}, {OpConstantFalse, boolean, 1, 0, true},
		{OpSpecConstant, short, 0x1fffe, 0xfffffffe, true}, {OpSpecConstant, unsigned, 0x1fffe, 0xfffe, true}, {OpSpecConstant, half, 0xfffe, 0xfffe, true}, {OpSpecConstant, number, 0xfffffffe, 0xfffffffe, true},
		{OpConstant, number, 1, 7, true}, {OpConstantNull, boolean, 1, 0, true}, {OpConstantNull, half, 1, 0, true}, {OpConstantNull, number, 1, 0, true}, {OpConstantNull, vector, 1, 0, false},
	} {
		got, ok := m.constant(Instruction{c.op, []uint32{c.of, special, 7}}, nil, map[uint32]uint32{9: c.given})
		require.Equal(t, [2]any{c.want, c.ok}, [2]any{got, ok}, c)
	}
}
