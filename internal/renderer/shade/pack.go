package shade

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// identity is the word that fills a matrix, or an array of matrices.
const identity = "identity"

// largestBlock is the most bytes of a block whose last array is as long as its values.
const largestBlock = 64 << 20

// packer writes values into the bytes of blocks.
type packer struct {
	*uniforms
	bytes [][]byte // by block
	given [][]bool // by block and byte: a value was given for it
}

// grow makes room for the bytes of a block.
func (p *packer) grow(block, end int) {
	if more := end - len(p.bytes[block]); more > 0 {
		p.bytes[block] = append(p.bytes[block], make([]byte, more)...)
		p.given[block] = append(p.given[block], make([]bool, more)...)
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
			p.unknown(&p.notes, e.key, unknownMember(e.name, m.members()))
			continue
		}
		p.value(inner, e.node)
	}
}

// start writes what a member is where nothing gives it a value: 0, and matrices the identity. A
// runtime array gets one element.
func (p *packer) start(m *member) {
	switch {
	case m.Kind == module.Array && m.Elem.Kind >= module.Matrix: // numbers and vectors are 0 already, of which a block may hold millions
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

// matrix writes a list of rows with a number per column, or the identity.
func (p *packer) matrix(m *member, n *yaml.Node) {
	columns, rows := m.shape()
	if m.transposed {
		columns, rows = rows, columns
	}
	put := func(n *yaml.Node, column, row int) {
		if m.transposed {
			column, row = row, column
		}
		p.number(m, n, column, row)
	}
	if n.Kind == yaml.ScalarNode && (n.Value == identity || n.Value == "0") {
		for column := range columns {
			for row := range rows {
				digit := "0"
				if n.Value == identity && column == row {
					digit = "1"
				}
				put(&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: digit, Line: n.Line}, column, row)
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
			put(number, column, row)
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
	p.given[m.block][at] = true
}

// numberBits returns the bits of a number as a type stores it.
func numberBits(t *module.Type, n *yaml.Node) (uint64, error) {
	if n.Tag == "!!bool" && t.Kind != module.Float {
		var b bool
		err := n.Decode(&b)
		return map[bool]uint64{true: 1}[b], err
	}
	if n.Tag != "!!int" && n.Tag != "!!float" {
		return 0, fmt.Errorf("a number")
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

// floatBits returns the bits of a float of that width. Finite numbers must stay finite.
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
	if f >= 65520 || f <= -65520 { // of 16 bits
		return 0, errors.New("a number up to 65504")
	}
	return vertexformat.Half(f), nil
}
