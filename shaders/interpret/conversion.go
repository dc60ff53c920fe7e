package interpret

import (
	"math/big"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/shaders/module"
)

// conversion compiles conversions between numbers; it returns false for other instructions.
func (f *frame) conversion(in module.Instruction) bool {
	const floatToUnsigned, floatToSigned = 109, 110
	switch in.Op {
	case floatToUnsigned, floatToSigned:
		isSigned := in.Op == floatToSigned
		f.convert(in, floating, integer, func(from, to uint) func(uint64) uint64 {
			number := decode(from)
			return func(x uint64) uint64 { return toInteger(number(x), to, isSigned) }
		})
	case module.OpConvertSToF:
		f.convert(in, integer, floating, func(from, to uint) func(uint64) uint64 {
			if to == 32 {
				return func(x uint64) uint64 { return encode(32)(rounded(signed(x, from), 0)) }
			}
			out := encode(to)
			return func(x uint64) uint64 { return out(float64(signed(x, from))) }
		})
	case module.OpConvertUToF:
		f.convert(in, integer, floating, func(from, to uint) func(uint64) uint64 {
			if to == 32 {
				return func(x uint64) uint64 { return encode(32)(rounded(0, x)) }
			}
			out := encode(to)
			return func(x uint64) uint64 { return out(float64(x)) }
		})
	case module.OpUConvert:
		f.convert(in, integer, integer, func(_, to uint) func(uint64) uint64 {
			return func(x uint64) uint64 { return x & mask(to) }
		})
	case module.OpSConvert:
		f.convert(in, integer, integer, func(from, to uint) func(uint64) uint64 {
			return func(x uint64) uint64 { return uint64(signed(x, from)) & mask(to) }
		})
	case module.OpFConvert:
		f.convert(in, floating, floating, func(from, to uint) func(uint64) uint64 {
			number, out := decode(from), encode(to)
			return func(x uint64) uint64 { return out(number(x)) }
		})
	case module.OpBitcast:
		f.bitcast(in)
	default:
		return false
	}
	return true
}

// rounded converts an integer to a float64 that rounds to the same 32-bit float as the integer.
// Beyond 2^53, where the float64 would itself be rounded, it returns the nearest 32-bit float.
func rounded(x int64, y uint64) float64 {
	const exact = 1 << 53
	if x > -exact && x < exact && y < exact {
		return float64(x) + float64(y)
	}
	sum := new(big.Int).Add(big.NewInt(x), new(big.Int).SetUint64(y))
	f, _ := new(big.Float).SetInt(sum).Float32()
	return float64(f)
}

func (f *frame) convert(in module.Instruction, of, to kind, make func(from, to uint) func(uint64) uint64) {
	x, t, n := f.operand(in.At(2), of, 0)
	v := f.result(in)
	u, count := v.t.component()
	if u == nil || u.kind != to || count != n {
		must.Fail("a %v of a %v", v.t, x.t)
	}
	do := make(t.width, u.width)
	from, into := t.words, u.words
	f.emit(in, v, func(t *thread) {
		for i := range n {
			write(t.r, v.at+i*into, into, do(read(t.r, x.at+i*from, from)))
		}
	}, x)
}

// bitcast compiles reading the bits of numbers as another type.
func (f *frame) bitcast(in module.Instruction) {
	x, t := f.value(in.At(2)), f.of(in.At(0))
	from, n := x.t.component()
	to, m := t.component()
	if from == nil || to == nil || from.kind == boolean || to.kind == boolean || uint(n)*from.width != uint(m)*to.width {
		must.Fail("a %v of a %v", t, x.t)
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
