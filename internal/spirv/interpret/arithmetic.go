package interpret

import (
	"math"
	"math/bits"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// rule is an operation on components. `of` is the kind of the operands' components, `to` the kind
// of the result's.
type rule struct {
	of, to   kind
	operands int
	// make returns the operation for operands and results of the given widths in bits. The widths differ only
	// for conversions and boolean results.
	make func(width, to uint) operation
}

// operation computes the bits of a result's component from those of up to three operands. It ignores
// the parameters of operands that the instruction does not have.
type operation func(x, y, z uint64) uint64

// componentRules are the rules for SPIR-V's own instructions on components.
var componentRules = map[module.Op]rule{
	module.OpSNegate:    unsignedInts.one(func(x uint64) uint64 { return -x }),
	module.OpFNegate:    reals.one(func(x float64) float64 { return -x }),
	module.OpIsNan:      reals.is(math.IsNaN),
	module.OpIsInf:      reals.is(func(x float64) bool { return math.IsInf(x, 0) }),
	module.OpIsFinite:   reals.is(func(x float64) bool { return x-x == 0 }),
	module.OpLogicalNot: booleans.is(func(x uint64) bool { return x == 0 }),
	module.OpNot:        unsignedInts.one(func(x uint64) uint64 { return ^x }),
	module.OpBitReverse: {integer, integer, 1, func(width, _ uint) operation {
		return func(x, _, _ uint64) uint64 { return bits.Reverse64(x) >> (64 - width) }
	}},
	module.OpBitCount: unsignedInts.one(func(x uint64) uint64 { return uint64(bits.OnesCount64(x)) }),
	module.OpQuantizeToF16: reals.one(func(x float64) float64 {
		if q := decode(16)(vertexformat.Half(x)); math.Abs(q) >= 0x1p-14 || q != q {
			return q
		}
		return math.Copysign(0, x)
	}),

	module.OpIAdd: unsignedInts.two(func(x, y uint64) uint64 { return x + y }),
	module.OpFAdd: reals.two(func(x, y float64) float64 { return x + y }),
	module.OpISub: unsignedInts.two(func(x, y uint64) uint64 { return x - y }),
	module.OpFSub: reals.two(func(x, y float64) float64 { return x - y }),
	module.OpIMul: unsignedInts.two(func(x, y uint64) uint64 { return x * y }),
	module.OpFMul: reals.two(func(x, y float64) float64 { return x * y }),
	module.OpUDiv: unsignedInts.two(divide[uint64]),
	module.OpSDiv: signedInts.two(divide[int64]),
	module.OpFDiv: reals.two(func(x, y float64) float64 { return x / y }),
	module.OpUMod: unsignedInts.two(remainder[uint64]),
	module.OpSRem: signedInts.two(remainder[int64]),
	module.OpSMod: signedInts.two(func(x, y int64) int64 { return modulo(remainder(x, y), y) }),
	module.OpFRem: reals.two(math.Mod),
	module.OpFMod: reals.two(func(x, y float64) float64 { return modulo(math.Mod(x, y), y) }),

	module.OpLogicalEqual:      booleans.compare(func(x, y uint64) bool { return x == y }),
	module.OpLogicalNotEqual:   booleans.two(func(x, y uint64) uint64 { return x ^ y }),
	module.OpLogicalOr:         booleans.two(func(x, y uint64) uint64 { return x | y }),
	module.OpLogicalAnd:        booleans.two(func(x, y uint64) uint64 { return x & y }),
	module.OpIEqual:            unsignedInts.compare(func(x, y uint64) bool { return x == y }),
	module.OpINotEqual:         unsignedInts.compare(func(x, y uint64) bool { return x != y }),
	module.OpUGreaterThan:      unsignedInts.compare(func(x, y uint64) bool { return x > y }),
	module.OpSGreaterThan:      signedInts.compare(func(x, y int64) bool { return x > y }),
	module.OpUGreaterThanEqual: unsignedInts.compare(func(x, y uint64) bool { return x >= y }),
	module.OpSGreaterThanEqual: signedInts.compare(func(x, y int64) bool { return x >= y }),
	module.OpULessThan:         unsignedInts.compare(func(x, y uint64) bool { return x < y }),
	module.OpSLessThan:         signedInts.compare(func(x, y int64) bool { return x < y }),
	module.OpULessThanEqual:    unsignedInts.compare(func(x, y uint64) bool { return x <= y }),
	module.OpSLessThanEqual:    signedInts.compare(func(x, y int64) bool { return x <= y }),

	// Ordered comparisons with NaN are false, unordered ones true.
	module.OpFOrdEqual:              reals.compare(func(x, y float64) bool { return x == y }),
	module.OpFUnordEqual:            reals.compare(func(x, y float64) bool { return !(x < y || x > y) }),
	module.OpFOrdNotEqual:           reals.compare(func(x, y float64) bool { return x < y || x > y }),
	module.OpFUnordNotEqual:         reals.compare(func(x, y float64) bool { return x != y }),
	module.OpFOrdLessThan:           reals.compare(func(x, y float64) bool { return x < y }),
	module.OpFUnordLessThan:         reals.compare(func(x, y float64) bool { return !(x >= y) }),
	module.OpFOrdGreaterThan:        reals.compare(func(x, y float64) bool { return x > y }),
	module.OpFUnordGreaterThan:      reals.compare(func(x, y float64) bool { return !(x <= y) }),
	module.OpFOrdLessThanEqual:      reals.compare(func(x, y float64) bool { return x <= y }),
	module.OpFUnordLessThanEqual:    reals.compare(func(x, y float64) bool { return !(x > y) }),
	module.OpFOrdGreaterThanEqual:   reals.compare(func(x, y float64) bool { return x >= y }),
	module.OpFUnordGreaterThanEqual: reals.compare(func(x, y float64) bool { return !(x < y) }),

	module.OpShiftRightLogical:    shift(func(x, by uint64, _ uint) uint64 { return x >> by }),
	module.OpShiftRightArithmetic: shift(func(x, by uint64, width uint) uint64 { return uint64(signed(x, width) >> by) }),
	module.OpShiftLeftLogical:     shift(func(x, by uint64, _ uint) uint64 { return x << by }),
	module.OpBitwiseOr:            unsignedInts.two(func(x, y uint64) uint64 { return x | y }),
	module.OpBitwiseXor:           unsignedInts.two(func(x, y uint64) uint64 { return x ^ y }),
	module.OpBitwiseAnd:           unsignedInts.two(func(x, y uint64) uint64 { return x & y }),
}

// divide and remainder set all bits if y is 0.
func divide[T int64 | uint64](x, y T) T {
	if y == 0 {
		return ^T(0)
	}
	return x / y
}

func remainder[T int64 | uint64](x, y T) T {
	if y == 0 {
		return ^T(0)
	}
	return x % y
}

// modulo returns the remainder of a division by y that has the sign of y, from a remainder r.
func modulo[T int64 | float64](r, y T) T {
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}

// operand returns an operand, the type of its components and their number. It fails unless the operand has
// n components of the given kind; n = 0 allows any number.
func (f *frame) operand(id uint32, of kind, n int) (value, *typ, int) {
	v := f.value(id)
	t, count := v.t.component()
	if t == nil || t.kind != of || n != 0 && count != n {
		must.Fail("an operand of type %v", v.t)
	}
	return v, t, count
}

// results allocates an instruction's result: n components of the given kind and width in bits.
func (f *frame) results(in module.Instruction, to kind, width uint, n int) value {
	v := f.result(in)
	t, count := v.t.component()
	if t == nil || t.kind != to || count != n || to != boolean && t.width != width {
		must.Fail("a result of type %v", v.t)
	}
	return v
}

// componentwise compiles an operation on components. `first` is the position of its first operand in the instruction. Only shifts may have operands
// of different widths, and only conversions (`converts`) numbers of another width as the result.
func (f *frame) componentwise(in module.Instruction, r rule, first int, converts bool) {
	var from [3]value
	var words [3]int
	var t *typ
	n := 0
	for i := range from {
		if i >= r.operands {
			from[i], words[i] = from[0], words[0] // not used
			continue
		}
		x, u, count := f.operand(in.At(first+i), r.of, n)
		if i == 0 {
			t, n = u, count
		}
		if isShift := in.Op >= module.OpShiftRightLogical && in.Op <= module.OpShiftLeftLogical; u.width != t.width && !isShift {
			must.Fail("operands of type %v and %v", from[0].t, x.t)
		}
		from[i], words[i] = x, u.words
	}
	v := f.result(in)
	u, count := v.t.component()
	if u == nil || u.kind != r.to || count != n || u.width != t.width && r.to != boolean && !converts {
		must.Fail("a result of type %v from an operand of type %v", v.t, from[0].t)
	}
	do, to := r.make(t.width, u.width), u.words
	x, y, z := from[0].at, from[1].at, from[2].at
	f.emit(in, v, func(t *thread) {
		for i := range n {
			write(t.r, v.at+i*to, to, do(read(t.r, x+i*words[0], words[0]), read(t.r, y+i*words[1], words[1]), read(t.r, z+i*words[2], words[2])))
		}
	}, from[:]...)
}

// selects compiles OpSelect: component by component if the condition is a vector.
func (f *frame) selects(in module.Instruction) {
	condition, _, n := f.operand(in.At(2), boolean, 0)
	yes, no, v := f.value(in.At(3)), f.value(in.At(4)), f.result(in)
	if yes.t.words != v.t.words || no.t.words != v.t.words {
		must.Fail("a result of type %v from operands of type %v and %v", v.t, yes.t, no.t)
	}
	if _, count := v.t.component(); n > 1 && count != n {
		must.Fail("a %v by %v", v.t, condition.t)
	}
	each := v.t.words / n
	f.emit(in, v, func(t *thread) {
		for i := range n {
			from := no.at
			if t.r[condition.at+i] != 0 {
				from = yes.at
			}
			copy(t.r[v.at+i*each:v.at+(i+1)*each], t.r[from+i*each:])
		}
	}, condition, yes, no)
}

// fastOps are the operations on 32-bit components that make up most of a vertex shader. Each is written as a
// loop over the components. Their results equal those of componentRules.
var fastOps = map[module.Op]struct {
	of kind
	do func(v, x, y []uint32)
}{
	module.OpIAdd: {integer, func(v, x, y []uint32) {
		for i := range v {
			v[i] = x[i] + y[i]
		}
	}},
	module.OpFAdd: {floating, func(v, x, y []uint32) {
		for i := range v {
			v[i] = math.Float32bits(float(x[i]) + float(y[i]))
		}
	}},
	module.OpISub: {integer, func(v, x, y []uint32) {
		for i := range v {
			v[i] = x[i] - y[i]
		}
	}},
	module.OpFSub: {floating, func(v, x, y []uint32) {
		for i := range v {
			v[i] = math.Float32bits(float(x[i]) - float(y[i]))
		}
	}},
	module.OpIMul: {integer, func(v, x, y []uint32) {
		for i := range v {
			v[i] = x[i] * y[i]
		}
	}},
	module.OpFMul: {floating, func(v, x, y []uint32) {
		for i := range v {
			v[i] = math.Float32bits(float(x[i]) * float(y[i]))
		}
	}},
	module.OpFDiv: {floating, func(v, x, y []uint32) {
		for i := range v {
			v[i] = math.Float32bits(float(x[i]) / float(y[i]))
		}
	}},
}

// fast compiles the instructions in fastOps; it returns false for other instructions and other widths.
func (f *frame) fast(in module.Instruction) bool {
	rule, ok := fastOps[in.Op]
	if !ok {
		return false
	}
	x, t, n := f.operand(in.At(2), rule.of, 0)
	y, u, _ := f.operand(in.At(3), rule.of, n)
	if t.width != 32 || u.width != 32 {
		return false
	}
	v, do := f.results(in, rule.of, 32, n), rule.do
	f.emit(in, v, func(t *thread) {
		r := t.r
		do(r[v.at:v.at+n], r[x.at:x.at+n:x.at+n], r[y.at:y.at+n:y.at+n])
	}, x, y)
	return true
}
