package renderdoc

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// components is the storage format of a vertex attribute.
type components struct {
	count int    // number of components
	bytes int    // bytes per component; 0 for a format from which positions are not read
	kind  string // their meaning in Vulkan's terms, such as "UNORM"; or fixed
	three vertexformat.Format
}

// fixed is the kind of 16.16 fixed-point numbers.
const fixed = "GL_FIXED"

func (c components) size() int64 { return int64(c.count * c.bytes) }

// checked returns the format, with bytes set to 0 if position cannot decode it.
func (c components) checked() components {
	ok := c.bytes == 1 || c.bytes == 2 || c.bytes == 4
	switch c.kind {
	case "SFLOAT":
		ok = c.bytes == 2 || c.bytes == 4 || c.bytes == 8
	case "UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", fixed:
	default:
		ok = false
	}
	if !ok {
		c.bytes = 0
	}
	c.three = vertexformat.Array(3, 8*c.bytes, c.kind)
	return c
}

// fit leaves out the draw if positions cannot have this format.
func (c components) fit(name string) {
	switch {
	case c.count == 1:
		leaveOut("positions of one component")
	case c.count == 2:
		leaveOut("2D positions")
	case c.bytes == 0:
		leaveOut("positions of format %s", name)
	case c.bytes == 1 && c.kind == "UNORM":
		leaveOut("no positions, only colours (%s)", name)
	}
}

// vulkanComponents parses the name of a format, such as VK_FORMAT_R16G16B16A16_SFLOAT. Formats
// that pack components into a word get 0 bytes.
func vulkanComponents(name string) (c components) {
	channels, kind, _ := strings.Cut(strings.TrimPrefix(name, "VK_FORMAT_"), "_")
	bits := 0
	_, _ = fmt.Sscanf(channels, "R%d", &bits) // a name that begins differently leaves 0
	plain := ""
	for i, channel := range "RGBA" {
		if plain += fmt.Sprintf("%c%d", channel, bits); plain == channels {
			return components{count: i + 1, bytes: bits / 8, kind: kind}.checked()
		}
	}
	return components{count: strings.Count(channels, "R") + strings.Count(channels, "G") + strings.Count(channels, "B")}
}

// openGLTypes are the formats of single components, not normalized. Types that pack several
// components have 0 bytes.
var openGLTypes = map[string]components{
	"GL_FLOAT": {bytes: 4, kind: "SFLOAT"}, "GL_HALF_FLOAT": {bytes: 2, kind: "SFLOAT"}, "GL_HALF_FLOAT_OES": {bytes: 2, kind: "SFLOAT"},
	"GL_DOUBLE": {bytes: 8, kind: "SFLOAT"}, "GL_FIXED": {bytes: 4, kind: fixed},
	"GL_BYTE": {bytes: 1, kind: "SSCALED"}, "GL_SHORT": {bytes: 2, kind: "SSCALED"}, "GL_INT": {bytes: 4, kind: "SSCALED"},
	"GL_UNSIGNED_BYTE": {bytes: 1, kind: "USCALED"}, "GL_UNSIGNED_SHORT": {bytes: 2, kind: "USCALED"}, "GL_UNSIGNED_INT": {bytes: 4, kind: "USCALED"},
	"GL_INT_2_10_10_10_REV": {kind: "SSCALED"}, "GL_UNSIGNED_INT_2_10_10_10_REV": {kind: "USCALED"},
}

// openGLComponents returns the format of size components of a type; scale says how they are read:
// "SCALED", "NORM", "INT".
func openGLComponents(size int64, typ, scale string) components {
	c := openGLTypes[typ]
	c.count = int(min(max(size, 0), 4))
	c.kind = strings.Replace(c.kind, "SCALED", scale, 1)
	return c.checked()
}

// name returns Vulkan's name of the format, or typ, for messages, if Vulkan has none.
func (c components) name(typ string, bgra bool) string {
	switch {
	case c.kind == "" || c.kind == fixed:
		return typ
	case c.bytes == 0 && bgra:
		return "A2R10G10B10_" + c.kind + "_PACK32"
	case c.bytes == 0:
		return "A2B10G10R10_" + c.kind + "_PACK32"
	}
	channels := "RGBA"[:c.count]
	if bgra {
		channels = "BGRA"
	}
	name := ""
	for _, channel := range channels {
		name += fmt.Sprintf("%c%d", channel, 8*c.bytes)
	}
	return name + "_" + c.kind
}

// position decodes the first three components of a vertex.
func (c components) position(b []byte) (p mgl32.Vec3) {
	switch {
	case c.three == vertexformat.R32G32B32_SFLOAT:
		b = b[:12]
		p[0] = math.Float32frombits(binary.LittleEndian.Uint32(b))
		p[1] = math.Float32frombits(binary.LittleEndian.Uint32(b[4:]))
		p[2] = math.Float32frombits(binary.LittleEndian.Uint32(b[8:]))
	case c.three.Known():
		decoded := c.three.Decode(b)
		for i, bits := range decoded[:3] {
			switch c.three.Class() {
			case vertexformat.Float:
				p[i] = math.Float32frombits(bits)
			case vertexformat.Sint:
				p[i] = float32(int32(bits))
			case vertexformat.Uint:
				p[i] = float32(bits)
			}
		}
	default:
		for i := range p {
			p[i] = c.number(b[i*c.bytes:])
		}
	}
	return p
}

// number decodes a component of a format that Vulkan's vertex input does not have.
func (c components) number(b []byte) float32 {
	if c.bytes == 8 {
		return float32(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	bits := binary.LittleEndian.Uint32(b)
	switch c.kind {
	case "UNORM":
		return float32(float64(bits) / math.MaxUint32)
	case "SNORM":
		return float32(max(float64(int32(bits))/math.MaxInt32, -1))
	case "SSCALED":
		return float32(int32(bits))
	case fixed:
		return float32(float64(int32(bits)) / 65536)
	}
	return float32(bits)
}
