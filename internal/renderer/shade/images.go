package shade

import (
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// sizeImages writes the sizes of texel buffers and one-dimensional images, which are as wide as
// they have texels, and checks the sizes of other images.
func (s *Shader) sizeImages() {
	for i, b := range s.blocks {
		if !b.image {
			continue
		}
		for k := 8; k < module.ImageHead; k++ {
			s.given[i][k] = true // how it is filtered is 0 unless the file says so
		}
		head, texels := s.bytes[i], uint64(len(s.bytes[i])-module.ImageHead)/module.TexelBytes
		if b.members()[0].name != "width" {
			module.PutImageSize(head, uint32(texels), 1)
			continue
		}
		width, height := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:])
		if s.gave(i, 0) && s.gave(i, 4) && texels > 0 && uint64(width)*uint64(height) != texels {
			must.Fail("%s: %s: %d texels, not %d x %d", s.file, b.name, texels, width, height)
		}
	}
}

// picture reads an image from a PNG file next to the uniforms file. A shader reads its texels as
// from Vulkan's UNORM format with the PNG's bits; the first row is the top row.
func (p *packer) picture(m *member, n *yaml.Node) {
	texels := m.members()[len(m.members())-1]
	if texels.Scalar().Kind != module.Float {
		p.fail(n, "%s: its texels are %s: want them as a list, a PNG file has fractions", m.short(), texels.Elem)
	}
	if filepath.Ext(n.Value) != ".png" {
		p.fail(n, "%s: %.60q: want a PNG file, or {width: 2, height: 1, texels: [[0, 0, 0, 1], [1, 1, 1, 1]]}", m.short(), n.Value)
	}
	name := n.Value
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(p.file), name)
	}
	picture, err := readPicture(name)
	if err != nil {
		p.fail(n, "%s: %w", m.short(), err)
	}
	size := picture.Bounds().Size()
	if len(m.members()) == 1 && size.Y != 1 {
		p.fail(n, "%s: %s has %d rows, and the image has one dimension", m.short(), name, size.Y)
	}
	p.grow(m.block, module.ImageHead+module.TexelBytes*size.X*size.Y)
	bytes := p.bytes[m.block]
	module.PutImageSize(bytes, uint32(size.X), uint32(size.Y))
	at := module.ImageHead
	for y := range size.Y {
		for x := range size.X {
			for _, bits := range texel(picture.At(picture.Bounds().Min.X+x, picture.Bounds().Min.Y+y)) {
				binary.LittleEndian.PutUint32(bytes[at:], bits)
				at += 4
			}
		}
	}
	for i := range p.given[m.block] {
		p.given[m.block][i] = true
	}
}

// readPicture reads a PNG file that is not too large.
func readPicture(name string) (_ image.Image, err error) {
	defer must.Catch(&err)
	const most = (largestBlock - module.ImageHead) / module.TexelBytes
	file, err := os.Open(name)
	must.OK(about(name, err))
	defer file.Close()
	config, err := png.DecodeConfig(file)
	must.OK(about(name, err))
	if int64(config.Width)*int64(config.Height) > most {
		must.Fail("%s: %d x %d texels, an image has at most %d", name, config.Width, config.Height, most)
	}
	_, err = file.Seek(0, 0)
	must.OK(about(name, err))
	picture, err := png.Decode(file)
	return picture, about(name, err)
}

// texel returns what a shader fetches for a colour. An 8-bit number is the same fraction in 16
// bits.
func texel(c color.Color) [4]uint32 {
	var wide color.NRGBA64
	switch c := c.(type) {
	case color.NRGBA:
		wide = color.NRGBA64{R: 257 * uint16(c.R), G: 257 * uint16(c.G), B: 257 * uint16(c.B), A: 257 * uint16(c.A)}
	case color.NRGBA64:
		wide = c
	default: // opaque
		r, g, b, a := c.RGBA()
		wide = color.NRGBA64{R: uint16(r), G: uint16(g), B: uint16(b), A: uint16(a)}
	}
	var element [8]byte
	for i, n := range []uint16{wide.R, wide.G, wide.B, wide.A} {
		binary.LittleEndian.PutUint16(element[2*i:], n)
	}
	return vertexformat.Array(4, 16, "UNORM").Decode(element[:])
}
