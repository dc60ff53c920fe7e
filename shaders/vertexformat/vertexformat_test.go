package vertexformat

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNumbers compares names and numbers with those of vulkan_core.h.
func TestNumbers(t *testing.T) {
	for name, number := range map[string]uint32{
		"R8_UNORM": 9, "R8_SINT": 14, "R8G8_UINT": 20, "R8G8B8_SNORM": 24, "R8G8B8A8_UNORM": 37, "B8G8R8A8_UNORM": 44,
		"A8B8G8R8_UINT_PACK32": 55, "A2R10G10B10_SNORM_PACK32": 59, "A2B10G10R10_UNORM_PACK32": 64, "A2B10G10R10_SINT_PACK32": 69,
		"R16_SFLOAT": 76, "R16G16_USCALED": 79, "R16G16B16_UINT": 88, "R16G16B16A16_SFLOAT": 97, "R32_UINT": 98, "R32G32_SFLOAT": 103,
		"R32G32B32_SINT": 105, "R32G32B32A32_SFLOAT": 109, "B10G11R11_UFLOAT_PACK32": 122,
	} {
		f, ok := ByName("VK_FORMAT_" + name)
		require.True(t, ok, name)
		require.Equal(t, number, uint32(f), name)
		require.Equal(t, name, f.String())
		same, ok := ByNumber(number)
		require.True(t, ok && same == f)
	}
	known := 0
	for n := range uint32(300) {
		f, ok := ByNumber(n)
		if !ok {
			require.Zero(t, Format(n%256).Size()*int(1-min(n/256, 1))) // from 256 on, n is no Format
			continue
		}
		known++
		require.Equal(t, [4]uint32{0, 0, 0, f.one()}, f.Decode(f.Missing()), f)
		wide := f.Wide(f.Components())
		require.Equal(t, f.Class(), wide.Class())
		require.Equal(t, 4*f.Components(), wide.Size())
	}
	// 1 to 4 components of 8, 16 and 32 bits in 6, 7 and 3 kinds (UNORM to SFLOAT); B8G8R8A8 and
	// three packed layouts in 6 kinds each; B10G11R11.
	require.Equal(t, 4*(6+7+3)+4*6+1, known)
	_, ok := ByName("R8_SRGB")
	require.False(t, ok)
	require.Equal(t, Undefined, Array(3, 8, "SFLOAT"))
	require.Equal(t, Undefined, Array(5, 8, "UNORM"))
	require.Equal(t, "R16G16_SNORM", Array(2, 16, "SNORM").String())
}

func TestAs(t *testing.T) {
	for _, c := range []struct {
		from  string
		class Class
		to    string
	}{
		{"R8G8_UINT", Float, "R8G8_USCALED"}, {"R8G8_UINT", Sint, "R8G8_SINT"}, {"R16_SSCALED", Uint, "R16_UINT"},
		{"R8_UNORM", Float, "R8_UNORM"}, {"A2B10G10R10_SINT_PACK32", Float, "A2B10G10R10_SSCALED_PACK32"},
	} {
		f, _ := ByName(c.from)
		to, ok := f.As(c.class)
		require.True(t, ok)
		require.Equal(t, c.to, to.String())
	}
	for _, from := range []string{"R8_UNORM", "R32_SFLOAT"} {
		f, _ := ByName(from)
		_, ok := f.As(Uint)
		require.False(t, ok, "what is no integer cannot be read as one")
	}
	f, _ := ByName("R32_UINT")
	_, ok := f.As(Float)
	require.False(t, ok, "Vulkan scales no integers of 32 bits")
}

// exact rounds a fraction to the nearest float.
func exact(over, under int64) float32 {
	f, _ := new(big.Rat).SetFrac64(over, under).Float32()
	return f
}

// want returns the value of a component, by the tables of Vulkan's specification.
func want(kind string, width uint, raw uint32) uint32 {
	signed := int64(int32(raw<<(32-width)) >> (32 - width))
	switch kind {
	case "UNORM":
		return math.Float32bits(exact(int64(raw), 1<<width-1))
	case "SNORM":
		return math.Float32bits(max(exact(signed, 1<<(width-1)-1), -1))
	case "USCALED":
		return math.Float32bits(float32(raw))
	case "SSCALED":
		return math.Float32bits(float32(signed))
	case "SINT":
		return uint32(signed)
	case "UINT":
		return raw
	}
	bits := width - 5
	if width == 16 {
		bits = 10
	}
	sign, exponent, fraction := float64(1), int(raw>>bits&31), raw&(1<<bits-1)
	if width == 16 && raw>>15 == 1 {
		sign = -1
	}
	switch {
	case exponent == 31 && fraction != 0:
		return uint32(0x7f800000) | raw>>15<<31 | fraction<<(23-bits)
	case exponent == 31:
		return math.Float32bits(float32(math.Inf(int(sign))))
	case exponent == 0:
		return math.Float32bits(float32(math.Copysign(math.Ldexp(float64(fraction), -14-int(bits)), sign)))
	}
	return math.Float32bits(float32(sign * math.Ldexp(float64(fraction|1<<bits), exponent-15-int(bits))))
}

// TestComponents decodes every value of every component of up to 16 bits.
func TestComponents(t *testing.T) {
	for n := range formats {
		f := Format(n)
		if !f.Known() {
			continue
		}
		words := strings.Split(f.String(), "_")
		kind := strings.TrimPrefix(strings.TrimPrefix(words[1], "UFLOAT"), "SFLOAT")
		for i, p := range formats[f].parts {
			if p.bits == 32 {
				continue
			}
			for raw := range uint32(1) << p.bits {
				var element [16]byte
				if p.bits == 16 {
					binary.LittleEndian.PutUint16(element[p.at/8:], uint16(raw))
				} else {
					binary.LittleEndian.PutUint64(element[:], uint64(raw)<<p.at)
				}
				if got, wanted := f.Decode(element[:f.Size()])[i], want(kind, uint(p.bits), raw); got != wanted {
					t.Fatalf("%v, component %d, %#x: %#x, want %#x", f, i, raw, got, wanted)
				}
			}
		}
	}
}

// TestOrder decodes elements whose components differ, so that their order shows.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		format  string
		element uint32
		want    [4]uint32
	}{
		{"R8G8B8A8_UINT", 0x04030201, [4]uint32{1, 2, 3, 4}},
		{"B8G8R8A8_UINT", 0x04030201, [4]uint32{3, 2, 1, 4}},
		{"A8B8G8R8_UINT_PACK32", 0x04030201, [4]uint32{1, 2, 3, 4}},
		{"A2B10G10R10_UINT_PACK32", 2<<30 | 3<<20 | 4<<10 | 5, [4]uint32{5, 4, 3, 2}},
		{"A2R10G10B10_SINT_PACK32", 2<<30 | 3<<20 | 1023<<10 | 5, [4]uint32{3, math.MaxUint32, 5, math.MaxUint32 - 1}},
		{"R8_UNORM", 255, [4]uint32{floatOne, 0, 0, floatOne}},
		{"R16G16_SINT", 0xfffe0001, [4]uint32{1, math.MaxUint32 - 1, 0, 1}},
		{"R32_SFLOAT", 0x7fc12345, [4]uint32{0x7fc12345, 0, 0, floatOne}},
		{"B10G11R11_UFLOAT_PACK32", 15<<27 | 16<<17 | 14<<6, [4]uint32{math.Float32bits(.5), math.Float32bits(2), math.Float32bits(1), floatOne}},
	} {
		f, ok := ByName(c.format)
		require.True(t, ok)
		require.Equal(t, c.want, f.Decode(binary.LittleEndian.AppendUint32(nil, c.element)[:f.Size()]), c.format)
	}
	f, _ := ByName("R32G32B32A32_SFLOAT")
	require.Equal(t, [4]uint32{1, 2, 3, 4}, f.Decode([]byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0}))
}

func ExampleFormat_Decode() {
	for _, bits := range R8G8B8_UNORM.Decode([]byte{255, 51, 0}) {
		fmt.Print(math.Float32frombits(bits), " ")
	}
	// Output: 1 0.2 0 1
}
