package format

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// plyAttribute is an attribute of vertices: one or several properties of the same type.
type plyAttribute struct {
	name    string
	format  vertexformat.Format
	columns []int // properties of the element
	data    *pool[byte]
	row     []byte // of the vertex under way
}

// plyTarget is the place of a property's value in a row; the row is nil if the property is
// not kept.
type plyTarget struct {
	row  []byte
	kind plyType
}

// store writes a value of the file as it is in little endian, a double as a float.
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

// stored is how many bytes store writes.
func (t plyType) stored() int { return min(t.size(), 4) }

// plyGroups are the properties that make one attribute, by the names that programs give
// them: of a group all are there and have one of the types, or it is none. The last of a
// colour may be missing.
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

// keepAttributes prepares for every number of a vertex beside position and normal.
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

// group are the columns of the properties; nil unless all are there and of one of the types.
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

// addBlock adds the vertices that fill a block.
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
