package format

import (
	"bufio"
	"bytes"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// plyReader reads the Stanford polygon format: ascii, binary little endian and binary big endian,
// with properties of any type in any order. Polygons become fans of triangles; Stanford's
// tristrips become triangles. Other elements are skipped, and so are other properties unless they
// are requested. Vertices and faces keep the file's order.
//
// Source: Greg Turk, The PLY Polygon File Format, 1994.
var plyReader = Reader{
	Name: "ply", Extensions: []string{".ply"}, Read: plyRead, Bytes: .6,
	Magic: func(b []byte) bool { return bytes.HasPrefix(b, []byte("ply\n")) || bytes.HasPrefix(b, []byte("ply\r")) },
}

// plyMostCount bounds vertices and faces to what a Scene can hold.
const plyMostCount = math.MaxInt32 - 1

// plyMesh is the mesh under construction.
type plyMesh struct {
	src       *Input
	header    *plyHeader
	vertices  uint32 // the header's count of vertices
	positions *pool[mgl32.Vec3]
	normals   *pool[mgl32.Vec3] // nil if the file has none
	indices   *triangles

	attributes []*plyAttribute // attributes that are kept
	targets    [][]byte        // by property of a vertex: where its value goes, nil if it is not kept; nil if no attributes are kept
}

func plyRead(ctx context.Context, in *Input) (s *geometry.Scene, err error) {
	defer must.Catch(&err)
	r := bufio.NewReaderSize(in, blockBytes)
	h := plyReadHeader(in, r)
	m := &plyMesh{src: in, header: h}
	m.check()
	if h.ascii {
		t := NewTextScanner(in, r)
		t.number = h.lines
		m.read(&plyASCII{t})
	} else {
		m.read(&plyBinary{blockReader{in, r}, h.order})
	}
	s = oneDraw(m.positions, m.normals, m.indices.pool)
	for _, a := range m.attributes {
		s.Attributes = append(s.Attributes, geometry.Attribute{Name: a.name, Format: a.format, Data: a.data.take()})
	}
	s.Beside = h.beside(in.Attributes || in.looks)
	if in.looks {
		l := newLookReader(in)
		if h.texture != "" {
			s.Draws[0].Surface = l.add("", h.texture)
		}
		s.Look = l.Look
	}
	return s, nil
}

// plyVertexRead are the vertex properties that are always read.
var plyVertexRead = []string{"x", "y", "z", "nx", "ny", "nz"}

// beside lists the elements and properties that the scene does not keep, and those of positions and normals that lose double precision.
func (h *plyHeader) beside(attributes bool) (list []string) {
	for _, e := range h.elements {
		kept := func(p *plyProperty) bool { return slices.Contains(plyVertexRead, p.name) || attributes && !p.list }
		what := "properties of vertices "
		switch e.name {
		case "vertex":
		case "face", "tristrips":
			kept, what = (*plyProperty).isIndices, "properties of faces "
		default:
			list = append(list, "element "+CleanName(e.name))
			continue
		}
		var names, doubles []string
		for i := range e.properties {
			p := &e.properties[i]
			if !kept(p) {
				names = append(names, CleanName(p.name))
			} else if p.kind == plyFloat64 && slices.Contains(plyVertexRead, p.name) {
				doubles = append(doubles, CleanName(p.name))
			}
		}
		if len(names) > 0 {
			list = append(list, what+strings.Join(names, " "))
		}
		if len(doubles) > 0 {
			list = append(list, "double precision of "+strings.Join(doubles, " "))
		}
	}
	return list
}

// check fails for headers without vertices, and for counts too large for the file or for a Scene.
func (m *plyMesh) check() {
	left := m.src.Size - m.header.bytes + 1 // the last line may lack its line end
	if m.src.Size < 0 {
		left = 1 << 62 // how many bytes a compressed file unpacks to is not known
	}
	for i := range m.header.elements {
		e := &m.header.elements[i]
		least := e.leastBytes(m.header.ascii)
		if least > 0 && e.count > left/least {
			m.src.fail("header", "announces %d of element %s, more than the file's %d bytes hold", e.count, Quote([]byte(e.name)), m.src.Size)
		}
		left -= least * e.count
		switch e.name {
		case "vertex":
			m.vertices = uint32(min(e.count, plyMostCount))
		case "face", "tristrips":
		default:
			continue
		}
		if e.count > plyMostCount {
			m.src.fail("header", "%d of element %s, at most %d are supported", e.count, e.name, plyMostCount)
		}
	}
	if m.vertices == 0 {
		m.src.fail("header", "no vertices")
	}
}

// expect returns how many elements to allocate for n, a count in the header. If the file's size is
// known, it returns n, which check has found possible. Otherwise it returns 0.
func (m *plyMesh) expect(n int64) int {
	if m.src.Size < 0 {
		return 0
	}
	return int(n)
}

func (m *plyMesh) read(body plyBody) {
	for i := range m.header.elements {
		e := &m.header.elements[i]
		switch e.name {
		case "vertex":
			m.readVertices(body, e)
		case "face":
			m.readFaces(body, e, false)
		case "tristrips":
			m.readFaces(body, e, true)
		default:
			for n := int64(0); n < e.count && len(e.properties) > 0; n++ {
				for i := range e.properties {
					passProperty(body, &e.properties[i], spot{e.name, n})
				}
			}
		}
	}
	if m.indices == nil || m.indices.n == 0 {
		m.src.fail("", "no triangles")
	}
	body.end()
}

func (m *plyMesh) readVertices(body plyBody, e *plyElement) {
	columns := [6]int{}
	for k, name := range plyVertexRead {
		columns[k] = e.find(name)
		if k < 3 && columns[k] < 0 {
			m.src.fail("header", "vertices have no %s", name)
		}
		if columns[k] >= 0 && e.properties[columns[k]].list {
			m.src.fail("header", "%s of a vertex is a list", name)
		}
	}
	m.positions = newPool[mgl32.Vec3](m.src, m.expect(e.count))
	if min(columns[3], columns[4], columns[5]) >= 0 {
		m.normals = newPool[mgl32.Vec3](m.src, m.expect(e.count))
	}
	if m.src.Attributes || m.src.looks {
		m.keepAttributes(e)
	}
	if b, ok := body.(*plyBinary); !ok || !b.vertices(m, e, columns) {
		m.vertexByValue(body, e, columns)
	}
	if m.normals == nil {
		m.src.chargeNormals(m.positions.n)
	}
}

// vertexByValue reads vertices number by number. `columns` holds the numbers of the properties x y
// z and, if the mesh has a pool of normals, nx ny nz.
func (m *plyMesh) vertexByValue(body plyBody, e *plyElement, columns [6]int) {
	const none = 6
	place := slices.Repeat([]int{none}, len(e.properties)) // by property: where its value goes in a vertex, or `none`
	for k, column := range columns {
		if k < 3 || m.normals != nil {
			place[column] = k
		}
	}
	for n := int64(0); n < e.count; n++ {
		at := spot{"vertex", n}
		var v [none]float32
		for i := range e.properties {
			p := &e.properties[i]
			switch {
			case place[i] != none:
				v[place[i]] = body.float(p.kind, at)
			case m.targets != nil && m.targets[i] != nil:
				p.kind.store(m.targets[i], body.raw(p.kind, at), m.header.order)
			default:
				passProperty(body, p, at)
			}
		}
		for _, a := range m.attributes {
			a.data.addAll(a.row)
		}
		m.positions.add(mgl32.Vec3(v[:3]))
		if m.normals != nil {
			m.normals.add(mgl32.Vec3(v[3:]))
		}
	}
}

func (m *plyMesh) readFaces(body plyBody, e *plyElement, strips bool) {
	column := slices.IndexFunc(e.properties, func(p plyProperty) bool { return p.isIndices() && p.kind.whole() })
	if column < 0 {
		m.src.fail("header", "element %s has no list vertex_indices of whole numbers", e.name)
	}
	if m.indices == nil {
		expect := 0
		if !strips {
			expect = m.expect(e.count)
		}
		m.indices = newTriangles(m.src, expect)
	}
	runs := triangleRuns(body, e, column)
	for n := int64(0); n < e.count; n++ {
		if runs != nil && !strips {
			if n += runs.decode(m, e.count-n); n == e.count {
				return
			}
		}
		at := spot{e.name, n}
		for i := range e.properties {
			if i == column {
				m.list(body, &e.properties[i], strips, at)
			} else {
				passProperty(body, &e.properties[i], at)
			}
		}
	}
}

// list reads one polygon or a list of strips.
func (m *plyMesh) list(body plyBody, p *plyProperty, strips bool, at spot) {
	n := listCount(body, p, at)
	if n < 3 && !strips {
		body.fail(at, "face of %d vertices", n)
	}
	m.indices.begin()
	for ; n > 0; n-- {
		if id := body.int(p.kind, at); !m.corner(id, strips) {
			what := ""
			if m.header.ascii { // in a binary file the place names the face already
				what = "face "
			}
			body.fail(at, "%snames vertex %d, but there are %d", what, id, m.vertices)
		}
	}
}

// corner adds the next corner of a polygon or strip; -1 begins a new strip. It returns false if
// the mesh has no such vertex.
func (m *plyMesh) corner(id int64, strip bool) bool {
	switch {
	case strip && id == -1:
		m.indices.begin()
	case uint64(id) >= uint64(m.vertices):
		return false
	case strip:
		m.indices.strip(uint32(id))
	default:
		m.indices.fan(uint32(id))
	}
	return true
}
