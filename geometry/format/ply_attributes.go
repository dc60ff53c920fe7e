package format

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// plyAttribute is a vertex attribute: one or several properties of the same type.
type plyAttribute struct {
	name    string
	format  vertexformat.Format
	columns []int // numbers of its properties in the element
	data    *pool[byte]
	row     []byte // value of the vertex being read
}

// plyTarget is the place of a property's value in a row; row is nil if the property is not kept.
type plyTarget struct {
	row  []byte
	kind plyType
}

// store writes a value of the file in little endian; a double becomes a float.
func (t plyType) store(to, raw []byte, order binary.ByteOrder) {
	switch t.stored() {
	case 1:
		to[0] = raw[0]
	case 2:
		binary.LittleEndian.PutUint16(to, order.Uint16(raw))
	default:
		if t == plyFloat64 {
			binary.LittleEndian.PutUint32(to, math.Float32bits(t.float(raw, order)))
		} else {
			binary.LittleEndian.PutUint32(to, order.Uint32(raw))
		}
	}
}

// stored returns how many bytes store writes.
func (t plyType) stored() int { return min(t.size(), 4) }

// plyGroups are properties that together make one attribute, by the names that programs use. All
// properties of a group must be present and have one of the types; only the last of a colour may
// be missing.
var plyGroups = []struct {
	attribute  string
	properties []string
	kinds      []plyType
}{
	{"COLOR_0", []string{"red", "green", "blue", "alpha"}, []plyType{plyUint8, plyUint16, plyFloat32, plyFloat64}},
	{"COLOR_0", []string{"red", "green", "blue"}, []plyType{plyUint8, plyUint16, plyFloat32, plyFloat64}},
	{"TEXCOORD_0", []string{"s", "t"}, []plyType{plyFloat32, plyFloat64}},
	{"TEXCOORD_0", []string{"u", "v"}, []plyType{plyFloat32, plyFloat64}},
	{"TEXCOORD_0", []string{"texture_u", "texture_v"}, []plyType{plyFloat32, plyFloat64}},
}

// keepAttributes prepares an attribute for every number of a vertex other than position and
// normal.
func (m *plyMesh) keepAttributes(e *plyElement) {
	taken := map[string]bool{}
	for _, name := range plyVertexRead {
		taken[name] = true
	}
	for _, g := range plyGroups {
		columns := e.group(g.properties, g.kinds)
		if columns == nil || taken[g.attribute] {
			continue
		}
		taken[g.attribute] = true
		for _, name := range g.properties {
			taken[name] = true
		}
		m.keep(e, g.attribute, columns, "UNORM")
	}
	for i, p := range e.properties {
		if !p.list && !taken[p.name] {
			m.keep(e, CleanName(p.name), []int{i}, "UINT")
		}
	}
	m.targets = make([]plyTarget, len(e.properties))
	for _, a := range m.attributes {
		for k, column := range a.columns {
			kind := e.properties[column].kind
			m.targets[column] = plyTarget{a.row[k*kind.stored():], kind}
		}
	}
}

// group returns the columns of the properties; nil unless all are present and have one of the
// types.
func (e *plyElement) group(names []string, kinds []plyType) (columns []int) {
	for _, name := range names {
		at := e.find(name)
		if at < 0 || e.properties[at].list || !slices.Contains(kinds, e.properties[at].kind) {
			return nil
		}
		columns = append(columns, at)
		if e.properties[at].kind != e.properties[columns[0]].kind {
			return nil
		}
	}
	return columns
}

// keep adds an attribute; whole is the class of its unsigned integers.
func (m *plyMesh) keep(e *plyElement, name string, columns []int, whole string) {
	kind := e.properties[columns[0]].kind
	class := "SFLOAT"
	switch kind {
	case plyUint8, plyUint16, plyUint32:
		class = whole
	case plyInt8, plyInt16, plyInt32:
		class = "SINT"
	}
	a := &plyAttribute{name: name, format: vertexformat.Array(len(columns), 8*kind.stored(), class), columns: columns}
	a.row = make([]byte, a.format.Size())
	a.data = newPool[byte](m.src, a.format.Size()*m.expect(e.count))
	m.attributes = append(m.attributes, a)
}

// addBlock adds the vertices in a block.
func (a *plyAttribute) addBlock(e *plyElement, block []byte, stride int, order binary.ByteOrder) {
	size := len(a.row)
	kind := e.properties[a.columns[0]].kind
	offsets := make([]int, len(a.columns))
	for k, column := range a.columns {
		offsets[k] = e.offset(column)
	}
	var some [4096]byte
	for len(block) > 0 {
		n := min(len(block)/stride, len(some)/size)
		for i := range n {
			for k, offset := range offsets {
				kind.store(some[i*size+k*kind.stored():], block[i*stride+offset:], order)
			}
		}
		a.data.addAll(some[:n*size])
		block = block[n*stride:]
	}
}
