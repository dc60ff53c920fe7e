package shade

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// Value is a member of a block with its value, for panels that show and edit it.
type Value struct {
	Name  string // as in a uniforms file
	Type  string
	Kind  module.Kind // of its numbers
	Rows  [][]float64 // one row for a scalar or a vector; none if it is not shown
	Color bool        // whether the name suggests a colour
	Says  string      // the well-known value that fills it, shown instead of numbers

	member *member
}

// Editable reports whether Set accepts the value.
func (v *Value) Editable() bool { return len(v.Rows) == 1 }

// colors are words in a vector's name which suggest that it is a colour.
var colors = []string{"color", "colour", "tint", "albedo", "diffuse", "specular", "ambient", "emissive", "rgb"}

// Values lists the members of the shader's blocks.
func (s *Shader) Values() (list []Value) {
	for _, b := range s.blocks {
		if b.image {
			list = append(list, Value{Name: b.name, Type: b.Type.Name, member: b})
			continue
		}
		b.leaves(func(m *member) {
			list = append(list, s.valueOf(m))
		})
	}
	return list
}

func (s *Shader) valueOf(m *member) Value {
	v := Value{Name: m.shortest(s.blocks), Type: m.Type.String(), member: m}
	if f := s.fills(m); f != nil {
		v.Says = f.what.String()
		return v
	}
	if m.isArray() {
		return v
	}
	v.Kind = m.Scalar().Kind
	columns, rows := m.shape()
	for row := range rows {
		line := make([]float64, columns)
		for column := range columns {
			line[column] = s.number(m, column, row)
		}
		v.Rows = append(v.Rows, line)
	}
	if m.Kind != module.Matrix {
		v.Rows = [][]float64{slices.Concat(v.Rows...)}
	}
	v.Color = m.Kind == module.Vector && m.Count >= 3 && v.Kind == module.Float &&
		slices.ContainsFunc(colors, func(word string) bool { return strings.Contains(strings.ToLower(m.name), word) })
	return v
}

// number returns a number of a member, by column and row.
func (s *Shader) number(m *member, column, row int) float64 {
	t, bits := m.Scalar(), m.number(s.bytes[m.block], column, row)
	switch {
	case t.Kind == module.Int:
		return float64(signed(bits, t.Width))
	case t.Kind == module.Uint:
		return float64(bits)
	case t.Width == 64:
		return math.Float64frombits(bits)
	}
	return float64(math.Float32frombits(uint32(bits)))
}

// Set returns a copy of the shader in which one value has the given numbers. It fails if the value has another count of numbers.
func (s *Shader) Set(v Value, numbers []float64) (*Shader, error) {
	if !v.Editable() || len(numbers) != len(v.Rows[0]) {
		return nil, fmt.Errorf("%s: %d numbers for %s", v.Name, len(numbers), v.Type)
	}
	t := v.member.Scalar()
	changed := *s
	changed.bytes = slices.Clone(s.bytes)
	changed.bytes[v.member.block] = slices.Clone(s.bytes[v.member.block])
	for i, f := range numbers {
		bits := uint64(int64(f))
		if t.Kind == module.Float {
			var err error
			if bits, err = floatBits(t.Width, f); err != nil {
				return nil, fmt.Errorf("%s: want %w", v.Name, err)
			}
		}
		word := binary.LittleEndian.AppendUint64(nil, bits)
		copy(changed.bytes[v.member.block][v.member.place(0, i):], word[:t.Width/8])
	}
	return &changed, nil
}

// Keep returns s with the user's edits: the numbers of each value that differs between `before` and
// `edited`. s takes them if it has a value of the same name and type. `before` and `edited` must come
// from one compilation; otherwise Keep returns s.
func (s *Shader) Keep(before, edited *Shader) *Shader {
	was, now := before.Values(), s.Values()
	for i, v := range edited.Values() {
		if !edited.Same(before) || !v.Editable() || slices.Equal(v.Rows[0], was[i].Rows[0]) {
			continue
		}
		same := slices.IndexFunc(now, func(x Value) bool { return x.Name == v.Name && x.Type == v.Type && x.Editable() })
		if same < 0 {
			continue
		}
		if kept, err := s.Set(now[same], v.Rows[0]); err == nil {
			s = kept
		}
	}
	return s
}

// Same reports whether the shaders come from one compilation, so that they differ only in values.
func (s *Shader) Same(as *Shader) bool { return s == as || s.Vertex.Module == as.Vertex.Module }

// Follows reports whether the frame fills in a member of the shader with the well-known value.
func (s *Shader) Follows(what geometry.WellKnown) bool {
	return slices.ContainsFunc(s.filled, func(f filling) bool { return f.what == what })
}

// Template returns the text of a uniforms file to start from: every member that the frame does not fill in, with a
// default value, its type and offset. Comments list what the frame fills in, specialization constants, what inputs
// read, and the shader's outputs.
// scene is the mesh that the inputs would read, or nil.
func (s *Shader) Template(scene *geometry.Scene) (_ string, err error) {
	defer must.Catch(&err)
	s = s.read("")
	var t strings.Builder
	fmt.Fprintf(&t, "# values that %s (%s) reads\n", s.File, s.Vertex.Entry.Name)
	for i, b := range s.blocks {
		fmt.Fprintf(&t, "\n# %s\n", s.blockText(i))
		if b.image {
			texels := b.Type.Members[len(b.Type.Members)-1].Type
			says := map[bool]string{true: ", or a PNG file"}[texels.Scalar().Kind == module.Float]
			fmt.Fprintf(&t, "%s: %s  # %ss%s\n", key(b.name), zero(b.Type), texels.Elem, says)
			continue
		}
		b.leaves(func(m *member) { s.templateLine(&t, m) })
	}
	s.templateSpecializations(&t)
	s.templateInputs(&t, scene)
	outputs := s.Outputs()
	if len(outputs) > 0 {
		fmt.Fprintf(&t, "\n# --view varying:NAME shows one of\n")
	}
	for _, name := range outputs {
		part, _ := s.Vertex.Part(s.output(name))
		fmt.Fprintf(&t, "#   %s (%s)\n", name, part.Of)
	}
	return t.String(), nil
}

func (s *Shader) templateLine(t *strings.Builder, m *member) {
	says := fmt.Sprintf("%s, offset %d", m.Type, m.offset)
	if f := s.fills(m); f != nil {
		fmt.Fprintf(t, "#%s: filled in: %s  # %s\n", m.short(), f.what, says)
		return
	}
	fmt.Fprintf(t, "%s: %s  # %s\n", key(m.shortest(s.blocks)), zero(m.Type), says)
}

// key returns a name as a YAML key: in quotes if YAML would take its first character for syntax.
func key(name string) string {
	if strings.ContainsAny(name[:min(1, len(name))], "@`%&*!|>'\"{}[],#?-") {
		return strconv.Quote(name)
	}
	return name
}

// shortest returns the shortest name that finds a member in its shader's blocks; it includes the block's name if another
// block has a member of the same name.
func (m *member) shortest(blocks []*member) string {
	if path, ok := parsePath(m.short()); ok {
		if found := matches(blocks, path); len(found) == 1 && found[0].block == m.block && found[0].offset == m.offset {
			return m.short()
		}
	}
	return m.path()
}

// zero returns a default value of a type as text for a uniforms file: zeros, the identity for matrices,
// and no elements for a runtime array.
func zero(t *module.Type) string {
	switch t.Kind {
	case module.Matrix:
		return identity
	case module.Vector:
		return "[" + strings.Repeat("0, ", t.Count-1) + "0]"
	case module.RuntimeArray:
		return "[]"
	case module.Array:
		inner := t
		for inner.Kind == module.Array {
			inner = inner.Elem
		}
		switch inner.Kind {
		case module.Matrix:
			return identity
		case module.Struct:
			return zero(inner)
		}
		return "0"
	case module.Struct:
		if wrapped := (&member{Type: t}).unwrapped(); wrapped.Type != t {
			return zero(wrapped.Type)
		}
		parts := make([]string, len(t.Members))
		for i, m := range t.Members {
			parts[i] = key(m.Name) + ": " + zero(m.Type)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "0"
}

func (s *Shader) templateSpecializations(t *strings.Builder) {
	if len(s.Vertex.Specializations) == 0 {
		return
	}
	fmt.Fprintf(t, "\n#%s:\n", specializationSection)
	for _, c := range s.Vertex.Specializations {
		value := numberText(&module.Type{Kind: c.Kind, Width: 32}, uint64(c.Default))
		if c.Kind == module.Bool {
			value = fmt.Sprint(c.Default != 0)
		}
		fmt.Fprintf(t, "#  %s: %s  # constant %d\n", cmp.Or(c.Name, fmt.Sprint(c.ID)), value, c.ID)
	}
}

func (s *Shader) templateInputs(t *strings.Builder, scene *geometry.Scene) {
	if len(s.inputs) == 0 {
		return
	}
	fmt.Fprintf(t, "\n#%s:\n", attributesSection)
	var m *matcher
	if scene != nil {
		m = newMatcher(s.uniforms, scene)
	}
	for i := range s.inputs {
		in := &s.inputs[i]
		reads, lacks := cmp.Or(meant(in.name), in.name), ""
		if in.name == "" && int(in.location) < len(byLocation) {
			reads = byLocation[in.location]
		}
		if m != nil {
			reads = "[0, 0, 0, 1]"
			if from := m.byName(in); from != nil {
				reads, lacks = from.name, from.lacks(len(scene.Positions))
			}
		}
		fmt.Fprintf(t, "#  %s: %s  # %s, location %d%s\n", cmp.Or(in.name, fmt.Sprint(in.location)), reads, in.typeName, in.location, lacks)
	}
	if m != nil {
		fmt.Fprintf(t, "#  %s has %s\n", scene.Name, strings.Join(slices.Sorted(slices.Values(m.names())), ", "))
	}
}
