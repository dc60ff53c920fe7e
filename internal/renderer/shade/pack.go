package shade

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// identity is the word in a uniforms file for an identity matrix, or an array of them.
const identity = "identity"

// largestBlock bounds a block's size in bytes. A block that ends in a runtime array grows with the values given.
const largestBlock = 64 << 20

// packer writes values into the bytes of blocks.
type packer struct {
	*uniforms
	bytes [][]byte  // by block
	given [][]int32 // by block and byte: the line of the file that gives the number which begins there; 0 if none does
}

// grow extends a block to `end` bytes, with zeros, if it is shorter.
func (p *packer) grow(block, end int) {
	if more := end - len(p.bytes[block]); more > 0 {
		p.bytes[block] = append(p.bytes[block], make([]byte, more)...)
		p.given[block] = append(p.given[block], make([]int32, more)...)
	}
}

// value writes a value into a member.
func (p *packer) value(m *member, n *yaml.Node) {
	p.plain(n)
	switch {
	case m.isArray():
		p.array(m, n)
	case m.image && n.Kind == yaml.ScalarNode && !isNull(n):
		p.picture(m, n)
	case m.Kind == module.Struct:
		p.structure(m, n)
	case m.Kind == module.Matrix:
		p.matrix(m, n)
	case m.Kind == module.Vector:
		p.vector(m, n)
	default:
		p.number(m, n, 0, 0)
	}
}

func (p *packer) structure(m *member, n *yaml.Node) {
	for _, e := range p.entries(n) {
		inner := findIn(m.members(), []selector{{name: e.name}})
		if inner == nil {
			p.unknown(&p.notes, e.key, names.Unknown("member", e.name, names.Of(m.members(), func(x *member) string { return x.name })))
			continue
		}
		p.value(inner, e.node)
	}
}

// start writes the default value of a member: 0, and the identity for matrices. A runtime array gets one element.
func (p *packer) start(m *member) {
	switch {
	case m.Kind == module.Array && m.Elem.Kind >= module.Matrix: // a block may hold millions of numbers and vectors, which are 0 already
		for i := range m.Count {
			p.start(m.at(i))
		}
	case m.Kind == module.RuntimeArray && len(p.bytes[m.block]) < m.offset+m.Stride:
		p.grow(m.block, m.offset+m.Stride)
		p.start(m.at(0))
	case m.Kind == module.Struct:
		for _, x := range m.members() {
			p.start(x)
		}
	case m.Kind == module.Matrix && !p.has(m):
		p.matrix(m, &yaml.Node{Kind: yaml.ScalarNode, Value: identity})
	}
}

// array writes a list with one value per element, or one value into all elements.
func (p *packer) array(m *member, n *yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		if m.Kind == module.RuntimeArray {
			p.fail(n, "%s: want a list, of as many elements as the block is to have", m.short())
		}
		for i := range m.Count {
			p.value(m.at(i), n)
		}
		return
	}
	if m.Kind == module.Array && len(n.Content) != m.Count {
		p.fail(n, "%s: %d elements, %s has %d", m.short(), len(n.Content), m.Type, m.Count)
	}
	if end := int64(m.offset) + int64(len(n.Content))*int64(m.Stride); end > largestBlock {
		p.fail(n, "%s: %d bytes, a block has at most %d", m.short(), end, largestBlock)
	}
	p.grow(m.block, m.offset+len(n.Content)*m.Stride)
	for i, element := range n.Content {
		p.value(m.at(i), element)
	}
}

// vector writes a list of numbers, or one number into all components.
func (p *packer) vector(m *member, n *yaml.Node) {
	numbers := n.Content
	if n.Kind != yaml.SequenceNode {
		numbers = slices.Repeat([]*yaml.Node{n}, m.Count)
	}
	if len(numbers) != m.Count {
		p.fail(n, "%s: %d numbers, %s has %d", m.short(), len(numbers), m.Type, m.Count)
	}
	for row, number := range numbers {
		p.number(m, number, 0, row)
	}
}

// matrix writes a list of rows with a number per column, or the identity, or zeros.
func (p *packer) matrix(m *member, n *yaml.Node) {
	columns, rows := m.shape()
	if n.Kind == yaml.ScalarNode && (n.Value == identity || n.Value == "0") {
		for column := range columns {
			for row := range rows {
				digit := "0"
				if n.Value == identity && column == row {
					digit = "1"
				}
				p.number(m, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: digit, Line: n.Line}, column, row)
			}
		}
		return
	}
	check := func(n *yaml.Node, count int) {
		if n.Kind != yaml.SequenceNode || len(n.Content) != count {
			p.fail(n, "%s: %s wants a list of %d rows with %d numbers each, or %s", m.short(), m.Type, rows, columns, identity)
		}
	}
	check(n, rows)
	for row, line := range n.Content {
		check(line, columns)
		for column, number := range line.Content {
			p.number(m, number, column, row)
		}
	}
}

// number writes one number. A bool is 0 or 1, as shaders store it.
func (p *packer) number(m *member, n *yaml.Node, column, row int) {
	p.plain(n)
	if n.Kind != yaml.ScalarNode {
		p.fail(n, "%s: %s: want a number", m.short(), m.Type)
	}
	bits, err := numberBits(m.Scalar(), n)
	if err != nil {
		p.fail(n, "%s: %.40q: want %w for %s", m.short(), n.Value, err, m.Type)
	}
	at, size := m.place(column, row), m.Scalar().Width/8
	p.grow(m.block, at+size)
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], bits)
	copy(p.bytes[m.block][at:], word[:size])
	p.give(m, at, n)
}

// give notes which line gives a number. It fails if another one does: neither should silently win.
func (p *packer) give(m *member, at int, n *yaml.Node) {
	if line := p.given[m.block][at]; line > 0 {
		p.fail(n, "%q is already in line %d", m.short(), line)
	}
	p.given[m.block][at] = int32(n.Line)
}

// numberBits returns the bits of a number as a type stores it.
func numberBits(t *module.Type, n *yaml.Node) (uint64, error) {
	if n.Tag == "!!bool" && t.Kind != module.Float {
		var b bool
		err := n.Decode(&b)
		return map[bool]uint64{true: 1}[b], err
	}
	if n.Tag != "!!int" && n.Tag != "!!float" {
		return 0, errors.New("a number" + map[bool]string{true: ", true or false"}[t.Kind != module.Float])
	}
	switch t.Kind {
	case module.Int:
		var i int64
		if err := n.Decode(&i); err != nil || n.Tag != "!!int" || i < -1<<(t.Width-1) || i > 1<<(t.Width-1)-1 {
			return 0, fmt.Errorf("a whole number of %d bits", t.Width)
		}
		return uint64(i), nil
	case module.Uint:
		var u uint64
		if err := n.Decode(&u); err != nil || n.Tag != "!!int" || t.Width < 64 && u>>t.Width > 0 {
			return 0, fmt.Errorf("a whole number of %d bits, not below 0", t.Width)
		}
		return u, nil
	}
	var f float64
	if err := n.Decode(&f); err != nil {
		return 0, fmt.Errorf("a number")
	}
	return floatBits(t.Width, f)
}

// floatBits returns the bits of a float of the given width. It fails for a finite number that would become infinite.
func floatBits(width int, f float64) (uint64, error) {
	switch width {
	case 64:
		return math.Float64bits(f), nil
	case 32:
		if g := float32(f); !math.IsInf(float64(g), 0) || math.IsInf(f, 0) {
			return uint64(math.Float32bits(g)), nil
		}
		return 0, fmt.Errorf("a number up to %s", strconv.FormatFloat(math.MaxFloat32, 'g', 3, 64))
	}
	if f >= 65520 || f <= -65520 { // would round to infinity in 16 bits
		return 0, errors.New("a number up to 65504")
	}
	return vertexformat.Half(f), nil
}

// sizeImages writes the sizes of texel buffers and one-dimensional images: the width is the number of
// texels. It checks the sizes of other images.
func (s *Shader) sizeImages() {
	for i, b := range s.blocks {
		if !b.image {
			continue
		}
		for k := 8; k < module.ImageHead; k++ {
			s.given[i][k] = max(s.given[i][k], 1) // the bytes that say how the image is filtered are 0 unless the file gives them
		}
		head, texels := s.bytes[i], uint64(len(s.bytes[i])-module.ImageHead)/module.TexelBytes
		if b.members()[0].name != "width" {
			module.PutImageSize(head, uint32(texels), 1)
			continue
		}
		width, height := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:])
		if s.gave(i, 0) && s.gave(i, 4) && uint64(width)*uint64(height) != texels {
			must.Fail("%s:%d: %s: %d texels, not %d x %d", s.file, s.given[i][0], b.name, texels, width, height)
		}
	}
}

// picture reads an image from a PNG file next to the uniforms file. A shader reads its texels as those of a
// UNORM format with as many bits per channel as the PNG has; the first row is the top row.
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
		if i < 8 || i >= module.ImageHead { // how the image is filtered stands beside it, as in heights.clamp
			p.give(m, i, n)
		}
	}
}

// readPicture reads a PNG file, and fails if its picture is too large.
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

// texel returns a picture's colour as a shader fetches it. 8-bit channels are widened to 16 bits, where 255 becomes 65535.
func texel(c color.Color) [4]uint32 {
	var wide color.NRGBA64
	switch c := c.(type) {
	case color.NRGBA:
		wide = color.NRGBA64{R: 257 * uint16(c.R), G: 257 * uint16(c.G), B: 257 * uint16(c.B), A: 257 * uint16(c.A)}
	case color.NRGBA64:
		wide = c
	default: // other pictures are opaque, so that RGBA scales nothing by alpha
		r, g, b, a := c.RGBA()
		wide = color.NRGBA64{R: uint16(r), G: uint16(g), B: uint16(b), A: uint16(a)}
	}
	var element [8]byte
	for i, n := range []uint16{wide.R, wide.G, wide.B, wide.A} {
		binary.LittleEndian.PutUint16(element[2*i:], n)
	}
	return vertexformat.Array(4, 16, "UNORM").Decode(element[:])
}
