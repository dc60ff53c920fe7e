package interpret

import (
	"math"
	"math/bits"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

const floatOne = 0x3f800000

func float(bits uint32) float32 { return math.Float32frombits(bits) }

// mask returns a mask of the given number of lower bits.
func mask(width uint) uint64 { return 1<<width - 1 } // 1<<64 is 0

// signed returns the value of a two's complement number of the given number of bits.
func signed(x uint64, width uint) int64 { return int64(x<<(64-width)) >> (64 - width) }

// read returns a number that takes one or two registers.
func read(r []uint32, at, words int) uint64 {
	if words == 1 {
		return uint64(r[at])
	}
	return uint64(r[at]) | uint64(r[at+1])<<32
}

func write(r []uint32, at, words int, x uint64) {
	r[at] = uint32(x)
	if words == 2 {
		r[at+1] = uint32(x >> 32)
	}
}

var half, _ = vertexformat.ByName("R16_SFLOAT")

// decode returns a function that converts the bits of a float of the given width to a float64, exactly.
func decode(width uint) func(uint64) float64 {
	switch width {
	case 16:
		return func(x uint64) float64 {
			return float64(float(half.Decode([]byte{byte(x), byte(x >> 8)})[0]))
		}
	case 32:
		return func(x uint64) float64 { return float64(math.Float32frombits(uint32(x))) }
	}
	return math.Float64frombits
}

// encode returns a function that rounds a float64 to the given width, and returns its bits.
func encode(width uint) func(float64) uint64 {
	switch width {
	case 16:
		return vertexformat.Half
	case 32:
		return func(f float64) uint64 { return uint64(math.Float32bits(float32(f))) }
	}
	return math.Float64bits
}

// numbers is a way to interpret the bits of components: as booleans, as integers with or without a sign, or as reals.
type numbers[T any] struct {
	kind   kind
	decode func(width uint) func(uint64) T
	encode func(width uint) func(T) uint64
}

var (
	unsignedInts = numbers[uint64]{integer, unsignedOf, wordOf[uint64]}
	booleans     = numbers[uint64]{boolean, unsignedOf, wordOf[uint64]}
	signedInts   = numbers[int64]{integer, func(width uint) func(uint64) int64 {
		return func(x uint64) int64 { return signed(x, width) }
	}, wordOf[int64]}
	reals = numbers[float64]{floating, decode, encode}
)

func unsignedOf(uint) func(uint64) uint64 { return func(x uint64) uint64 { return x } }

// wordOf returns a function that keeps the lower width bits of an integer.
func wordOf[T int64 | uint64](width uint) func(T) uint64 {
	return func(x T) uint64 { return uint64(x) & mask(width) }
}

// one, two and three make the rule of an operation on that many numbers. The rules that `is` (one number) and
// compare (two) make have a boolean result.
func (n numbers[T]) one(f func(x T) T) rule {
	return rule{n.kind, n.kind, 1, func(width, _ uint) operation {
		in, out := n.decode(width), n.encode(width)
		return func(x, _, _ uint64) uint64 { return out(f(in(x))) }
	}}
}

func (n numbers[T]) two(f func(x, y T) T) rule {
	return rule{n.kind, n.kind, 2, func(width, _ uint) operation {
		in, out := n.decode(width), n.encode(width)
		return func(x, y, _ uint64) uint64 { return out(f(in(x), in(y))) }
	}}
}

func (n numbers[T]) three(f func(x, y, z T) T) rule {
	return rule{n.kind, n.kind, 3, func(width, _ uint) operation {
		in, out := n.decode(width), n.encode(width)
		return func(x, y, z uint64) uint64 { return out(f(in(x), in(y), in(z))) }
	}}
}

func (n numbers[T]) is(f func(x T) bool) rule {
	r := n.compare(func(x, _ T) bool { return f(x) })
	r.operands = 1
	return r
}

func (n numbers[T]) compare(f func(x, y T) bool) rule {
	return rule{n.kind, boolean, 2, func(width, _ uint) operation {
		in := n.decode(width)
		return func(x, y, _ uint64) uint64 { return truth(f(in(x), in(y))) }
	}}
}

// shift makes the rule of a shift, whose distance is taken modulo the width.
func shift(f func(x, by uint64, width uint) uint64) rule {
	return rule{integer, integer, 2, func(width, _ uint) operation {
		return func(x, by, _ uint64) uint64 { return f(x, by&uint64(width-1), width) & mask(width) }
	}}
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// toInteger converts a float to an integer of the given width, dropping the fraction and clamping; NaN
// gives 0.
func toInteger(f float64, width uint, isSigned bool) uint64 {
	low, high := 0., math.Ldexp(1, int(width))
	if isSigned {
		low, high = -high/2, high/2
	}
	switch {
	case f != f:
		return 0
	case f <= low:
		return uint64(int64(low)) & mask(width)
	case f >= high && isSigned:
		return mask(width) >> 1
	case f >= high:
		return mask(width)
	case isSigned:
		return uint64(int64(f)) & mask(width)
	}
	return uint64(f)
}

// conversions are the rules for conversions between numbers.
var conversions = map[module.Op]rule{
	module.OpConvertFToU: {floating, integer, 1, func(from, to uint) operation {
		number := decode(from)
		return func(x, _, _ uint64) uint64 { return toInteger(number(x), to, false) }
	}},
	module.OpConvertFToS: {floating, integer, 1, func(from, to uint) operation {
		number := decode(from)
		return func(x, _, _ uint64) uint64 { return toInteger(number(x), to, true) }
	}},
	module.OpConvertSToF: {integer, floating, 1, func(from, to uint) operation {
		out := encode(to)
		return func(x, _, _ uint64) uint64 { return out(rounded(signed(x, from), to)) }
	}},
	module.OpConvertUToF: {integer, floating, 1, func(_, to uint) operation {
		out := encode(to)
		return func(x, _, _ uint64) uint64 { return out(rounded(x, to)) }
	}},
	module.OpUConvert: {integer, integer, 1, func(_, to uint) operation {
		return func(x, _, _ uint64) uint64 { return x & mask(to) }
	}},
	module.OpSConvert: {integer, integer, 1, func(from, to uint) operation {
		return func(x, _, _ uint64) uint64 { return uint64(signed(x, from)) & mask(to) }
	}},
	module.OpFConvert: {floating, floating, 1, func(from, to uint) operation {
		number, out := decode(from), encode(to)
		return func(x, _, _ uint64) uint64 { return out(number(x)) }
	}},
}

// rounded converts an integer to a float such that encode, called next, gives the result of a single rounding.
func rounded[T int64 | uint64](x T, width uint) float64 {
	if width == 32 {
		return float64(float32(x))
	}
	return float64(x)
}

// bitcast compiles instructions that reinterpret the bits of numbers as another type.
func (f *frame) bitcast(in module.Instruction) {
	x, t := f.value(in.At(2)), f.of(in.At(0))
	from, n := x.t.component()
	to, m := t.component()
	if from == nil || to == nil || from.kind == boolean || to.kind == boolean || uint(n)*from.width != uint(m)*to.width {
		must.Fail("a result of type %v from an operand of type %v", t, x.t)
	}
	if from.width == to.width || x.t.words == t.words && min(from.width, to.width) >= 32 {
		f.values[in.Result()] = value{x.at, t, x.steady}
		return
	}
	v := f.result(in)
	f.emit(in, v, func(t *thread) {
		clear(t.r[v.at : v.at+v.t.words])
		for bit := uint(0); bit < uint(n)*from.width; bit += min(from.width, to.width) {
			width := min(from.width, to.width)
			piece := read(t.r, x.at+int(bit/from.width)*from.words, from.words) >> (bit % from.width) & mask(width)
			at := v.at + int(bit/to.width)*to.words
			write(t.r, at, to.words, read(t.r, at, to.words)|piece<<(bit%to.width))
		}
	}, x)
}

// bitField compiles instructions that extract or insert a range of bits. Two scalar operands give the
// range's offset and length in bits. Bits beyond the integer are ignored.
func (f *frame) bitField(in module.Instruction) {
	base, t, n := f.operand(in.At(2), integer, 0)
	insert, rest := base, in.Operands[3:]
	if in.Op == module.OpBitFieldInsert {
		insert, _, _ = f.operand(in.At(3), integer, n)
		rest = in.Operands[4:]
	}
	if len(rest) < 2 || insert.t.words != base.t.words {
		must.Fail("operands of type %v and %v", base.t, insert.t)
	}
	offset, a, _ := f.operand(rest[0], integer, 1)
	count, b, _ := f.operand(rest[1], integer, 1)
	v := f.results(in, integer, t.width, n)
	width, words := t.width, t.words
	f.emit(in, v, func(t *thread) {
		from := min(read(t.r, offset.at, a.words), uint64(width))
		many := min(read(t.r, count.at, b.words), uint64(width)-from)
		field := mask(uint(many))
		for i := range n {
			x := read(t.r, base.at+i*words, words)
			switch {
			case in.Op == module.OpBitFieldInsert:
				x = x&^(field<<from) | (read(t.r, insert.at+i*words, words)&field)<<from
			case in.Op == module.OpBitFieldSExtract && many > 0:
				x = uint64(signed(x>>from, uint(many)))
			default:
				x = x >> from & field
			}
			write(t.r, v.at+i*words, words, x&mask(width))
		}
	}, base, insert, offset, count)
}

// extendedInteger compiles instructions whose result is a struct of two integers.
func (f *frame) extendedInteger(in module.Instruction) {
	x, t, n := f.operand(in.At(2), integer, 0)
	y, u, _ := f.operand(in.At(3), integer, n)
	v := f.result(in)
	if u.width != t.width || v.t.kind != structure || len(v.t.members) != 2 || v.t.members[0].words != x.t.words || v.t.members[1].words != x.t.words {
		must.Fail("a result of type %v", v.t)
	}
	width, words := t.width, t.words
	f.emit(in, v, func(t *thread) {
		for i := range n {
			low, high := extend(in.Op, read(t.r, x.at+i*words, words), read(t.r, y.at+i*words, words), width)
			write(t.r, v.at+i*words, words, low&mask(width))
			write(t.r, v.at+(n+i)*words, words, high&mask(width))
		}
	}, x, y)
}

func extend(op module.Op, x, y uint64, width uint) (low, high uint64) {
	switch op {
	case module.OpIAddCarry:
		low, carry := bits.Add64(x, y, 0)
		return low, carry | low>>(width-1)>>1&1
	case module.OpISubBorrow:
		return x - y, truth(x < y)
	case module.OpUMulExtended:
		high, low := bits.Mul64(x, y)
		if width < 64 {
			high = low >> width
		}
		return low, high
	}
	a, b := signed(x, width), signed(y, width)
	if width < 64 {
		product := a * b
		return uint64(product), uint64(product >> width)
	}
	high, low = bits.Mul64(uint64(a), uint64(b))
	if a < 0 {
		high -= uint64(b)
	}
	if b < 0 {
		high -= uint64(a)
	}
	return low, high
}

func (f *frame) reduce(in module.Instruction) {
	x, _, n := f.operand(in.At(2), boolean, 0)
	v := f.results(in, boolean, 32, 1)
	all := in.Op == module.OpAll
	f.emit(in, v, func(t *thread) {
		is := all
		for _, b := range t.r[x.at : x.at+n] {
			if (b != 0) != all {
				is = !all
			}
		}
		t.r[v.at] = uint32(truth(is))
	}, x)
}
