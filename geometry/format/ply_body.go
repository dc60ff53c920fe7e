package format

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// plyBody reads the numbers of one encoding. `at` is the element that they belong to, for errors.
type plyBody interface {
	int(kind plyType, at spot) int64
	float(kind plyType, at spot) float32
	raw(kind plyType, at spot) []byte // the number's bytes, in plyHeader.order as in a binary file
	pass(n int64, kind plyType, at spot)
	fail(at spot, cause string, args ...any)
	// end fails if anything follows the last element.
	end()
}

func listCount(body plyBody, p *plyProperty, at spot) int64 {
	n := body.int(p.count, at)
	if n < 0 {
		body.fail(at, "list of %d values", n)
	}
	return n
}

// passProperty skips a number or list.
func passProperty(body plyBody, p *plyProperty, at spot) {
	n := int64(1)
	if p.list {
		n = listCount(body, p, at)
	}
	body.pass(n, p.kind, at)
}

// plyASCII reads an ascii file word by word. It does not rely on lines, since some programs do not
// write each element on one line.
type plyASCII struct{ text *TextScanner }

func (t *plyASCII) int(plyType, spot) int64     { return t.text.wordInt() }
func (t *plyASCII) float(plyType, spot) float32 { return t.text.wordFloat() }

func (t *plyASCII) raw(kind plyType, _ spot) []byte {
	switch kind {
	case plyFloat32:
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(t.text.wordFloat()))
	case plyFloat64:
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(float64(t.text.wordFloat())))
	}
	n := t.text.wordInt()
	raw := binary.LittleEndian.AppendUint64(nil, uint64(n))
	if kind.int(raw, binary.LittleEndian) != n {
		t.text.Fail("%d is not of the property's type", n)
	}
	return raw
}

func (t *plyASCII) pass(n int64, _ plyType, _ spot) {
	for ; n > 0; n-- {
		t.text.word()
	}
}

func (t *plyASCII) fail(_ spot, cause string, args ...any) { t.text.Fail(cause, args...) }

func (t *plyASCII) end() {
	if w, more := t.text.token(); more {
		t.text.Fail("%s follows the last element: the header's counts are too low", Quote(w))
	}
}

// plyBinary reads a binary file. It decodes vertices in bulk if they have no lists, and runs of
// triangles if their other properties are scalars.
type plyBinary struct {
	blockReader
	order binary.ByteOrder
}

func (b *plyBinary) int(kind plyType, at spot) int64         { return kind.int(b.raw(kind, at), b.order) }
func (b *plyBinary) float(kind plyType, at spot) float32     { return kind.float(b.raw(kind, at), b.order) }
func (b *plyBinary) raw(kind plyType, at spot) []byte        { return b.bytes(kind.size(), at) }
func (b *plyBinary) pass(n int64, kind plyType, at spot)     { b.skip(n, kind.size(), at) }
func (b *plyBinary) fail(at spot, cause string, args ...any) { b.src.fail(at.String(), cause, args...) }

// offset returns at which byte of an element property i begins, if all properties before it are scalars.
func (e *plyElement) offset(i int) int {
	n := 0
	for _, p := range e.properties[:i] {
		n += p.kind.size()
	}
	return n
}

// plyColumns says how three columns of a vertex are stored.
type plyColumns struct {
	stride  int
	offsets [3]int
	kinds   [3]plyType
	order   binary.ByteOrder
}

func (b *plyBinary) columns(e *plyElement, stride int, columns []int) plyColumns {
	c := plyColumns{stride: stride, order: b.order}
	for k, column := range columns {
		c.offsets[k], c.kinds[k] = e.offset(column), e.properties[column].kind
	}
	return c
}

// packed reports whether the columns are three adjacent floats.
func (c *plyColumns) packed() bool {
	o := c.offsets
	return c.kinds == [3]plyType{plyFloat32, plyFloat32, plyFloat32} && o[1] == o[0]+4 && o[2] == o[0]+8
}

// decode appends the three columns of the vertices in block.
func (c *plyColumns) decode(p *pool[mgl32.Vec3], block []byte) {
	for len(block) > 0 {
		dst := p.extend(len(block) / c.stride)
		if c.packed() && c.order == binary.LittleEndian {
			for i := range dst {
				dst[i] = vec3At(block[i*c.stride+c.offsets[0]:])
			}
		} else {
			for i := range dst {
				v := block[i*c.stride:]
				for k := range dst[i] {
					dst[i][k] = c.kinds[k].float(v[c.offsets[k]:], c.order)
				}
			}
		}
		block = block[len(dst)*c.stride:]
	}
}

// vertices reads all vertices in bulk; it returns false if they have lists.
func (b *plyBinary) vertices(m *plyMesh, e *plyElement, columns [6]int) bool {
	if slices.ContainsFunc(e.properties, func(p plyProperty) bool { return p.list }) {
		return false
	}
	stride := e.offset(len(e.properties))
	positions := b.columns(e, stride, columns[:3])
	var normals plyColumns
	if m.normals != nil {
		normals = b.columns(e, stride, columns[3:])
	}
	for n := int64(0); n < e.count; {
		block := b.block(e.count-n, stride, spot{"vertex", n})
		positions.decode(m.positions, block)
		if m.normals != nil {
			normals.decode(m.normals, block)
		}
		for _, a := range m.attributes {
			a.addBlock(e, block, stride, b.order)
		}
		n += int64(len(block) / stride)
	}
	return true
}

// plyTriangleRuns decodes faces in bulk if they are triangles: the list's count in one byte, then
// three 32-bit indices, with scalars before and after.
type plyTriangleRuns struct {
	*plyBinary
	before, stride int // bytes before the count, and of a whole face
}

// triangleRuns returns a decoder of runs of faces, or nil if the faces are not stored as plyTriangleRuns reads them.
func triangleRuns(body plyBody, e *plyElement, column int) *plyTriangleRuns {
	b, ok := body.(*plyBinary)
	list := e.properties[column]
	if !ok || list.count.size() != 1 || list.kind.size() != 4 {
		return nil
	}
	r := &plyTriangleRuns{b, e.offset(column), 1 + 3*4}
	for i, p := range e.properties {
		if i != column {
			r.stride += p.kind.size()
		}
		if i != column && p.list {
			return nil
		}
	}
	return r
}

// decode reads up to `most` triangles and returns how many it has read. It stops before a face that is
// no triangle, names a vertex that does not exist, or is cut short.
func (r *plyTriangleRuns) decode(m *plyMesh, most int64) (n int64) {
	for n < most {
		if _, err := r.Peek(r.stride); err != nil {
			return n // too short for a triangle; reading the face by value finds the error
		}
		block, _ := r.Peek(r.Buffered())
		dst := m.indices.extend(3 * int(min(most-n, int64(len(block)/r.stride))))
		want := len(dst) / 3
		got := r.decodeBlock(dst, block, m.vertices)
		m.indices.cut(3 * (want - got))
		must.Get(r.Discard(got * r.stride))
		n += int64(got)
		if got < want {
			return n
		}
	}
	return n
}

// decodeBlock fills dst, three indices per triangle, and returns the number of triangles. It stops before
// a face that is no triangle, or that has an index of `vertices` or more.
func (r *plyTriangleRuns) decodeBlock(dst []uint32, block []byte, vertices uint32) (got int) {
	at, swap := r.before, r.order == binary.BigEndian
	for len(dst) >= 3 {
		f := block[at : at+13 : at+13]
		x := binary.LittleEndian.Uint32(f[1:5])
		y := binary.LittleEndian.Uint32(f[5:9])
		z := binary.LittleEndian.Uint32(f[9:13])
		if swap {
			x, y, z = bits.ReverseBytes32(x), bits.ReverseBytes32(y), bits.ReverseBytes32(z)
		}
		if f[0] != 3 || x >= vertices || y >= vertices || z >= vertices {
			return got
		}
		dst[0], dst[1], dst[2] = x, y, z
		dst = dst[3:]
		at += r.stride
		got++
	}
	return got
}

// plyAttribute is a vertex attribute: one or several properties of the same type.
type plyAttribute struct {
	name    string
	format  vertexformat.Format
	columns []int // numbers of its properties in the element
	data    *pool[byte]
	row     []byte // value of the vertex being read
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
// properties of a group must be present and have the same type, one of `kinds`. A colour may lack
// its alpha.
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

// keepAttributes prepares attributes for the scalar properties of a vertex besides position and normal:
// one for each of plyGroups that is present, and one for every other property.
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
	m.targets = make([][]byte, len(e.properties))
	for _, a := range m.attributes {
		for k, column := range a.columns {
			m.targets[column] = a.row[k*e.properties[column].kind.stored():]
		}
	}
}

// group returns the columns of the named properties; nil unless all are present and have the same
// type, one of `kinds`.
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

// keep adds an attribute; `whole`, UNORM or UINT, says what its unsigned integers mean.
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

// addBlock adds the attribute's values for the vertices in a block.
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
