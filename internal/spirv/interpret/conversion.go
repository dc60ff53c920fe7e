package interpret

import (
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

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

// conversion compiles conversions between numbers; it returns false for other instructions.
func (f *frame) conversion(in module.Instruction) bool {
	r, ok := conversions[in.Op]
	switch {
	case ok:
		f.componentwise(in, r, 2, true)
	case in.Op == module.OpBitcast:
		f.bitcast(in)
	default:
		return false
	}
	return true
}

// rounded converts an integer to a float that encode does not round again.
func rounded[T int64 | uint64](x T, width uint) float64 {
	if width == 32 {
		return float64(float32(x))
	}
	return float64(x)
}

// bitcast compiles reading the bits of numbers as another type.
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
