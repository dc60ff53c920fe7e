package shade

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// Value is a member of a block with its value, for panels that show and edit it.
type Value struct {
	Name  string // as in a uniforms file
	Type  string
	Kind  module.Kind // of its numbers
	Rows  [][]float64 // one row for a scalar or a vector; none if it is not shown
	Color bool        // judged by its name
	Says  string      // instead of numbers: the well-known value that fills it

	member *member
}

// Editable reports whether Set accepts the value.
func (v *Value) Editable() bool { return len(v.Rows) == 1 }

// colors are words in the names of members that hold colours.
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
	v := Value{Name: s.shortest(m), Type: m.Type.String(), member: m}
	if f := s.fills(m); f != nil {
		v.Says = f.what.String()
		return v
	}
	if m.isArray() {
		return v
	}
	v.Kind = m.Scalar().Kind
	columns, rows := m.shape()
	if m.transposed && m.Kind == module.Matrix {
		columns, rows = rows, columns
	}
	for row := range rows {
		line := make([]float64, columns)
		for column := range columns {
			if line[column] = s.number(m, column, row); m.transposed && m.Kind == module.Matrix {
				line[column] = s.number(m, row, column)
			}
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

// number returns a number of a member, by column and row of the module's matrix.
func (s *Shader) number(m *member, column, row int) float64 {
	var word [8]byte
	t := m.Scalar()
	copy(word[:t.Width/8], s.bytes[m.block][m.place(column, row):])
	bits := binary.LittleEndian.Uint64(word[:])
	unused := 64 - t.Width
	switch {
	case t.Kind == module.Int:
		return float64(int64(bits<<unused) >> unused)
	case t.Kind == module.Uint:
		return float64(bits)
	case t.Width == 64:
		return math.Float64frombits(bits)
	}
	return float64(math.Float32frombits(uint32(bits)))
}

// Set returns the shader with other numbers in one value, as many as it had.
func (s *Shader) Set(v Value, numbers []float64) (*Shader, error) {
	if !v.Editable() || len(numbers) != len(v.Rows[0]) {
		return nil, fmt.Errorf("%s: %d numbers for %s", v.Name, len(numbers), v.Type)
	}
	t := v.member.Scalar()
	changed := *s
	changed.bytes = slices.Clone(s.bytes)
	changed.bytes[v.member.block] = slices.Clone(s.bytes[v.member.block])
	for i, f := range numbers {
		var word [8]byte
		switch t.Kind {
		case module.Float:
			bits, err := floatBits(t.Width, f)
			if err != nil {
				return nil, fmt.Errorf("%s: want %w", v.Name, err)
			}
			binary.LittleEndian.PutUint64(word[:], bits)
		default:
			binary.LittleEndian.PutUint64(word[:], uint64(int64(f)))
		}
		copy(changed.bytes[v.member.block][v.member.place(0, i):], word[:t.Width/8])
	}
	return &changed, nil
}

// Keep returns the shader with the numbers that the user has edited, for values of the same name
// and type. A value is edited if it differs between before and edited.
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

// Same reports whether the shaders come from one compilation and so differ only in values.
func (s *Shader) Same(as *Shader) bool { return s == as || s.Vertex.Module == as.Vertex.Module }

// Follows reports whether the shader reads the well-known value.
func (s *Shader) Follows(what geometry.WellKnown) bool {
	return slices.ContainsFunc(s.filled, func(f filling) bool { return f.what == what })
}
