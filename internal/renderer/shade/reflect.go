package shade

import (
	"fmt"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// Languages that store matrices transposed in the module, by the numbers of OpSource.
const (
	sourceHLSL  = 5
	sourceSlang = 11
)

// transposes reports whether the language calls rows what the module calls columns.
func transposes(m *module.Module) bool {
	for _, in := range m.Head {
		if in.Op == module.OpSource && (in.At(0) == sourceHLSL || in.At(0) == sourceSlang) {
			return true
		}
	}
	return false
}

// lastName returns the part of a name after its last dot, since HLSL compilers put an input's
// holder before it.
func lastName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// blocksOf returns the blocks that the shader reads, named by their variables, or by their types
// if the variables have no names.
func (s *Shader) blocksOf() (list []*member) {
	v := s.Vertex
	for i := range v.Blocks {
		b := &v.Blocks[i]
		if b.Size > largestBlock {
			must.Fail("%s: %s: %d bytes, a block has at most %d", s.File, b.Name, b.Size, largestBlock)
		}
		m := &member{block: i, Type: b.Type, transposed: transposes(v.Module), image: b.Kind == module.FetchedImage}
		m.name, m.alias = v.Module.Name(b.ID), strings.TrimPrefix(b.Type.Name, "type.")
		switch {
		case m.name == "" && m.alias != "":
			m.name = m.alias
		case m.name == "" && b.Kind == module.PushConstants:
			m.name = "pushConstants"
		case m.name == "":
			m.name = fmt.Sprintf("set%dbinding%d", b.Set, b.Binding)
		}
		if b.Array {
			m.name += fmt.Sprintf("[%d]", b.Element)
			m.steps = []int{int(b.Element)}
		}
		if t := b.Type; !m.image && len(t.Members) == 1 && v.Module.MemberName(t.ID, 0) == "" && (t.Members[0].Type.Kind == module.Struct || v.Module.Name(b.ID) != "") {
			inner := t.Members[0] // naga wraps each in a struct, and DXC those that end in an array
			m.steps = append(m.steps, 0)
			m.Type, m.offset, m.matrixStride, m.rowMajor = inner.Type, inner.Offset, inner.MatrixStride, inner.RowMajor
			m = m.unwrapped()
		}
		list = append(list, m)
	}
	return list
}

// inputsOf returns the inputs. Each location of a matrix or an array is one input.
func inputsOf(v *module.Vertex) (list []input) {
	for i := range v.Inputs {
		x := &v.Inputs[i]
		name := ""
		if v.Module.Name(x.ID) != "" {
			name = lastName(x.Name)
		}
		class := map[module.Kind]vertexformat.Class{module.Float: vertexformat.Float, module.Int: vertexformat.Sint, module.Uint: vertexformat.Uint}[x.Type.Scalar().Kind]
		for k := range x.Type.Locations() {
			in := input{name, x.Location + uint32(k), x.Type.String(), class}
			if x.Type.Locations() > 1 && name != "" {
				in.name += fmt.Sprintf("[%d]", k)
			}
			list = append(list, in)
		}
	}
	return list
}
