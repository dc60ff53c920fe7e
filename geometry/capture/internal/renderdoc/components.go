package renderdoc

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl32"
)

// components is how a vertex attribute is stored.
type components struct {
	count int // numbers
	bytes int // each takes; 0 for a format that is not read
	kind  byte
}

// Kinds of components.
const (
	float      = 'f'
	normSigned = 's' // -1 to 1
	norm       = 'u' // 0 to 1
	signed     = 'i' // as they are
	unsigned   = 'n'
	fixed      = 'x' // 16.16
)

func (c components) size() int64 { return int64(c.count * c.bytes) }

// unfit says why the format cannot be that of positions, or nothing.
func (c components) unfit(name string) string {
	switch {
	case c.count == 1:
		return "positions of one component"
	case c.count == 2:
		return "2D positions"
	case c.bytes == 0:
		return "positions of format " + name
	case c.bytes == 1 && c.kind == norm:
		return "no positions, only colours (" + name + ")"
	}
	return ""
}

// vulkanComponents reads the name of a format: VK_FORMAT_R16G16B16A16_SFLOAT.
// Formats that pack several components into a word have no bytes.
func vulkanComponents(format string) (c components) {
	channels, kind, _ := strings.Cut(strings.TrimPrefix(format, "VK_FORMAT_"), "_")
	bits := 0
	for rest := channels; rest != ""; c.count++ {
		n := strings.IndexAny(rest[1:], "RGBADSEX") + 1
		if n == 0 {
			n = len(rest)
		}
		width, err := strconv.Atoi(rest[1:n])
		if err != nil || c.count > 3 || rest[0] != "RGBA"[c.count] || bits != 0 && width != bits {
			return components{count: strings.Count(channels, "R") + strings.Count(channels, "G") + strings.Count(channels, "B")}
		}
		bits, rest = width, rest[n:]
	}
	c.kind = map[string]byte{
		"SFLOAT": float, "SNORM": normSigned, "UNORM": norm, "SSCALED": signed, "USCALED": unsigned, "SINT": signed, "UINT": unsigned,
	}[kind]
	c.bytes = bits / 8
	return c.checked()
}

// openGLComponents is the format of size components of a type.
func openGLComponents(size int64, typ string, normalized bool) components {
	c := components{count: int(min(max(size, 0), 4))}
	switch typ {
	case "GL_FLOAT":
		c.bytes, c.kind = 4, float
	case "GL_HALF_FLOAT", "GL_HALF_FLOAT_OES":
		c.bytes, c.kind = 2, float
	case "GL_DOUBLE":
		c.bytes, c.kind = 8, float
	case "GL_FIXED":
		c.bytes, c.kind = 4, fixed
	case "GL_BYTE", "GL_SHORT", "GL_INT":
		c.bytes, c.kind = map[string]int{"GL_BYTE": 1, "GL_SHORT": 2, "GL_INT": 4}[typ], signed
		if normalized {
			c.kind = normSigned
		}
	case "GL_UNSIGNED_BYTE", "GL_UNSIGNED_SHORT", "GL_UNSIGNED_INT":
		c.bytes, c.kind = map[string]int{"GL_UNSIGNED_BYTE": 1, "GL_UNSIGNED_SHORT": 2, "GL_UNSIGNED_INT": 4}[typ], unsigned
		if normalized {
			c.kind = norm
		}
	}
	return c.checked()
}

// checked is the format, without its bytes where decode has no such number.
func (c components) checked() components {
	ok := c.bytes == 1 || c.bytes == 2 || c.bytes == 4
	switch c.kind {
	case float:
		ok = c.bytes == 2 || c.bytes == 4 || c.bytes == 8
	case 0:
		ok = false
	}
	if !ok {
		c.bytes = 0
	}
	return c
}

// position decodes the first three components of a vertex.
func (c components) position(b []byte) (p mgl32.Vec3) {
	if c.kind == float && c.bytes == 4 {
		b = b[:12]
		p[0] = math.Float32frombits(binary.LittleEndian.Uint32(b))
		p[1] = math.Float32frombits(binary.LittleEndian.Uint32(b[4:]))
		p[2] = math.Float32frombits(binary.LittleEndian.Uint32(b[8:]))
		return p
	}
	for i := range p {
		p[i] = c.number(b[i*c.bytes:])
	}
	return p
}

// number decodes one component.
func (c components) number(b []byte) float32 {
	var bits uint64
	for i := range c.bytes {
		bits |= uint64(b[i]) << (8 * i)
	}
	wide := uint(8 * c.bytes)
	whole := int64(bits<<(64-wide)) >> (64 - wide)
	switch c.kind {
	case float:
		switch c.bytes {
		case 2:
			return half(uint16(bits))
		case 4:
			return math.Float32frombits(uint32(bits))
		}
		return float32(math.Float64frombits(bits))
	case normSigned:
		return float32(max(float64(whole)/float64(uint64(1)<<(wide-1)-1), -1))
	case norm:
		return float32(float64(bits) / float64(uint64(1)<<wide-1))
	case signed:
		return float32(whole)
	case fixed:
		return float32(float64(whole) / 65536)
	}
	return float32(bits)
}

// half is an IEEE 754 binary16 number.
func half(b uint16) float32 {
	sign, exponent, fraction := uint32(b>>15)<<31, uint32(b>>10&31), uint32(b&1023)
	switch exponent {
	case 0: // fraction * 2^-24, exact
		f := float32(fraction) * 0x1p-24
		return math.Float32frombits(math.Float32bits(f) | sign)
	case 31:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}
