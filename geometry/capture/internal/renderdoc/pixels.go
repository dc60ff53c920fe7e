package renderdoc

import (
	"encoding/binary"
	"image"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// storedImage is the largest level of a 2D image, as calls and initial contents write it.
type storedImage struct {
	width, height int64
	opaque        bool // it has no alpha, whatever is written to it
	parts         []imagePart
}

// imagePart is a rectangle of texels that is written at a time.
type imagePart struct {
	clock               int // of the frame
	from                int // the part from which on parts make up the image up to this one
	x, y, width, height int64
	format              string // without the prefix of the API
	what                blob
}

// channels say what red, green, blue and alpha of a sample are: one of "rgba01" each.
type channels [4]byte

var identity = channels{'r', 'g', 'b', 'a'}

// swizzle sets channel i by the name that an API gives its source.
func (c *channels) swizzle(i int64, name string) {
	name = name[strings.LastIndexByte(name, '_')+1:]
	if source := map[string]byte{"R": 'r', "G": 'g', "B": 'b', "A": 'a', "RED": 'r', "GREEN": 'g', "BLUE": 'b', "ALPHA": 'a', "ZERO": '0', "ONE": '1'}[name]; source != 0 && i < 4 {
		c[i] = source
	}
}

// maxImageSide exceeds the sides of images that devices have.
const maxImageSide = 1 << 15

// newImage makes the storage of an image.
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

// writeTexels writes a rectangle of an image.
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

// pixelFormat is how texels are stored: in blocks of side x side, each of some bytes.
type pixelFormat struct {
	side, bytes int64
	order       string                           // of the channels of a block of one texel, or those that larger blocks have
	unpack      func(b []byte, to *[16][4]uint8) // of larger blocks
}

// blocks returns how many blocks cover some texels in a row or column; row, their bytes.
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

// pixelName returns an API's name of a format without what differs between extensions.
func pixelName(e elem) string {
	name := strings.TrimPrefix(strings.TrimPrefix(e.enum(), "VK_FORMAT_"), "GL_")
	return strings.TrimSuffix(name, "_EXT")
}

// Pixels decodes an image. It fails as package must does.
func (f *Frame) Pixels(number int) *image.NRGBA {
	i := &f.Images[number]
	whole := 8 * int64(i.Width) * int64(i.Height) // here, and as the caller converts it
	must.OK(f.blobs.budget.Memory(whole))
	defer f.blobs.budget.Free(whole)
	out := image.NewNRGBA(image.Rect(0, 0, i.Width, i.Height))
	for _, p := range i.parts {
		format := pixelFormats[p.format]
		row := format.row(p.width)
		size := row * format.blocks(p.height)
		must.OK(f.blobs.budget.Memory(size))
		must.OK(f.blobs.budget.Work(8 * p.width * p.height))
		data := make([]byte, 0, size)
		f.blobs.stream(p.what, size, func(_ int64, piece []byte) { data = append(data, piece...) })
		var block [16][4]uint8
		for y := int64(0); y < p.height; y += format.side {
			for x := int64(0); x < p.width; x += format.side {
				format.read(data[y/format.side*row+x/format.side*format.bytes:], &block)
				for k := range format.side * format.side {
					if dx, dy := k%format.side, k/format.side; x+dx < p.width && y+dy < p.height {
						i.put(out.Pix[out.PixOffset(int(p.x+x+dx), int(p.y+y+dy)):], block[k])
					}
				}
			}
		}
		f.blobs.budget.Free(size)
	}
	return out
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

// put writes a texel as the sampler returns it.
func (c *channels) put(to []uint8, texel [4]uint8) {
	all := [6]uint8{texel[0], texel[1], texel[2], texel[3], 0, 255}
	for i, source := range c {
		to[i] = all[strings.IndexByte("rgba01", source)]
	}
}

// The formats of S3TC (BC1 to BC3): a block is two colours and 2 bits for each texel, which
// choose a mixture; BC2 and BC3 have its alpha before that.

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

// unpackColors unpacks the colours of a block. punched says that blocks whose first colour is not
// the greater one have a transparent texel in place of the fourth mixture.
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
