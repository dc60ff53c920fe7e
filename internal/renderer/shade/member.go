package shade

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// member is a block, a member of a block or struct, or an element of an array, with its place in the
// block's bytes.
type member struct {
	name   string // "[2]" for an element of an array
	alias  string // the name of a block's type; "" for other members
	parent *member
	block  int   // index in Vertex.Blocks
	steps  []int // indices that lead to it from the block's variable
	offset int   // bytes, in the block
	image  bool  // the shader fetches texels from it

	*module.Type
	matrixStride int
	rowMajor     bool
	transposed   bool // the language calls rows what the module calls columns
}

// path returns the member's name after the names of its holders: "Scene.light.color".
func (m *member) path() string {
	switch {
	case m.parent == nil:
		return m.name
	case strings.HasPrefix(m.name, "["):
		return m.parent.path() + m.name
	}
	return m.parent.path() + "." + m.name
}

// short returns the path without the block's name.
func (m *member) short() string {
	if _, rest, ok := strings.Cut(m.path(), "."); ok {
		return rest
	}
	return m.path()
}

// members returns the members of a struct; other types have none.
func (m *member) members() []*member {
	if m.Kind != module.Struct {
		return nil
	}
	list := make([]*member, len(m.Members))
	for i, x := range m.Members {
		list[i] = (&member{
			name: x.Name, parent: m, block: m.block, steps: append(slices.Clip(m.steps), i), offset: m.offset + x.Offset,
			Type: x.Type, matrixStride: x.MatrixStride, rowMajor: x.RowMajor, transposed: m.transposed,
		}).unwrapped()
	}
	return list
}

func (m *member) isArray() bool   { return m.Kind == module.Array || m.Kind == module.RuntimeArray }
func (m *member) isNumbers() bool { return m.Kind != module.Struct && !m.isArray() }

// at returns an element of an array.
func (m *member) at(i int) *member {
	e := *m
	e.name, e.alias, e.parent, e.offset, e.Type = "["+strconv.Itoa(i)+"]", "", m, m.offset+i*m.Stride, m.Elem
	e.steps = append(slices.Clip(m.steps), i)
	return e.unwrapped()
}

// unwrapped replaces a struct that Slang puts around an array or a matrix by that array or matrix:
// _MatrixStorage_float4x3_ColMajorstd140 { vec4 data[3]; } holds a matrix's columns. A struct whose
// name lacks ColMajor holds its rows.
func (m *member) unwrapped() *member {
	matrix, columns := strings.HasPrefix(m.Name, "_MatrixStorage_"), strings.Contains(m.Name, "ColMajor")
	if m.Kind != module.Struct || len(m.Members) != 1 || !matrix && !strings.HasPrefix(m.Name, "_Array_") {
		return m
	}
	data := m.Members[0]
	switch t := data.Type; {
	case !matrix && t.Kind == module.Array:
		m.Type, m.steps = t, append(m.steps, 0)
		m.matrixStride, m.rowMajor = data.MatrixStride, data.RowMajor
	case matrix && t.Kind == module.Array && t.Count >= 2 && t.Count <= 4 && t.Elem.Kind == module.Vector && t.Elem.Elem.Kind == module.Float:
		m.Type, m.steps = &module.Type{Kind: module.Matrix, Elem: t.Elem, Count: t.Count}, append(m.steps, 0)
		m.matrixStride, m.rowMajor, m.transposed = t.Stride, false, !columns
	default:
		return m
	}
	m.offset += data.Offset
	return m
}

// shape returns the numbers of columns and rows, as the shader's language counts them. A scalar or a vector has one column.
func (m *member) shape() (columns, rows int) {
	switch {
	case m.Kind == module.Matrix && m.transposed:
		return m.Elem.Count, m.Count
	case m.Kind == module.Matrix:
		return m.Count, m.Elem.Count
	case m.Kind == module.Vector:
		return 1, m.Count
	}
	return 1, 1
}

// byRows reports whether a matrix is stored row by row, instead of column by column.
func (m *member) byRows() bool { return m.Kind == module.Matrix && m.rowMajor != m.transposed }

// place returns the offset in bytes, within the block, of the number in a column and row.
func (m *member) place(column, row int) int {
	if m.byRows() {
		column, row = row, column
	}
	return m.offset + column*m.matrixStride + row*m.Scalar().Width/8
}

// places returns the offsets in the block of all numbers of a scalar, a vector or a matrix.
func (m *member) places() (list []int) {
	columns, rows := m.shape()
	for column := range columns {
		for row := range rows {
			list = append(list, m.place(column, row))
		}
	}
	return list
}

// find looks up a path below a member; nil if there is none.
func (m *member) find(path []selector) *member {
	if len(path) == 0 {
		return m
	}
	if m.isArray() {
		if path[0].name != "" || m.Kind == module.Array && path[0].index >= m.Count {
			return nil
		}
		return m.at(path[0].index).find(path[1:])
	}
	return findIn(m.members(), path)
}

// findIn looks up a path in a list of members. It returns nil if the path does not begin with the name of one, or leads nowhere.
func findIn(members []*member, path []selector) *member {
	for _, x := range members {
		switch {
		case path[0].name == x.name, path[0].name == x.alias && x.alias != "":
			return x.find(path[1:])
		case len(path) > 1 && x.name == fmt.Sprintf("%s[%d]", path[0].name, path[1].index): // an array of blocks
			return x.find(path[2:])
		}
	}
	return nil
}

// leaves calls a function for the member, or each member inside it, that can have its own value: scalars,
// vectors, matrices, and arrays as a whole.
func (m *member) leaves(do func(*member)) {
	if m.Kind != module.Struct {
		do(m)
	}
	for _, x := range m.members() {
		x.leaves(do)
	}
}

// selector is a part of a path: a name or, if that is empty, an index.
type selector struct {
	name  string
	index int
}

// parsePath splits a path such as "lights[2].color" into its names and indices.
func parsePath(text string) (path []selector, ok bool) {
	for part := range strings.SplitSeq(text, ".") {
		name, rest, indexed := strings.Cut(part, "[")
		if name == "" {
			return nil, false
		}
		path = append(path, selector{name: name})
		for indexed {
			digits, behind, closed := strings.Cut(rest, "]")
			i, err := strconv.ParseUint(digits, 10, 24)
			if err != nil || !closed {
				return nil, false
			}
			path = append(path, selector{index: int(i)})
			if indexed = behind != ""; indexed && behind[0] != '[' {
				return nil, false
			}
			rest = strings.TrimPrefix(behind, "[")
		}
	}
	return path, true
}

// OpSource's numbers for the languages whose compilers store matrices transposed in the module.
const (
	sourceHLSL  = 5
	sourceSlang = 11
)

// transposes reports whether the shader's language calls rows what the module calls columns.
func transposes(m *module.Module) bool {
	return slices.ContainsFunc(m.Head, func(in module.Instruction) bool {
		return in.Op == module.OpSource && (in.At(0) == sourceHLSL || in.At(0) == sourceSlang)
	})
}

// lastName returns the part of a name after its last dot. HLSL compilers put the name of an input's
// struct before that dot.
func lastName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// blocksOf returns the blocks that the shader reads. Each has the name of its variable or, if that has none, of its
// type; without either, it gets a name by its set and binding.
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
			inner := t.Members[0] // naga wraps the type of every block in a struct; DXC wraps types that end in an array
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

// anyElement stands, in a path of indices, for an index that is computed at run time.
const anyElement = -1

// read is a part of a block that the shader reads: the block's variable, and the indices that lead to the part.
type read struct {
	variable uint32
	path     []int
}

// reads lists the parts of blocks that a shader reads. Blocks are often shared with other
// shaders, so not all of their members matter.
func reads(v *module.Vertex) (list []read) {
	pointers := map[uint32]read{}
	for i := range v.Blocks {
		pointers[v.Blocks[i].ID] = read{variable: v.Blocks[i].ID}
	}
	for _, in := range v.Body {
		base, known := pointers[in.At(2)]
		if known && (in.Op == module.OpAccessChain || in.Op == module.OpInBoundsAccessChain) {
			to := read{base.variable, slices.Clone(base.path)}
			for _, id := range in.Operands[3:] {
				index := anyElement
				if n, ok := v.Constant(id); ok {
					index = int(n)
				}
				to.path = append(to.path, index)
			}
			pointers[in.Result()] = to
			continue
		}
		for _, at := range v.Module.References(in) {
			if of, known := pointers[in.Operands[at]]; known {
				list = append(list, of)
			}
		}
	}
	return list
}

// overlaps reports whether any of the reads contains the member at a path of indices, or lies within it.
func overlaps(reads []read, variable uint32, path []int) bool {
	return slices.ContainsFunc(reads, func(r read) bool {
		if r.variable != variable {
			return false
		}
		for i := range min(len(path), len(r.path)) {
			if r.path[i] != path[i] && r.path[i] != anyElement && path[i] != anyElement {
				return false
			}
		}
		return true
	})
}
