package shade

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// drawNumbers are the names that the section `captured` of a uniforms file has for a draw's built-in variables.
var drawNumbers = []string{"baseVertex", "baseInstance", "instance", "drawIndex"}

// capturedDraw returns how draw n is shaded. InstanceIndex and DrawIndex are n, unless the section `captured`
// of the uniforms file gives them; n is added to an instance that it gives.
func (s *Shader) capturedDraw(n int32) geometry.DrawShading {
	d := geometry.DrawShading{Instance: n, DrawIndex: n, Clip: mgl32.Ident4()}
	into := []*int32{&d.BaseVertex, &d.BaseInstance, &d.Instance, &d.DrawIndex}
	for _, e := range s.captured {
		if e.name == "clip" {
			var rows [][]float32
			if err := e.node.Decode(&rows); err != nil || len(rows) != 4 || slices.ContainsFunc(rows, func(r []float32) bool { return len(r) != 4 }) {
				s.fail(e.node, "clip: want a list of 4 rows with 4 numbers each")
			}
			for row := range rows {
				for column, v := range rows[row] {
					d.Clip.Set(row, column, v)
				}
			}
			continue
		}
		i := slices.Index(drawNumbers, e.name)
		if i < 0 {
			s.fail(e.key, "%w", names.Unknown("number of a captured draw", e.name, append([]string{"clip"}, drawNumbers...)))
		}
		if err := e.node.Decode(into[i]); err != nil {
			s.fail(e.node, "%s: %.40q: want a whole number of 32 bits", e.name, e.node.Value)
		}
		if e.name == "instance" {
			d.Instance += n
		}
	}
	return d
}

// CapturedValues returns the text of a uniforms file for a draw of a captured frame: all values that
// the draw's vertex shader read in the frame. title says which draw it is, and attribute returns the name of
// the mesh's data for an input. The draw must have a program.
func CapturedValues(of *geometry.Shading, d geometry.DrawShading, title string, attribute func(link.Input) string) (_ string, err error) {
	defer must.Catch(&err)
	p := &of.Programs[d.Program]
	s := &Shader{Source: Source{File: p.Name}, Vertex: p.Vertex}
	s.blocks, s.inputs = s.blocksOf(), inputsOf(s.Vertex)
	var t strings.Builder
	fmt.Fprintf(&t, "# what the vertex shader read in %s\n", names.Printable(title))
	read := reads(s.Vertex)
	for i, b := range s.blocks {
		bytes := of.Values[d.Values[i]]
		if len(bytes) > largestUniforms/2 {
			must.Fail("%s: %d bytes, a uniforms file holds at most %d", s.blockText(i), len(bytes), largestUniforms/2)
		}
		fmt.Fprintf(&t, "\n# %s\n", s.blockText(i))
		if b.image {
			fmt.Fprintf(&t, "%s: %s\n", b.name, b.text(bytes))
			continue
		}
		b.leaves(func(m *member) {
			if m.isArray() && !overlaps(read, s.Vertex.Blocks[i].ID, m.steps) {
				fmt.Fprintf(&t, "# %s (%s) is not read\n", m.short(), m.Type)
				return
			}
			name := m.shortest(s.blocks)
			if slices.Contains([]string{attributesSection, specializationSection, wellKnownSection, capturedSection}, name) {
				name = m.path()
			}
			fmt.Fprintf(&t, "%s: %s\n", name, m.text(bytes))
		})
	}
	s.capturedSections(&t, p, d, attribute)
	if t.Len() > largestUniforms {
		must.Fail("the values take %d bytes, a uniforms file has at most %d", t.Len(), largestUniforms)
	}
	return t.String(), nil
}

// capturedSections writes the sections attributes, specialization and captured.
func (s *Shader) capturedSections(t *strings.Builder, p *link.Program, d geometry.DrawShading, attribute func(link.Input) string) {
	if len(p.Inputs) > 0 {
		fmt.Fprintf(t, "\n%s:\n", attributesSection)
	}
	for _, from := range p.Inputs {
		name := strconv.Itoa(int(from.Location))
		if i := slices.IndexFunc(s.inputs, func(in input) bool { return in.location == from.Location }); i >= 0 {
			name = cmp.Or(s.inputs[i].name, name)
		}
		fmt.Fprintf(t, "  %s: %s\n", name, attribute(from))
	}
	var constants []string
	for _, c := range s.Vertex.Specializations {
		if bits, given := s.Vertex.Given[c.ID]; given {
			constants = append(constants, fmt.Sprintf("  %d: %s\n", c.ID, numberText(&module.Type{Kind: c.Kind, Width: 32}, uint64(bits))))
		}
	}
	if len(constants) > 0 {
		fmt.Fprintf(t, "\n%s:\n%s", specializationSection, strings.Join(constants, ""))
	}
	fmt.Fprintf(t, "\n%s:\n", capturedSection)
	for i, n := range []int32{d.BaseVertex, d.BaseInstance, d.Instance, d.DrawIndex} {
		fmt.Fprintf(t, "  %s: %d\n", drawNumbers[i], n)
	}
	var rows []string
	for row := range 4 {
		r := d.Clip.Row(row)
		rows = append(rows, list(4, ", ", func(i int) string { return floatText(float64(r[i]), 32) }))
	}
	fmt.Fprintf(t, "  clip: [%s]  # from the shader's clip space to Vulkan's\n", strings.Join(rows, ", "))
}

// text returns a member's value in the syntax of a uniforms file. bytes are the contents of its block.
func (m *member) text(bytes []byte) string {
	number := func(column, row int) string { return numberText(m.Scalar(), m.number(bytes, column, row)) }
	switch {
	case m.isArray():
		count, between := m.Count, ", "
		if m.Kind == module.RuntimeArray {
			count = max(0, len(bytes)-m.offset) / m.Stride
		}
		if m.Elem.Kind != module.Int && m.Elem.Kind != module.Uint && m.Elem.Kind != module.Float {
			between = ",\n  "
		}
		return list(count, between, func(i int) string { return m.at(i).text(bytes) })
	case m.Kind == module.Struct:
		parts := names.Of(m.members(), func(x *member) string { return x.name + ": " + x.text(bytes) })
		return "{" + strings.Join(parts, ", ") + "}"
	case m.Kind == module.Matrix:
		columns, rows := m.shape()
		return list(rows, ", ", func(row int) string {
			return list(columns, ", ", func(column int) string { return number(column, row) })
		})
	case m.Kind == module.Vector:
		return list(m.Count, ", ", func(row int) string { return number(0, row) })
	}
	return number(0, 0)
}

// list returns the text of a list of `count` values; value(i) is the text of value i.
func list(count int, between string, value func(int) string) string {
	parts := make([]string, count)
	for i := range parts {
		parts[i] = value(i)
	}
	return "[" + strings.Join(parts, between) + "]"
}

// number returns the bits of one number of a member; 0 if the block's bytes end before the number does.
func (m *member) number(bytes []byte, column, row int) uint64 {
	at, size := m.place(column, row), m.Scalar().Width/8
	var word [8]byte
	if at+size <= len(bytes) {
		copy(word[:], bytes[at:at+size])
	}
	return binary.LittleEndian.Uint64(word[:])
}

// signed sign-extends an integer of width bits.
func signed(bits uint64, width int) int64 { return int64(bits) << (64 - width) >> (64 - width) }

func numberText(t *module.Type, bits uint64) string {
	switch {
	case t.Kind == module.Int:
		return strconv.FormatInt(signed(bits, t.Width), 10)
	case t.Kind != module.Float:
		return strconv.FormatUint(bits, 10)
	case t.Width == 64:
		return floatText(math.Float64frombits(bits), 64)
	case t.Width == 16:
		must.Fail("floats of 16 bits cannot be written")
	}
	return floatText(float64(math.Float32frombits(uint32(bits))), 32)
}

// floatText returns the shortest text that parses to the same float, -0 included.
func floatText(f float64, width int) string {
	switch {
	case math.IsNaN(f):
		return ".nan"
	case math.IsInf(f, 0):
		return map[bool]string{true: ".inf", false: "-.inf"}[f > 0]
	case f == 0 && math.Signbit(f):
		return "-0.0"
	}
	return strconv.FormatFloat(f, 'g', -1, width)
}
