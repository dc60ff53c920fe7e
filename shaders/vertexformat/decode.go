package vertexformat

import (
	"encoding/binary"
	"math"
	"math/bits"
)

const floatOne = 0x3f800000

// one returns the bits of the number 1, which a missing fourth component has.
func (f Format) one() uint32 {
	if f.Class() == Float {
		return floatOne
	}
	return 1
}

// Decode returns the bits of the four components that a vertex shader reads from an element,
// which must have at least Size bytes.
//
// Normalized numbers become the nearest floats. Floats of 32 bits keep their bits, narrower ones
// are widened without loss; NaNs keep their fraction bits.
func (f Format) Decode(element []byte) [4]uint32 {
	in := f.row()
	out := [4]uint32{3: f.one()}
	for i, p := range in.parts {
		out[i] = in.kind.number(p.bits, in.raw(element, p))
	}
	return out
}

// raw returns the bits of a component.
func (in *info) raw(element []byte, p part) uint32 {
	switch {
	case p.bits == 32:
		return binary.LittleEndian.Uint32(element[p.at/8:])
	case p.bits == 16:
		return uint32(binary.LittleEndian.Uint16(element[p.at/8:]))
	case p.bits == 8:
		return uint32(element[p.at/8])
	}
	return binary.LittleEndian.Uint32(element) >> p.at & (1<<p.bits - 1)
}

// number returns the value that a shader reads from a component.
func (k kind) number(width uint8, raw uint32) uint32 {
	signed := int32(raw<<(32-width)) >> (32 - width)
	switch k {
	case unorm:
		return math.Float32bits(float32(raw) / float32(uint32(1)<<width-1))
	case snorm:
		return math.Float32bits(max(float32(signed)/float32(uint32(1)<<(width-1)-1), -1))
	case uscaled:
		return math.Float32bits(float32(raw))
	case sscaled:
		return math.Float32bits(float32(signed))
	case sint:
		return uint32(signed)
	case float:
		return widen(width, raw)
	}
	return raw
}

// widen converts a float of 10, 11 or 16 bits, which has 5 exponent bits, to 32 bits.
func widen(width uint8, raw uint32) uint32 {
	switch width {
	case 32:
		return raw
	case 11:
		raw <<= 4
	case 10:
		raw <<= 5
	}
	sign, exponent, fraction := raw&0x8000<<16, raw>>10&31, raw&1023
	switch {
	case exponent == 31:
		return sign | 0x7f800000 | fraction<<13
	case exponent > 0:
		return sign | (exponent+112)<<23 | fraction<<13
	case fraction == 0:
		return sign
	}
	top := uint32(bits.Len32(fraction)) - 1
	return sign | (top+103)<<23 | fraction<<(23-top)&0x7fffff
}

// Missing returns an element that decodes to 0, 0, 0, 1, for vertices without a value in the
// file.
func (f Format) Missing() []byte {
	in := f.row()
	element := make([]byte, in.size)
	if len(in.parts) < 4 {
		return element
	}
	p := in.parts[3]
	one := map[kind]uint32{unorm: 1<<p.bits - 1, snorm: 1<<(p.bits-1) - 1, float: floatOne}[in.kind]
	switch {
	case in.kind == float && p.bits == 16:
		one = 0x3c00
	case one == 0:
		one = 1
	}
	for i := range (p.bits + 7) / 8 {
		element[p.at/8+i] = byte(one << (p.at % 8) >> (8 * i))
	}
	return element
}

// Wide returns the format with 32 bits per component that holds every result of Decode.
func (f Format) Wide(components int) Format {
	return Array(components, 32, map[Class]string{Float: "SFLOAT", Sint: "SINT", Uint: "UINT"}[f.Class()])
}

// Half returns the bits of the 16-bit float nearest to f, ties to even.
func Half(f float64) uint64 {
	sign := math.Float64bits(f) >> 63 << 15
	f = math.Abs(f)
	switch {
	case f != f:
		return sign | 0x7e00
	case f == 0:
		return sign
	case f >= 65520:
		return sign | 0x7c00
	}
	_, exponent := math.Frexp(f)
	exponent = max(exponent-1, -14)
	steps := math.RoundToEven(math.Ldexp(f, 10-exponent)) // units of the last digit
	// 1024 units or more are a normal number, whose exponent implies the first 1024.
	return sign | uint64(int64(steps)+int64(exponent+14)<<10)
}
