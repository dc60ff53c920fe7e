package renderdoc

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// components is how a vertex attribute is stored.
type components struct {
	count int    // numbers
	bytes int    // each takes; 0 for a format that positions are not read of
	kind  string // what they mean, as Vulkan has it: "UNORM"; or fixed
	three vertexformat.Format
}

// fixed is the kind of numbers of 16.16 bits.
const fixed = "GL_FIXED"

func (c components) size() int64 { return int64(c.count * c.bytes) }

// checked is the format, without its bytes where position has no such numbers.
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

// fit leaves out the draw where the format cannot be that of positions.
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

// vulkanComponents reads the name of a format: VK_FORMAT_R16G16B16A16_SFLOAT. Others, which
// pack components into a word, have no bytes.
func vulkanComponents(name string) (c components) {
	channels, kind, _ := strings.Cut(strings.TrimPrefix(name, "VK_FORMAT_"), "_")
	bits := 0
	_, _ = fmt.Sscanf(channels, "R%d", &bits) // leaves 0 where it begins otherwise
	plain := ""
	for i, channel := range "RGBA" {
		if plain += fmt.Sprintf("%c%d", channel, bits); plain == channels {
			return components{count: i + 1, bytes: bits / 8, kind: kind}.checked()
		}
	}
	return components{count: strings.Count(channels, "R") + strings.Count(channels, "G") + strings.Count(channels, "B")}
}

// openGLTypes are the formats of one component, not normalized. Those that pack several
// have no bytes.
var openGLTypes = map[string]components{
	"GL_FLOAT": {bytes: 4, kind: "SFLOAT"}, "GL_HALF_FLOAT": {bytes: 2, kind: "SFLOAT"}, "GL_HALF_FLOAT_OES": {bytes: 2, kind: "SFLOAT"},
	"GL_DOUBLE": {bytes: 8, kind: "SFLOAT"}, "GL_FIXED": {bytes: 4, kind: fixed},
	"GL_BYTE": {bytes: 1, kind: "SSCALED"}, "GL_SHORT": {bytes: 2, kind: "SSCALED"}, "GL_INT": {bytes: 4, kind: "SSCALED"},
	"GL_UNSIGNED_BYTE": {bytes: 1, kind: "USCALED"}, "GL_UNSIGNED_SHORT": {bytes: 2, kind: "USCALED"}, "GL_UNSIGNED_INT": {bytes: 4, kind: "USCALED"},
	"GL_INT_2_10_10_10_REV": {kind: "SSCALED"}, "GL_UNSIGNED_INT_2_10_10_10_REV": {kind: "USCALED"},
}

// openGLComponents is the format of size components of a type, read as scale says: "SCALED",
// "NORM", "INT".
func openGLComponents(size int64, typ, scale string) components {
	c := openGLTypes[typ]
	c.count = int(min(max(size, 0), 4))
	c.kind = strings.Replace(c.kind, "SCALED", scale, 1)
	return c.checked()
}

// name is the format as Vulkan names it; for messages typ where Vulkan has none.
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

// number decodes a component that no vertex shader of Vulkan reads in so many bits.
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
