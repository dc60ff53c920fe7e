package interpret

import (
	"math"
	"math/bits"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/shaders/module"
)

// The rules for GLSL.std.450's functions on components, by number.
var (
	glslUnary = map[uint32]unaryRule{
		1:  {floating, floating, float1(math.RoundToEven)}, // Round, which may round halves either way
		2:  {floating, floating, float1(math.RoundToEven)},
		3:  {floating, floating, float1(math.Trunc)},
		4:  {floating, floating, float1(math.Abs)},
		5:  {integer, integer, signed1(func(x int64) int64 { return max(x, -x) })},
		6:  {floating, floating, float1(sign)},
		7:  {integer, integer, signed1(func(x int64) int64 { return int64(truth(x > 0)) - int64(truth(x < 0)) })},
		8:  {floating, floating, float1(math.Floor)},
		9:  {floating, floating, float1(math.Ceil)},
		10: {floating, floating, float1(func(x float64) float64 { return x - math.Floor(x) })},
		11: {floating, floating, float1(func(x float64) float64 { return x * (math.Pi / 180) })},
		12: {floating, floating, float1(func(x float64) float64 { return x * (180 / math.Pi) })},
		13: {floating, floating, float1(math.Sin)}, 14: {floating, floating, float1(math.Cos)}, 15: {floating, floating, float1(math.Tan)},
		16: {floating, floating, float1(math.Asin)}, 17: {floating, floating, float1(math.Acos)}, 18: {floating, floating, float1(math.Atan)},
		19: {floating, floating, float1(math.Sinh)}, 20: {floating, floating, float1(math.Cosh)}, 21: {floating, floating, float1(math.Tanh)},
		22: {floating, floating, float1(math.Asinh)}, 23: {floating, floating, float1(math.Acosh)}, 24: {floating, floating, float1(math.Atanh)},
		27: {floating, floating, float1(math.Exp)}, 28: {floating, floating, float1(math.Log)},
		29: {floating, floating, float1(math.Exp2)}, 30: {floating, floating, float1(math.Log2)},
		31: {floating, floating, float1(math.Sqrt)},
		32: {floating, floating, float1(func(x float64) float64 { return 1 / math.Sqrt(x) })},
		73: {integer, integer, func(width uint) func(uint64) uint64 { // FindILsb
			return func(x uint64) uint64 {
				if x == 0 {
					return mask(width)
				}
				return uint64(bits.TrailingZeros64(x))
			}
		}},
		74: {integer, integer, func(width uint) func(uint64) uint64 { // FindSMsb
			return func(x uint64) uint64 {
				if signed(x, width) < 0 {
					x = ^x & mask(width)
				}
				return uint64(bits.Len64(x)-1) & mask(width)
			}
		}},
		75: {integer, integer, int1(func(x uint64) uint64 { return uint64(bits.Len64(x) - 1) })},
	}
	glslBinary = map[uint32]binaryRule{
		25: {floating, floating, float2(math.Atan2)},
		26: {floating, floating, float2(math.Pow)},
		37: {floating, floating, float2(lesser)}, 79: {floating, floating, float2(lesser)},
		38: {integer, integer, int2(func(x, y uint64) uint64 { return min(x, y) })},
		39: {integer, integer, signed2(func(x, y int64) int64 { return min(x, y) })},
		40: {floating, floating, float2(greater)}, 80: {floating, floating, float2(greater)},
		41: {integer, integer, int2(func(x, y uint64) uint64 { return max(x, y) })},
		42: {integer, integer, signed2(func(x, y int64) int64 { return max(x, y) })},
		48: {floating, floating, float2(func(edge, x float64) float64 { return 1 - float64(truth(x < edge)) })},
	}
	glslTernary = map[uint32]ternaryRule{
		43: {floating, float3(limited)}, 81: {floating, float3(limited)},
		44: {integer, func(uint) func(x, y, z uint64) uint64 {
			return func(x, low, high uint64) uint64 { return min(max(x, low), high) }
		}},
		45: {integer, signed3(func(x, low, high int64) int64 { return min(max(x, low), high) })},
		46: {floating, float3(func(x, y, a float64) float64 { return float64(x*(1-a)) + float64(y*a) })},
		49: {floating, float3(func(from, to, x float64) float64 {
			t := limited((x-from)/(to-from), 0, 1)
			return t * t * (3 - float64(2*t))
		})},
		50: {floating, float3(math.FMA)},
	}
)

func signed1(f func(int64) int64) func(width uint) func(uint64) uint64 {
	return func(width uint) func(uint64) uint64 {
		return func(x uint64) uint64 { return uint64(f(signed(x, width))) & mask(width) }
	}
}

func sign(x float64) float64 { return float64(truth(x > 0)) - float64(truth(x < 0)) }

// lesser and greater prefer numbers to NaN.
func lesser(x, y float64) float64 {
	if y < x || x != x {
		return y
	}
	return x
}

func greater(x, y float64) float64 {
	if y > x || x != x {
		return y
	}
	return x
}

func limited(x, low, high float64) float64 { return lesser(greater(x, low), high) }

// extended compiles GLSL.std.450's functions; it returns false for other instructions. Debug
// instructions do nothing.
func (f *frame) extended(in module.Instruction) bool {
	if in.Op != module.OpExtInst {
		return false
	}
	if module.DebugSet(f.v.Module.Definition(in.At(2)).ImportName()) {
		return true
	}
	number := in.At(3)
	if rule, ok := glslUnary[number]; ok {
		f.unary(in, rule, in.At(4))
	} else if rule, ok := glslBinary[number]; ok {
		f.binary(in, rule, in.At(4), in.At(5))
	} else if rule, ok := glslTernary[number]; ok {
		f.ternary(in, rule, in.At(4), in.At(5), in.At(6))
	} else if !f.geometric(in, number) && !f.packing(in, number) && !f.splitting(in, number) {
		must.Fail("function %d of GLSL.std.450 is not supported", number)
	}
	return true
}

const (
	glslModf        = 35
	glslModfStruct  = 36
	glslFrexp       = 51
	glslFrexpStruct = 52
	glslLdexp       = 53
)

// splitting compiles functions that take floats apart; it returns false for others.
func (f *frame) splitting(in module.Instruction, number uint32) bool {
	switch number {
	case glslModf, glslModfStruct, glslFrexp, glslFrexpStruct:
	case glslLdexp:
		f.ldexp(in)
		return true
	default:
		return false
	}
	x, t, n := f.operand(in.At(4), floating, 0)
	to := f.result(in)
	whole, second := to, to
	if number == glslModfStruct || number == glslFrexpStruct {
		if to.t.kind != structure || len(to.t.members) != 2 {
			must.Fail("a result of type %v", to.t)
		}
		whole.t, second.t = to.t.members[0], to.t.members[1]
		second.at += whole.t.words
	} else {
		p := f.mustPoint(in.At(5))
		if p.t.words <= 0 {
			must.Fail("a pointer to %v", p.t)
		}
		second = value{f.registers(p.t.words), p.t, false}
		defer func() { f.store(p, second) }()
	}
	u, m := second.t.component()
	fractions := number == glslModf || number == glslModfStruct
	if u == nil || m != n || whole.t != x.t || fractions != (second.t == x.t) || !fractions && u.kind != integer {
		must.Fail("results of type %v and %v", whole.t, second.t)
	}
	in64, out := decode(t.width), encode(t.width)
	// A store follows if the second result is written to a variable, so do this for each vertex.
	f.emit(in, to, func(th *thread) {
		for i := range n {
			v := in64(read(th.r, x.at+i*t.words, t.words))
			if fractions {
				integral, fraction := math.Modf(v)
				if math.IsInf(v, 0) {
					fraction = math.Copysign(0, v)
				}
				write(th.r, whole.at+i*t.words, t.words, out(math.Copysign(fraction, v)))
				write(th.r, second.at+i*t.words, t.words, out(integral))
				continue
			}
			fraction, exponent := math.Frexp(v)
			write(th.r, whole.at+i*t.words, t.words, out(fraction))
			write(th.r, second.at+i*u.words, u.words, uint64(int64(exponent))&mask(u.width))
		}
	}, x)
	return true
}

func (f *frame) ldexp(in module.Instruction) {
	x, t, n := f.operand(in.At(4), floating, 0)
	by, u, _ := f.operand(in.At(5), integer, n)
	v := f.results(in, floating, t.width, n)
	in64, out := decode(t.width), encode(t.width)
	f.emit(in, v, func(th *thread) {
		for i := range n {
			exponent := min(max(signed(read(th.r, by.at+i*u.words, u.words), u.width), -1<<20), 1<<20)
			write(th.r, v.at+i*t.words, t.words, out(math.Ldexp(in64(read(th.r, x.at+i*t.words, t.words)), int(exponent))))
		}
	}, x, by)
}
