// Package vertexformat defines the formats of vertex attributes, with Vulkan's names and numbers,
// and how an element of each becomes the four components that a vertex shader reads.
//
// shaders/include/vertexformat.glsl does the same for shaders.
package vertexformat

import (
	"cmp"
	"fmt"
	"strings"
)

// Format is the memory layout of the components of an attribute's element, little endian. Its
// value is that of VkFormat.
type Format uint8

// Class is the type of the components that a vertex shader reads.
type Class uint8

// The classes.
const (
	Float Class = iota + 1 // 32-bit floats; missing components are 0, 0, 1
	Sint                   // 32-bit signed integers; missing components are 0, 0, 1
	Uint                   // 32-bit unsigned integers; missing components are 0, 0, 1
)

// The formats that Go code refers to by name. Known reports whether a number is a format.
const (
	Undefined           Format = 0
	R8G8B8_UNORM        Format = 23
	R8G8B8A8_UNORM      Format = 37
	R32_SFLOAT          Format = 100
	R32G32_SFLOAT       Format = 103
	R32G32B32_SFLOAT    Format = 106
	R32G32B32A32_SFLOAT Format = 109

	B10G11R11_UFLOAT_PACK32 Format = 122
)

// kind is the meaning of a component's bits.
type kind uint8

const (
	unorm   kind = iota // 0 to 1
	snorm               // -1 to 1; the lowest integer also means -1
	uscaled             // an integer, read as a float
	sscaled
	uint_
	sint
	float // has 5 exponent bits unless it has 32 bits; unsigned below 16 bits
)

var kindNames = [...]string{"UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "SFLOAT"}

// part says where a component lies in an element: its first bit, and its number of bits.
type part struct{ at, bits uint8 }

type info struct {
	name  string
	size  uint8
	kind  kind
	parts []part // of R, G, B, A
}

// formats are all vertex attribute formats that this package supports, by number; byName has their numbers by
// name. 64-bit formats, which take two locations, and sRGB formats are not supported.
var formats, byName = tables()

func tables() (t [B10G11R11_UFLOAT_PACK32 + 1]info, named map[string]Format) {
	parts := func(widths string, bits ...uint8) (list []part) {
		places, at := map[byte]part{}, uint8(0)
		for i, b := range bits {
			places[widths[i]] = part{at, b}
			at += b
		}
		for _, c := range "RGBA"[:len(bits)] {
			list = append(list, places[byte(c)])
		}
		return list
	}
	add := func(first Format, name string, kinds []kind, parts []part, suffix string) {
		size := uint8(0)
		for _, p := range parts {
			size = max(size, (p.at+p.bits+7)/8)
		}
		for i, k := range kinds {
			t[int(first)+i] = info{name + "_" + kindNames[k] + suffix, size, k, parts}
		}
	}
	integers := []kind{unorm, snorm, uscaled, sscaled, uint_, sint}
	for i := range 4 {
		n := i + 1
		letters := "RGBA"[:n]
		add([4]Format{9, 16, 23, 37}[i], "R8G8B8A8"[:2*n], integers, parts(letters, []uint8{8, 8, 8, 8}[:n]...), "")
		add(Format(70+7*i), "R16G16B16A16"[:3*n], append(integers[:6:6], float), parts(letters, []uint8{16, 16, 16, 16}[:n]...), "")
		add(Format(98+3*i), "R32G32B32A32"[:3*n], []kind{uint_, sint, float}, parts(letters, []uint8{32, 32, 32, 32}[:n]...), "")
	}
	add(44, "B8G8R8A8", integers, parts("BGRA", 8, 8, 8, 8), "")
	add(51, "A8B8G8R8", integers, parts("RGBA", 8, 8, 8, 8), "_PACK32")
	add(58, "A2R10G10B10", integers, parts("BGRA", 10, 10, 10, 2), "_PACK32")
	add(64, "A2B10G10R10", integers, parts("RGBA", 10, 10, 10, 2), "_PACK32")
	t[B10G11R11_UFLOAT_PACK32] = info{"B10G11R11_UFLOAT_PACK32", 4, float, parts("RGB", 11, 11, 10)}
	named = map[string]Format{}
	for i, f := range t {
		if f.size > 0 {
			named[f.name] = Format(i)
		}
	}
	return t, named
}

// ByName returns the format with Vulkan's name, with or without VK_FORMAT_; false if it is not supported.
func ByName(name string) (Format, bool) {
	f, ok := byName[strings.TrimPrefix(name, "VK_FORMAT_")]
	return f, ok
}

// ByNumber returns the format with a value of VkFormat; false if it is not supported.
func ByNumber(number uint32) (Format, bool) {
	if number >= uint32(len(formats)) || !Format(number).Known() {
		return Undefined, false
	}
	return Format(number), true
}

// Array returns the format with the given number of contiguous components, each of 8, 16 or 32 bits. `kind`
// is a term of Vulkan's, such as "UNORM". The result is Undefined if there is no such format.
func Array(components, bits int, kind string) Format {
	if components < 1 || components > 4 {
		return Undefined
	}
	var name strings.Builder
	for _, c := range "RGBA"[:components] {
		fmt.Fprintf(&name, "%c%d", c, bits)
	}
	return byName[name.String()+"_"+kind]
}

// Known reports whether f is a format of this package.
func (f Format) Known() bool { return f.Size() > 0 }

// String returns Vulkan's name of the format without VK_FORMAT_.
func (f Format) String() string {
	return cmp.Or(f.row().name, fmt.Sprintf("format %d", uint8(f)))
}

// Size returns the bytes of an element; 0 for unknown formats.
func (f Format) Size() int { return int(f.row().size) }

// Components returns how many components an element has.
func (f Format) Components() int { return len(f.row().parts) }

// row returns the data of a format; for unknown formats those of Undefined.
func (f Format) row() *info {
	if int(f) < len(formats) {
		return &formats[f]
	}
	return &formats[Undefined]
}

// Class returns the type of the components that a shader reads.
func (f Format) Class() Class {
	switch f.row().kind {
	case uint_:
		return Uint
	case sint:
		return Sint
	}
	return Float
}

// As returns the format that reads the same bits as components of another class: integers as floats of
// the same value, or as integers with or without a sign. It returns false if there is no such format.
func (f Format) As(class Class) (Format, bool) {
	of := f.row().kind
	to := of
	switch {
	case f.Class() == class:
		return f, true
	case of == unorm || of == snorm || of == float:
		return f, false
	case class == Uint:
		to = uint_
	case class == Sint:
		to = sint
	case of == uint_:
		to = uscaled
	default:
		to = sscaled
	}
	as, ok := byName[strings.Replace(f.String(), kindNames[of], kindNames[to], 1)]
	return as, ok
}
