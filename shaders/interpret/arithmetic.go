package interpret

import (
	"math"
	"math/bits"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/shaders/module"
)

// unaryRule, binaryRule and ternaryRule are operations on components. All operands have
// components of kind of; the result has components of kind to, with the same width unless it is
// boolean.
type (
	unaryRule struct {
		of, to kind
		make   func(width uint) func(x uint64) uint64
	}
	binaryRule struct {
		of, to kind
		make   func(width uint) func(x, y uint64) uint64
	}
	ternaryRule struct {
		of   kind
		make func(width uint) func(x, y, z uint64) uint64
	}
)

var unaryOps = map[module.Op]unaryRule{
	126: {integer, integer, int1(func(x uint64) uint64 { return -x })}, // OpSNegate
	127: {floating, floating, float1(func(x float64) float64 { return -x })},
	156: {floating, boolean, testFloat(math.IsNaN)},
	157: {floating, boolean, testFloat(func(x float64) bool { return math.IsInf(x, 0) })},
	158: {floating, boolean, testFloat(func(x float64) bool { return x-x == 0 })}, // OpIsFinite
	168: {boolean, boolean, int1(func(x uint64) uint64 { return x ^ 1 })},         // OpLogicalNot
	200: {integer, integer, int1(func(x uint64) uint64 { return ^x })},
	204: {integer, integer, func(width uint) func(uint64) uint64 {
		return func(x uint64) uint64 { return bits.Reverse64(x) >> (64 - width) }
	}},
	205: {integer, integer, int1(func(x uint64) uint64 { return uint64(bits.OnesCount64(x)) })},
	// OpQuantizeToF16
	116: {floating, floating, float1(func(x float64) float64 {
		if q := decode(16)(toHalf(x)); math.Abs(q) >= 0x1p-14 || q != q {
			return q
		}
		return math.Copysign(0, x)
	})},
}

func testFloat(f func(float64) bool) func(width uint) func(uint64) uint64 {
	return func(width uint) func(uint64) uint64 {
		in := decode(width)
		return func(x uint64) uint64 { return truth(f(in(x))) }
	}
}

var binaryOps = map[module.Op]binaryRule{
	128: {integer, integer, int2(func(x, y uint64) uint64 { return x + y })},
	129: {floating, floating, float2(func(x, y float64) float64 { return x + y })},
	130: {integer, integer, int2(func(x, y uint64) uint64 { return x - y })},
	131: {floating, floating, float2(func(x, y float64) float64 { return x - y })},
	132: {integer, integer, int2(func(x, y uint64) uint64 { return x * y })},
	133: {floating, floating, float2(func(x, y float64) float64 { return x * y })},
	134: {integer, integer, int2(func(x, y uint64) uint64 { // OpUDiv
		if y == 0 {
			return math.MaxUint64
		}
		return x / y
	})},
	135: {integer, integer, signed2(divide)},
	136: {floating, floating, float2(func(x, y float64) float64 { return x / y })},
	137: {integer, integer, int2(func(x, y uint64) uint64 { // OpUMod
		if y == 0 {
			return math.MaxUint64
		}
		return x % y
	})},
	138: {integer, integer, signed2(remainder)},
	139: {integer, integer, signed2(func(x, y int64) int64 { // OpSMod
		r := remainder(x, y)
		if r != 0 && y != 0 && (r < 0) != (y < 0) {
			r += y
		}
		return r
	})},
	140: {floating, floating, float2(math.Mod)}, // OpFRem
	141: {floating, floating, float2(modulo)},

	164: {boolean, boolean, int2(func(x, y uint64) uint64 { return truth(x == y) })},
	165: {boolean, boolean, int2(func(x, y uint64) uint64 { return x ^ y })},
	166: {boolean, boolean, int2(func(x, y uint64) uint64 { return x | y })},
	167: {boolean, boolean, int2(func(x, y uint64) uint64 { return x & y })},
	170: {integer, boolean, int2(func(x, y uint64) uint64 { return truth(x == y) })},
	171: {integer, boolean, int2(func(x, y uint64) uint64 { return truth(x != y) })},
	172: {integer, boolean, int2(func(x, y uint64) uint64 { return truth(x > y) })},
	173: {integer, boolean, signed2(func(x, y int64) int64 { return int64(truth(x > y)) })},
	174: {integer, boolean, int2(func(x, y uint64) uint64 { return truth(x >= y) })},
	175: {integer, boolean, signed2(func(x, y int64) int64 { return int64(truth(x >= y)) })},
	176: {integer, boolean, int2(func(x, y uint64) uint64 { return truth(x < y) })},
	177: {integer, boolean, signed2(func(x, y int64) int64 { return int64(truth(x < y)) })},
	178: {integer, boolean, int2(func(x, y uint64) uint64 { return truth(x <= y) })},
	179: {integer, boolean, signed2(func(x, y int64) int64 { return int64(truth(x <= y)) })},

	// Ordered comparisons with NaN are false, unordered ones true.
	180: {floating, boolean, compare(func(x, y float64) bool { return x == y })},
	181: {floating, boolean, compare(func(x, y float64) bool { return !(x < y || x > y) })},
	182: {floating, boolean, compare(func(x, y float64) bool { return x < y || x > y })},
	183: {floating, boolean, compare(func(x, y float64) bool { return x != y })},
	184: {floating, boolean, compare(func(x, y float64) bool { return x < y })},
	185: {floating, boolean, compare(func(x, y float64) bool { return !(x >= y) })},
	186: {floating, boolean, compare(func(x, y float64) bool { return x > y })},
	187: {floating, boolean, compare(func(x, y float64) bool { return !(x <= y) })},
	188: {floating, boolean, compare(func(x, y float64) bool { return x <= y })},
	189: {floating, boolean, compare(func(x, y float64) bool { return !(x > y) })},
	190: {floating, boolean, compare(func(x, y float64) bool { return x >= y })},
	191: {floating, boolean, compare(func(x, y float64) bool { return !(x < y) })},

	194: {integer, integer, shift(func(x, by uint64, _ uint) uint64 { return x >> by })},
	195: {integer, integer, shift(func(x, by uint64, width uint) uint64 { return uint64(signed(x, width) >> by) })},
	196: {integer, integer, shift(func(x, by uint64, _ uint) uint64 { return x << by })},
	197: {integer, integer, int2(func(x, y uint64) uint64 { return x | y })},
	198: {integer, integer, int2(func(x, y uint64) uint64 { return x ^ y })},
	199: {integer, integer, int2(func(x, y uint64) uint64 { return x & y })},
}

func divide(x, y int64) int64 {
	switch y {
	case 0:
		return -1
	case -1:
		return -x
	}
	return x / y
}

func remainder(x, y int64) int64 {
	switch y {
	case 0:
		return -1
	case -1:
		return 0
	}
	return x % y
}

// modulo returns a remainder with the sign of y.
func modulo(x, y float64) float64 {
	r := math.Mod(x, y)
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}

// arithmetic compiles operations on components; it returns false for other instructions.
func (f *frame) arithmetic(in module.Instruction) bool {
	if f.fast(in) {
		return true
	}
	if rule, ok := unaryOps[in.Op]; ok {
		f.unary(in, rule, in.At(2))
		return true
	}
	if rule, ok := binaryOps[in.Op]; ok {
		f.binary(in, rule, in.At(2), in.At(3))
		return true
	}
	switch in.Op {
	case opBitFieldInsert, opBitFieldSExtract, opBitFieldUExtract:
		f.bitField(in)
	case opIAddCarry, opISubBorrow, opUMulExtended, opSMulExtended:
		f.extendedInteger(in)
	case opAny, opAll:
		f.reduce(in)
	case module.OpSelect:
		f.selects(in)
	default:
		return false
	}
	return true
}

// operand returns a value of n components of a kind, and its type; n 0 allows any number.
func (f *frame) operand(id uint32, of kind, n int) (value, *typ, int) {
	v := f.value(id)
	t, count := v.t.component()
	if t == nil || t.kind != of || n != 0 && count != n {
		must.Fail("an operand of type %v", v.t)
	}
	return v, t, count
}

// results allocates the result of an instruction, of n components of a kind and width.
func (f *frame) results(in module.Instruction, to kind, width uint, n int) value {
	v := f.result(in)
	t, count := v.t.component()
	if t == nil || t.kind != to || count != n || to != boolean && t.width != width {
		must.Fail("a result of type %v", v.t)
	}
	return v
}

func (f *frame) unary(in module.Instruction, rule unaryRule, operand uint32) {
	x, t, n := f.operand(operand, rule.of, 0)
	v := f.results(in, rule.to, t.width, n)
	do := rule.make(t.width)
	to, from := v.t.words/n, t.words
	if n == 1 && from == 1 {
		to, a := v.at, x.at
		f.emit(in, v, func(t *thread) { t.r[to] = uint32(do(uint64(t.r[a]))) }, x)
		return
	}
	f.emit(in, v, func(t *thread) {
		for i := range n {
			write(t.r, v.at+i*to, to, do(read(t.r, x.at+i*from, from)))
		}
	}, x)
}

func (f *frame) binary(in module.Instruction, rule binaryRule, first, second uint32) {
	x, t, n := f.operand(first, rule.of, 0)
	y, u, _ := f.operand(second, rule.of, n)
	width := t.width
	isShift := in.Op >= 194 && in.Op <= 196
	if u.width != width && !isShift {
		must.Fail("operands of type %v and %v", x.t, y.t)
	}
	v := f.results(in, rule.to, width, n)
	do := rule.make(width)
	to, from, other := v.t.words/n, t.words, u.words
	if n == 1 && from == 1 && other == 1 {
		to, a, b := v.at, x.at, y.at
		f.emit(in, v, func(t *thread) { t.r[to] = uint32(do(uint64(t.r[a]), uint64(t.r[b]))) }, x, y)
		return
	}
	f.emit(in, v, func(t *thread) {
		for i := range n {
			write(t.r, v.at+i*to, to, do(read(t.r, x.at+i*from, from), read(t.r, y.at+i*other, other)))
		}
	}, x, y)
}

func (f *frame) ternary(in module.Instruction, rule ternaryRule, first, second, third uint32) {
	x, t, n := f.operand(first, rule.of, 0)
	y, u, _ := f.operand(second, rule.of, n)
	z, w, _ := f.operand(third, rule.of, n)
	if u.width != t.width || w.width != t.width {
		must.Fail("operands of type %v, %v and %v", x.t, y.t, z.t)
	}
	v := f.results(in, rule.of, t.width, n)
	do := rule.make(t.width)
	words := t.words
	f.emit(in, v, func(t *thread) {
		for i := range n {
			k := i * words
			write(t.r, v.at+k, words, do(read(t.r, x.at+k, words), read(t.r, y.at+k, words), read(t.r, z.at+k, words)))
		}
	}, x, y, z)
}

// selects compiles OpSelect: component by component if the condition is a vector.
func (f *frame) selects(in module.Instruction) {
	condition, _, n := f.operand(in.At(2), boolean, 0)
	yes, no, v := f.value(in.At(3)), f.value(in.At(4)), f.result(in)
	if yes.t.words != v.t.words || no.t.words != v.t.words {
		must.Fail("a %v of %v and %v", v.t, yes.t, no.t)
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
