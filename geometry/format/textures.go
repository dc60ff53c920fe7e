package format

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	pixels "image/draw"
	_ "image/jpeg" // decoder
	_ "image/png"  // decoder
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// TextureReader reads the images of a file's materials. If an image cannot be read, its materials
// keep their colours, and a note says why.
type TextureReader struct {
	Notes []string

	in     *Input
	images []*TextureImage
	most   int // the most texels, of all images together, that Read keeps
}

// NewTextureReader returns a reader of a file's images. It charges to the file's budget.
func NewTextureReader(in *Input) *TextureReader { return &TextureReader{in: in, most: mostTexels} }

// mostTexels keeps a scene's texels below the 128 MiB that every Vulkan device binds as one buffer.
const mostTexels = 30 << 20

// TextureImage is an image, and where its texels are once they are read.
type TextureImage struct {
	place string
	load  func() *image.NRGBA
	alpha *TextureImage // replaces this image's alpha; nil for none
	white bool          // its colours become white

	width, height int // of the largest level that is kept
	skipped       int // number of larger levels, which are not kept
	texel, levels int
	visible       bool // some texel has at least half of full alpha
	opaque        bool // all texels have full alpha
	clear         bool // at least 7 of 8 texels have an alpha below 16 or from 240 on, of 255
}

// Add adds an image of at least one pixel. `load` decodes it, and may fail as package must does.
func (t *TextureReader) Add(place string, width, height int, load func() *image.NRGBA) *TextureImage {
	x := &TextureImage{place: place, width: width, height: height, load: load}
	t.images = append(t.images, x)
	return x
}

// Masked reports whether an alpha test may drop some of the image, and not all: some texel has less than full
// alpha, and some has at least half. Unless the caller is `certain` that there is a test, the image must also
// look made for one: few texels lie between transparent and opaque.
func (x *TextureImage) Masked(certain bool) bool {
	return x.visible && !x.opaque && (certain || x.clear)
}

// add makes an image from the bytes of a file, which `read` returns. It returns nil, and adds a note, if they
// cannot be read. The caller appends the image to t.images.
func (t *TextureReader) add(place string, read func() []byte) (added *TextureImage) {
	t.try(place, func() {
		data := read()
		config, kind, err := image.DecodeConfig(bytes.NewReader(data))
		switch {
		case errors.Is(err, image.ErrFormat):
			must.Fail("is neither a PNG nor a JPEG image")
		case err != nil:
			must.OK(err)
		case min(config.Width, config.Height) < 1:
			must.Fail("has no pixels")
		}
		each := int64(8)
		if kind == "jpeg" {
			each = 16 // the decoder of a progressive image also keeps its coefficients in memory
		}
		need := 2 * each * int64(config.Width) * int64(config.Height)
		if err := t.in.Budget().Memory(need); err != nil {
			must.Fail("%d x %d pixels: %w", config.Width, config.Height, err)
		}
		t.in.Budget().Free(need)
		added = &TextureImage{place: place, width: config.Width, height: config.Height, load: func() *image.NRGBA {
			return flattened(bytes.NewReader(data))
		}}
	})
	return added
}

// try runs a step, and notes its failure.
func (t *TextureReader) try(place string, step func()) {
	err := func() (err error) {
		defer must.Catch(&err)
		step()
		return nil
	}()
	if err != nil {
		cause := strings.TrimPrefix(strings.TrimPrefix(err.Error(), strconv.Quote(place)), ": ") // Sibling's errors name the file
		t.Notes = append(t.Notes, fmt.Sprintf("texture %s: %s", place, CleanName(cause)))
	}
}

// sibling returns the contents of a file beside the document.
func (t *TextureReader) sibling(name string) []byte {
	if t.in.Sibling == nil {
		must.Fail("cannot be reached from here")
	}
	file, size, err := t.in.Sibling(name)
	must.OK(err)
	defer file.Close()
	t.in.Budget().Beside(size)
	must.OK(t.in.Budget().Memory(size))
	return must.Get(io.ReadAll(io.LimitReader(file, size)))
}

// Read decodes the images and returns their texels. If not all levels fit, it leaves out the largest first.
func (t *TextureReader) Read() (texels []uint32) {
	for {
		total := 0
		var largest, long *TextureImage // long has a side that is too long
		for _, x := range t.images {
			total += x.size()
			if largest == nil || x.width*x.height > largest.width*largest.height {
				largest = x
			}
			if max(x.width, x.height) > geometry.MaxTextureSide {
				long = x
			}
		}
		if long != nil {
			largest = long
		} else if total <= t.most {
			break
		}
		largest.width, largest.height, largest.skipped = max(largest.width/2, 1), max(largest.height/2, 1), largest.skipped+1
	}
	reduced := 0
	for _, x := range t.images {
		t.try(x.place, func() {
			must.OK(t.in.Budget().Memory(4 * int64(x.size())))
			pixels, width, height := t.decode(x)
			for level := 0; ; level++ {
				if level == x.skipped {
					x.texel = len(texels)
				}
				if level >= x.skipped {
					texels = append(texels, pixels...)
					x.levels++
				}
				if max(width, height) == 1 {
					break
				}
				pixels, width, height = halved(pixels, width, height)
			}
		})
		if x.levels > 0 && x.skipped > 0 {
			reduced++
		}
		x.load = nil
	}
	if reduced > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("the largest levels of %d of %d textures: all would take more than %d MiB", reduced, len(t.images), t.most>>18))
	}
	return texels
}

// size returns the number of texels of the levels that are kept.
func (x *TextureImage) size() (n int) {
	for w, h := x.width, x.height; ; w, h = max(w/2, 1), max(h/2, 1) {
		if n += w * h; w == 1 && h == 1 {
			return n
		}
	}
}

// decode returns an image's pixels as texels, and sets visible, opaque and clear.
func (t *TextureReader) decode(x *TextureImage) (texels []uint32, width, height int) {
	flat := t.pixels(x)
	size := flat.Rect.Size()
	if x.alpha != nil {
		t.replaceAlpha(flat, x.alpha)
	}
	if x.white {
		for i := range flat.Pix {
			if i%4 != 3 {
				flat.Pix[i] = 255
			}
		}
	}
	texels = make([]uint32, size.X*size.Y)
	x.opaque = true
	between := 0
	for i := range texels {
		p := flat.Pix[4*i:][:4]
		texels[i] = uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16 | uint32(p[3])<<24
		x.opaque, x.visible = x.opaque && p[3] == 255, x.visible || p[3] >= 128
		if p[3] >= 16 && p[3] < 240 {
			between++
		}
	}
	x.clear = between <= len(texels)/8
	return texels, size.X, size.Y
}

func (t *TextureReader) pixels(x *TextureImage) *image.NRGBA {
	must.OK(t.in.Budget().Work(32 * int64(x.width<<x.skipped) * int64(x.height<<x.skipped)))
	return x.load()
}

// flattened decodes a file to pixels without gaps.
func flattened(file io.Reader) *image.NRGBA {
	decoded, _ := must.Get2(image.Decode(file))
	size := decoded.Bounds().Size()
	if flat, ok := decoded.(*image.NRGBA); ok && flat.Rect.Min == (image.Point{}) && flat.Stride == 4*size.X {
		return flat
	}
	flat := image.NewNRGBA(image.Rectangle{Max: size})
	if o, ok := decoded.(interface{ Opaque() bool }); ok && o.Opaque() { // without transparency RGBA equals NRGBA, and Draw is fast
		pixels.Draw(&image.RGBA{Pix: flat.Pix, Stride: flat.Stride, Rect: flat.Rect}, flat.Rect, decoded, decoded.Bounds().Min, pixels.Src)
		return flat
	}
	for y := range size.Y {
		for px := range size.X {
			flat.Set(px, y, color.NRGBAModel.Convert(decoded.At(decoded.Bounds().Min.X+px, decoded.Bounds().Min.Y+y)))
		}
	}
	return flat
}

// replaceAlpha takes an image's alpha from another one: from its alpha, or from its brightness if
// it is opaque.
func (t *TextureReader) replaceAlpha(to *image.NRGBA, from *TextureImage) {
	mask := t.pixels(from)
	size, have := to.Rect.Size(), mask.Rect.Size()
	opaque := mask.Opaque()
	for y := range size.Y {
		for x := range size.X {
			c := mask.NRGBAAt(x*have.X/size.X, y*have.Y/size.Y)
			if opaque {
				c.A = color.GrayModel.Convert(c).(color.Gray).Y
			}
			to.Pix[y*to.Stride+4*x+3] = c.A
		}
	}
}

// Colours are averaged as light, since the mean of stored values is too dark: the mean of a black
// and a white texel, half the light, is stored as 188. A texel's weight is its alpha, since colours
// behind full transparency are arbitrary.
var (
	lightOf  = tabulated(256, func(x float64) float32 { return float32(linear(x)) })                      // by stored value, 0 to 255: its light, 0 to 1
	storedAs = tabulated(lightSteps+1, func(x float64) byte { return byte(math.Round(255 * stored(x))) }) // by light, in steps of 1/lightSteps: its stored value
)

const lightSteps = 1 << 13

// tabulated returns the values of a function at n evenly spaced places from 0 to 1.
func tabulated[T any](n int, f func(float64) T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = f(float64(i) / float64(n-1))
	}
	return list
}

// linear converts a stored sRGB value to light, both from 0 to 1 (IEC 61966-2-1).
func linear(c float64) float64 {
	if c <= .04045 {
		return c / 12.92
	}
	return math.Pow((c+.055)/1.055, 2.4)
}

// stored is the inverse of linear.
func stored(c float64) float64 {
	if c <= .0031308 {
		return c * 12.92
	}
	return 1.055*math.Pow(c, 1/2.4) - .055
}

// overlap says how much pixel `at` covers of a pixel of the next smaller level, along one axis: the share `share`, from 0 to 1.
type overlap struct {
	at    int
	share float32
}

// overlaps returns, for each pixel of the next smaller level along an axis of n pixels, the pixels that cover it.
func overlaps(n int) [][]overlap {
	list := make([][]overlap, max(n/2, 1))
	each := float64(n) / float64(len(list))
	for i := range list {
		from, to := float64(i)*each, float64(i+1)*each
		for k := int(from); k < n && float64(k) < to; k++ {
			if share := min(to, float64(k+1)) - max(from, float64(k)); share > 1e-9 {
				list[i] = append(list[i], overlap{k, float32(share / each)})
			}
		}
	}
	return list
}

// halved returns the next smaller level, and its size. Each of its texels is the mean of the texels that it covers; for
// the colour, their weights include their alpha, unless all are transparent.
func halved(texels []uint32, width, height int) ([]uint32, int, int) {
	columns, rows := overlaps(width), overlaps(height)
	out := make([]uint32, 0, len(columns)*len(rows))
	for _, row := range rows {
		for _, column := range columns {
			var light, plain [3]float32
			var alpha float32
			for _, y := range row {
				for _, x := range column {
					texel, share := texels[y.at*width+x.at], y.share*x.share
					weight := share * float32(texel>>24)
					alpha += weight
					for k := range light {
						l := lightOf[texel>>(8*k)&255]
						light[k] += weight * l
						plain[k] += share * l
					}
				}
			}
			texel := uint32(alpha+.5) << 24
			for k := range light {
				c := plain[k]
				if alpha > 0 {
					c = light[k] / alpha
				}
				texel |= uint32(storedAs[int(min(c, 1)*lightSteps+.5)]) << (8 * k)
			}
			out = append(out, texel)
		}
	}
	return out, len(columns), len(rows)
}

// Fill sets where a material's texels are. It returns false if they could not be read, or if m is nil.
func (x *TextureImage) Fill(m *geometry.Material) bool {
	if m == nil {
		return false
	}
	m.Texel, m.Width, m.Height, m.Levels = x.texel, x.width, x.height, x.levels
	return x.levels > 0
}

// boundedUV bounds the magnitudes of the numbers in a transform of texture coordinates.
const boundedUV = 1 << 16

// boundTransform returns an affine map with its numbers clamped to +-boundedUV; NaN becomes 0.
func boundTransform(rows [2][3]float64) (out [2]mgl32.Vec3) {
	for r := range rows {
		for c, x := range rows[r] {
			if x == x {
				out[r][c] = float32(min(max(x, -boundedUV), boundedUV))
			}
		}
	}
	return out
}
