package renderdoc

import (
	"encoding/binary"
	"fmt"
	"image"
	"math"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// components is the storage format of a vertex attribute.
type components struct {
	count int    // number of components
	bytes int    // bytes per component; 0 for a format from which positions are not read
	kind  string // how a component is read, in Vulkan's terms, such as "UNORM"; or fixed
	three vertexformat.Format
}

// fixed is the kind of 16.16 fixed-point numbers.
const fixed = "GL_FIXED"

func (c components) size() int64 { return int64(c.count * c.bytes) }

// checked returns the format, with bytes set to 0 if the method position cannot decode it.
func (c components) checked() components {
	ok := false
	switch c.kind {
	case "SFLOAT":
		ok = c.bytes == 2 || c.bytes == 4 || c.bytes == 8
	case "UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", fixed:
		ok = c.bytes == 1 || c.bytes == 2 || c.bytes == 4
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

// vulkanComponents parses the name of a format, such as VK_FORMAT_R16G16B16A16_SFLOAT. Formats with
// another order or unequal sizes of components get 0 bytes.
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

// openGLComponents returns the format of an attribute that has `size` components of an OpenGL type.
// `scale` says how integers are read: "SCALED", "NORM" or "INT".
func openGLComponents(size int64, typ, scale string) components {
	c := openGLTypes[typ]
	c.count = int(min(max(size, 0), 4))
	c.kind = strings.Replace(c.kind, "SCALED", scale, 1)
	return c.checked()
}

// name returns a name of the format for messages: Vulkan's name, or `typ` if Vulkan has none.
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
		for i := range p {
			p[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
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

// storedImage is the largest level of a 2D image, made up of the parts that calls and the initial contents write.
type storedImage struct {
	width, height int64
	opaque        bool // whether it has no alpha, whatever is written to it
	parts         []imagePart
}

// imagePart is a rectangle of texels, as one call or the initial contents write it.
type imagePart struct {
	clock               int // frame.clock when it was written
	from                int // after this write, the image consists of the parts from this index to this part; earlier ones are overwritten
	x, y, width, height int64
	format              string // the API's name of the format, without its prefix
	what                blob
}

// channels names the stored channels that give a sample's red, green, blue and alpha, each one of "rgba01".
type channels [4]byte

var identity = channels{'r', 'g', 'b', 'a'}

// swizzle sets the source of channel i to the one that an API's name stands for. Other names change nothing.
func (c *channels) swizzle(i int64, name string) {
	name = name[strings.LastIndexByte(name, '_')+1:]
	if source := map[string]byte{"R": 'r', "G": 'g', "B": 'b', "A": 'a', "RED": 'r', "GREEN": 'g', "BLUE": 'b', "ALPHA": 'a', "ZERO": '0', "ONE": '1'}[name]; source != 0 && i < 4 {
		c[i] = source
	}
}

// maxImageSide exceeds the image sides that devices support, in texels.
const maxImageSide = 1 << 15

func (f *frame) newImage(id uint64, width, height elem, format string) {
	i := &storedImage{width: width.number(), height: height.number()}
	if min(i.width, i.height) < 1 || max(i.width, i.height) > maxImageSide {
		delete(f.images, id)
		return
	}
	known := pixelFormats[format]
	i.opaque = known.order != "" && !strings.Contains(known.order, "a")
	must.OK(f.budget.Memory(imageBytes))
	f.images[id] = i
}

func (f *frame) writeTexels(id uint64, p imagePart) {
	i := f.images[id]
	if i == nil || p.what.length == 0 || min(p.x, p.y) < 0 || min(p.width, p.height) < 1 || p.x > i.width-p.width || p.y > i.height-p.height {
		return
	}
	must.OK(f.budget.Memory(imageBytes))
	p.clock = f.clock
	if n := len(i.parts); p.width == i.width && p.height == i.height {
		p.from = n
	} else if n > 0 {
		p.from = i.parts[n-1].from
	}
	i.parts = append(i.parts, p)
}

// pixelFormat says how texels are stored: in blocks of side x side texels, each of the given number of bytes.
type pixelFormat struct {
	side, bytes int64
	order       string                           // channels of a texel as they are stored; for larger blocks, the channels that they have
	unpack      func(b []byte, to *[16][4]uint8) // unpacks a larger block; nil for single texels
}

// blocks returns how many blocks cover n texels in a row or column; row returns their bytes.
func (t *pixelFormat) blocks(texels int64) int64 { return (texels + t.side - 1) / t.side }
func (t *pixelFormat) row(texels int64) int64    { return t.blocks(texels) * t.bytes }

// pixelFormats are the formats that are read, by the names of both APIs. Colours are taken as
// they are stored, whether the API converts them from sRGB or not.
var pixelFormats = func() map[string]pixelFormat {
	formats := map[string]pixelFormat{}
	for names, f := range map[string]pixelFormat{
		"RGBA RGBA8 SRGB_ALPHA SRGB8_ALPHA8 R8G8B8A8_UNORM R8G8B8A8_SRGB": {1, 4, "rgba", nil},
		"BGRA B8G8R8A8_UNORM B8G8R8A8_SRGB":                               {1, 4, "bgra", nil},
		"RGB RGB8 SRGB SRGB8 R8G8B8_UNORM R8G8B8_SRGB":                    {1, 3, "rgb", nil},
		"BGR B8G8R8_UNORM B8G8R8_SRGB":                                    {1, 3, "bgr", nil},
		"RG RG8 R8G8_UNORM":                                               {1, 2, "rg", nil},
		"RED R8 R8_UNORM":                                                 {1, 1, "r", nil},
		"COMPRESSED_RGB_S3TC_DXT1 COMPRESSED_SRGB_S3TC_DXT1 BC1_RGB_UNORM_BLOCK BC1_RGB_SRGB_BLOCK":          {4, 8, "rgb", unpackBC1},
		"COMPRESSED_RGBA_S3TC_DXT1 COMPRESSED_SRGB_ALPHA_S3TC_DXT1 BC1_RGBA_UNORM_BLOCK BC1_RGBA_SRGB_BLOCK": {4, 8, "rgba", unpackBC1},
		"COMPRESSED_RGBA_S3TC_DXT3 COMPRESSED_SRGB_ALPHA_S3TC_DXT3 BC2_UNORM_BLOCK BC2_SRGB_BLOCK":           {4, 16, "rgba", unpackBC2},
		"COMPRESSED_RGBA_S3TC_DXT5 COMPRESSED_SRGB_ALPHA_S3TC_DXT5 BC3_UNORM_BLOCK BC3_SRGB_BLOCK":           {4, 16, "rgba", unpackBC3},
	} {
		for name := range strings.FieldsSeq(names) {
			formats[name] = f
		}
	}
	return formats
}()

// pixelName returns an API's name of a format without the suffixes that differ between extensions.
func pixelName(e elem) string {
	name := strings.TrimPrefix(strings.TrimPrefix(e.enum(), "VK_FORMAT_"), "GL_")
	return strings.TrimSuffix(name, "_EXT")
}

// Pixels decodes an image. It fails by a panic, which must.Catch turns into an error.
func (f *Frame) Pixels(number int) *image.NRGBA {
	i := &f.Images[number]
	whole := 8 * int64(i.Width) * int64(i.Height) // bytes of the image, here and in the caller's copy
	must.OK(f.blobs.budget.Memory(whole))
	defer f.blobs.budget.Free(whole)
	out := image.NewNRGBA(image.Rect(0, 0, i.Width, i.Height))
	for _, p := range i.parts {
		format := pixelFormats[p.format]
		f.blobs.texels(&p, &format, func(x, y int64, texel []byte) {
			i.put(out.Pix[out.PixOffset(int(x), int(y)):], [4]uint8(texel))
		})
	}
	return out
}

// texels calls `do` for each texel of a part of an image, with its place in the image. A texel is red, green,
// blue and alpha if the format has an order of channels, else the bytes as they are stored.
func (b *blobs) texels(p *imagePart, format *pixelFormat, do func(x, y int64, texel []byte)) {
	row := format.row(p.width)
	size := row * format.blocks(p.height)
	must.OK(b.budget.Memory(size))
	defer b.budget.Free(size)
	must.OK(b.budget.Work(8 * p.width * p.height))
	if p.what.length < size {
		leaveOut("an image has %d bytes, and needs %d", p.what.length, size)
	}
	data := make([]byte, 0, size)
	b.stream(p.what, size, func(_ int64, piece []byte) { data = append(data, piece...) })
	var block [16][4]uint8
	for y := int64(0); y < p.height; y += format.side {
		for x := int64(0); x < p.width; x += format.side {
			from := data[y/format.side*row+x/format.side*format.bytes:]
			if format.order == "" {
				do(p.x+x, p.y+y, from[:format.bytes])
				continue
			}
			format.read(from, &block)
			for k := range format.side * format.side {
				if dx, dy := k%format.side, k/format.side; x+dx < p.width && y+dy < p.height {
					do(p.x+x+dx, p.y+y+dy, block[k][:])
				}
			}
		}
	}
}

// read reads the texels of a block.
func (t *pixelFormat) read(b []byte, to *[16][4]uint8) {
	if t.unpack != nil {
		t.unpack(b, to)
		return
	}
	to[0] = [4]uint8{3: 255}
	for i := range t.order {
		to[0][strings.IndexByte("rgba", t.order[i])] = b[i]
	}
}

// put writes a texel as a sampler returns it: with its channels chosen by c.
func (c *channels) put(to []uint8, texel [4]uint8) {
	all := [6]uint8{texel[0], texel[1], texel[2], texel[3], 0, 255}
	for i, source := range c {
		to[i] = all[strings.IndexByte("rgba01", source)]
	}
}

// The formats of S3TC (BC1 to BC3): a block is two colours and 2 bits for each texel, which
// choose a mixture; BC2 and BC3 put the texels' alpha before the colours.

func unpackBC1(b []byte, to *[16][4]uint8) { unpackColors(b, to, true) }

func unpackBC2(b []byte, to *[16][4]uint8) {
	unpackColors(b[8:], to, false)
	alpha := binary.LittleEndian.Uint64(b)
	for i := range to {
		to[i][3] = uint8(alpha>>(4*i)&15) * 17
	}
}

func unpackBC3(b []byte, to *[16][4]uint8) {
	unpackColors(b[8:], to, false)
	bits := binary.LittleEndian.Uint64(b)
	a0, a1 := uint32(b[0]), uint32(b[1])
	table := [8]uint32{a0, a1, 7: 255}
	for i := uint32(1); i < 7 && a0 > a1; i++ {
		table[1+i] = ((7-i)*a0 + i*a1) / 7
	}
	for i := uint32(1); i < 5 && a0 <= a1; i++ {
		table[1+i] = ((5-i)*a0 + i*a1) / 5
	}
	for i := range to {
		to[i][3] = uint8(table[bits>>(16+3*i)&7])
	}
}

// unpackColors unpacks the colours of a block. If `punched` is set and the block's first colour is not
// greater than the second, the fourth entry of its colour table is transparent.
func unpackColors(b []byte, to *[16][4]uint8, punched bool) {
	first, second, bits := binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[2:]), binary.LittleEndian.Uint32(b[4:])
	table := [4][4]uint8{expand565(first), expand565(second)}
	thirds := first > second || !punched
	for k := range 3 {
		x, y := uint32(table[0][k]), uint32(table[1][k])
		if thirds {
			table[2][k], table[3][k] = uint8((2*x+y)/3), uint8((x+2*y)/3)
		} else {
			table[2][k] = uint8((x + y) / 2)
		}
	}
	table[2][3] = 255
	if thirds {
		table[3][3] = 255
	}
	for i := range to {
		to[i] = table[bits>>(2*i)&3]
	}
}

// expand565 widens a colour of 16 bits.
func expand565(c uint16) [4]uint8 {
	r, g, b := uint8(c>>11), uint8(c>>5&63), uint8(c&31)
	return [4]uint8{r<<3 | r>>2, g<<2 | g>>4, b<<3 | b>>2, 255}
}
