package interpret

import (
	"math"

	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

const floatOne = 0x3f800000

func float(bits uint32) float32 { return math.Float32frombits(bits) }

// mask returns that many lower one bits.
func mask(width uint) uint64 { return 1<<width - 1 } // 1<<64 is 0

// signed returns the number in that many bits of two's complement.
func signed(x uint64, width uint) int64 { return int64(x<<(64-width)) >> (64 - width) }

// read returns a number of one or two registers.
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

// decode converts a float of that width to 64 bits, exactly.
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

// encode rounds a float to that width.
func encode(width uint) func(float64) uint64 {
	switch width {
	case 16:
		return vertexformat.Half
	case 32:
		return func(f float64) uint64 { return uint64(math.Float32bits(float32(f))) }
	}
	return math.Float64bits
}

// numbers is a way to see components: as integers with or without a sign, or as reals.
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

// wordOf keeps the lower bits of an integer.
func wordOf[T int64 | uint64](width uint) func(T) uint64 {
	return func(x T) uint64 { return uint64(x) & mask(width) }
}

// one, two and three make a rule of an operation on so many numbers; is and compare make one whose
// result is a boolean.
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

// shift makes a rule of a shift, and restricts it to less than the width.
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

// toInteger converts a float to an integer of that width, dropping the fraction and clamping; NaN
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
