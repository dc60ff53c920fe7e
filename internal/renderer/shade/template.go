package shade

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// Template returns a uniforms file to start from: every member that needs a value, with its type
// and place. Comments list what the frame fills in, what inputs read, and the shader's outputs.
// scene is the mesh for the inputs, or nil.
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
	if len(s.Vertex.Outputs) > 0 {
		fmt.Fprintf(&t, "\n# --view varying:NAME shows one of\n")
	}
	for _, name := range s.Outputs() {
		part, _ := s.Vertex.Part(s.output(name))
		fmt.Fprintf(&t, "#   %s (%s)\n", name, part.Of)
	}
	return t.String(), nil
}

// templateLine writes the line of a member.
func (s *Shader) templateLine(t *strings.Builder, m *member) {
	says := fmt.Sprintf("%s, offset %d", m.Type, m.offset)
	if f := s.fills(m); f != nil {
		fmt.Fprintf(t, "#%s: filled in: %s  # %s\n", m.short(), f.what, says)
		return
	}
	fmt.Fprintf(t, "%s: %s  # %s\n", key(s.shortest(m)), zero(m.Type), says)
}

// key quotes a name that would mean something else in YAML.
func key(name string) string {
	if strings.ContainsAny(name[:min(1, len(name))], "@`%&*!|>'\"{}[],#?-") {
		return strconv.Quote(name)
	}
	return name
}

// shortest returns the shortest name that finds a member; it includes the block's name if another
// block has a member of the same name.
func (s *Shader) shortest(m *member) string {
	if found, err := lookUp(s.blocks, m.short()); err == nil && found.block == m.block && found.offset == m.offset {
		return m.short()
	}
	return m.path()
}

// zero returns a valid value of a type.
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
		value := fmt.Sprint(c.Default)
		switch c.Kind {
		case module.Int:
			value = fmt.Sprint(int32(c.Default))
		case module.Float:
			value = fmt.Sprint(math.Float32frombits(c.Default))
		case module.Bool:
			value = fmt.Sprint(c.Default != 0)
		}
		fmt.Fprintf(t, "#  %s: %s  # constant %d\n", cmp.Or(c.Name, fmt.Sprint(c.Number)), value, c.Number)
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
