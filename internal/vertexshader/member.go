package vertexshader

import (
	"fmt"
	"strings"
)

// base is the type of a member's numbers.
type base uint8

// The types of numbers.
const (
	floats base = iota + 1
	signed
	unsigned
)

// member is a member of a block, or the whole block, with the place of its bytes.
type member struct {
	name   string // "[2]" for an element of an array
	parent *member
	block  int // number in Shader.Vertex.Blocks
	offset int // bytes, in the block

	// Of structs.
	members []*member
	// Of arrays. The element is the first one; the others lie behind it.
	element *member
	count   int // 0: as many as are given
	stride  int
	// Of numbers, vectors and matrices: rows numbers in each of columns columns.
	base          base
	bits          int
	columns, rows int
	matrixStride  int
	rowMajor      bool
	transposed    bool // the language calls rows what the module calls columns
	used          bool // the shader may read it
}

// path is the member's name with those of what holds it: "Camera.light.color".
func (m *member) path() string {
	switch {
	case m.parent == nil:
		return m.name
	case strings.HasPrefix(m.name, "["):
		return m.parent.path() + m.name
	}
	return m.parent.path() + "." + m.name
}

// short is the path without the block's name.
func (m *member) short() string {
	if _, rest, ok := strings.Cut(m.path(), "."); ok {
		return rest
	}
	return m.path()
}

func (m *member) root() *member {
	for m.parent != nil {
		m = m.parent
	}
	return m
}

func (m *member) isMatrix() bool { return m.columns > 1 }

// typeName is the type as GLSL writes it.
func (m *member) typeName() string {
	switch {
	case m.element != nil:
		inner := m.element
		dims := ""
		for of := m; of.element != nil; of, inner = of.element, of.element.element {
			if of.count > 0 {
				dims += fmt.Sprintf("[%d]", of.count)
			} else {
				dims += "[]"
			}
		}
		for inner = m; inner.element != nil; {
			inner = inner.element
		}
		return inner.typeName() + dims
	case m.members != nil:
		return "struct"
	}
	columns, rows := m.columns, m.rows
	if m.transposed {
		columns, rows = rows, columns
	}
	prefix := map[base]string{floats: "", signed: "i", unsigned: "u"}[m.base]
	scalar := map[base]string{floats: "float", signed: "int", unsigned: "uint"}[m.base]
	if m.bits == 64 && m.base == floats {
		prefix, scalar = "d", "double"
	} else if m.bits != 32 {
		scalar = fmt.Sprintf("%s%d_t", scalar, m.bits)
		prefix = fmt.Sprintf("%s%d", map[base]string{floats: "f", signed: "i", unsigned: "u"}[m.base], m.bits)
	}
	switch {
	case m.isMatrix() && columns == rows:
		return fmt.Sprintf("%smat%d", prefix, columns)
	case m.isMatrix():
		return fmt.Sprintf("%smat%dx%d", prefix, columns, rows)
	case m.rows > 1:
		return fmt.Sprintf("%svec%d", prefix, m.rows)
	}
	return scalar
}

// at is the element of an array.
func (m *member) at(i int) *member {
	return m.element.moved(m, fmt.Sprintf("[%d]", i), i*m.stride)
}

// moved is a copy of a member further behind.
func (m *member) moved(parent *member, name string, by int) *member {
	c := *m
	c.parent, c.name, c.offset = parent, name, m.offset+by
	c.members = nil
	for _, x := range m.members {
		c.members = append(c.members, x.moved(&c, x.name, by))
	}
	if m.element != nil {
		c.element = m.element.moved(&c, m.element.name, by)
	}
	return &c
}

// place is where a number lies in the block, by column and row of the module's matrix.
func (m *member) place(column, row int) int {
	size := m.bits / 8
	switch {
	case !m.isMatrix():
		return m.offset + row*size
	case m.rowMajor:
		return m.offset + row*m.matrixStride + column*size
	}
	return m.offset + column*m.matrixStride + row*size
}

// end is the first byte behind the member.
func (m *member) end() int {
	switch {
	case m.element != nil:
		return m.offset + max(0, m.count-1)*m.stride + m.element.end() - m.element.offset
	case m.members != nil:
		end := m.offset
		for _, x := range m.members {
			end = max(end, x.end())
		}
		return end
	}
	return m.place(m.columns-1, m.rows-1) + m.bits/8
}

// find looks a path up below a member, which does not belong to the path.
func (m *member) find(path []step) *member {
	if len(path) == 0 {
		return m
	}
	if m.element != nil {
		if path[0].name != "" || m.count > 0 && path[0].index >= m.count {
			return nil
		}
		return m.at(path[0].index).find(path[1:])
	}
	for _, x := range m.members {
		if path[0].name == x.name {
			return x.find(path[1:])
		}
	}
	return nil
}

// each calls a function for every struct, array, and number below a member, itself first,
// of arrays only for the first element; a function that returns false is not called for
// what is below.
func (m *member) each(do func(*member) bool) {
	if !do(m) {
		return
	}
	for _, x := range m.members {
		x.each(do)
	}
	if m.element != nil {
		m.element.each(do)
	}
}

// step is a part of a path: a name, or an index.
type step struct {
	name  string
	index int
}

// parsePath reads "light[2].color".
func parsePath(text string) (path []step, ok bool) {
	for part := range strings.SplitSeq(text, ".") {
		name, rest, _ := strings.Cut(part, "[")
		if name != "" {
			path = append(path, step{name: name})
		} else if len(path) > 0 || rest == "" {
			return nil, false
		}
		for rest != "" {
			var i int
			digits, behind, closed := strings.Cut(rest, "]")
			if _, err := fmt.Sscanf(digits+"\n", "%d\n", &i); err != nil || !closed || i < 0 || i > 1<<24 {
				return nil, false
			}
			path = append(path, step{index: i})
			if behind != "" && behind[0] != '[' {
				return nil, false
			}
			rest = strings.TrimPrefix(behind, "[")
		}
	}
	return path, len(path) > 0
}
