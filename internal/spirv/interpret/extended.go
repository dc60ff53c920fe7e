package interpret

import (
	"math"
	"math/bits"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// glslFunctions are the rules for GLSL.std.450's functions on components, by number.
var glslFunctions = map[uint32]rule{
	1:  reals.one(math.RoundToEven), // Round, which may round halves either way
	2:  reals.one(math.RoundToEven),
	3:  reals.one(math.Trunc),
	4:  reals.one(math.Abs),
	5:  signedInts.one(func(x int64) int64 { return max(x, -x) }),
	6:  reals.one(sign),
	7:  signedInts.one(func(x int64) int64 { return int64(truth(x > 0)) - int64(truth(x < 0)) }),
	8:  reals.one(math.Floor),
	9:  reals.one(math.Ceil),
	10: reals.one(func(x float64) float64 { return x - math.Floor(x) }),
	11: reals.one(func(x float64) float64 { return x * (math.Pi / 180) }),
	12: reals.one(func(x float64) float64 { return x * (180 / math.Pi) }),
	13: reals.one(math.Sin), 14: reals.one(math.Cos), 15: reals.one(math.Tan),
	16: reals.one(math.Asin), 17: reals.one(math.Acos), 18: reals.one(math.Atan),
	19: reals.one(math.Sinh), 20: reals.one(math.Cosh), 21: reals.one(math.Tanh),
	22: reals.one(math.Asinh), 23: reals.one(math.Acosh), 24: reals.one(math.Atanh),
	27: reals.one(math.Exp), 28: reals.one(math.Log),
	29: reals.one(math.Exp2), 30: reals.one(math.Log2),
	31: reals.one(math.Sqrt),
	32: reals.one(func(x float64) float64 { return 1 / math.Sqrt(x) }),
	73: unsignedInts.one(func(x uint64) uint64 { // FindILsb
		if x == 0 {
			return math.MaxUint64
		}
		return uint64(bits.TrailingZeros64(x))
	}),
	74: signedInts.one(func(x int64) int64 { return int64(bits.Len64(uint64(max(x, ^x))) - 1) }), // FindSMsb
	75: unsignedInts.one(func(x uint64) uint64 { return uint64(bits.Len64(x) - 1) }),
	25: reals.two(math.Atan2),
	26: reals.two(math.Pow),
	37: reals.two(lesser), 79: reals.two(lesser),
	38: unsignedInts.two(func(x, y uint64) uint64 { return min(x, y) }),
	39: signedInts.two(func(x, y int64) int64 { return min(x, y) }),
	40: reals.two(greater), 80: reals.two(greater),
	41: unsignedInts.two(func(x, y uint64) uint64 { return max(x, y) }),
	42: signedInts.two(func(x, y int64) int64 { return max(x, y) }),
	48: reals.two(func(edge, x float64) float64 { return 1 - float64(truth(x < edge)) }),
	43: reals.three(limited), 81: reals.three(limited),
	44: unsignedInts.three(func(x, low, high uint64) uint64 { return min(max(x, low), high) }),
	45: signedInts.three(func(x, low, high int64) int64 { return min(max(x, low), high) }),
	46: reals.three(func(x, y, a float64) float64 { return float64(x*(1-a)) + float64(y*a) }),
	49: reals.three(func(from, to, x float64) float64 {
		t := limited((x-from)/(to-from), 0, 1)
		return t * t * (3 - float64(2*t))
	}),
	50: reals.three(math.FMA),
}

func sign(x float64) float64 { return float64(truth(x > 0)) - float64(truth(x < 0)) }

// lesser and greater return the lesser and the greater operand. If one operand is NaN, they return the other.
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

// extended compiles GLSL.std.450's functions. Debug instructions do nothing.
func (f *frame) extended(in module.Instruction) {
	if f.debug(in) {
		return
	}
	number := in.At(3)
	if r, ok := glslFunctions[number]; ok {
		f.componentwise(in, r, 4, false)
	} else if !f.geometric(in, number) && !f.packing(in, number) && !f.splitting(in, number) {
		must.Fail("function %d of GLSL.std.450 is not supported", number)
	}
}

const (
	glslModf        = 35
	glslModfStruct  = 36
	glslFrexp       = 51
	glslFrexpStruct = 52
	glslLdexp       = 53
)

// splitting compiles functions that split floats into parts, and Ldexp, which joins them; it returns false for others.
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
	// If the second result goes to a variable, the deferred f.store adds the store after this operation.
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

// debug reports whether an instruction is only for debuggers. Optimizers leave some of these even between blocks.
func (f *frame) debug(in module.Instruction) bool {
	return in.Op == module.OpExtInst && module.DebugSet(f.v.Module.Definition(in.At(2)).ImportName())
}
