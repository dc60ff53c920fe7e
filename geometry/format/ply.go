package format

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/must"
)

// plyReader reads the Stanford polygon format: ascii, binary little endian and
// binary big endian, properties of any type in any order. Polygons become fans
// of triangles; Stanford's tristrips become triangles. Other elements are skipped, and
// other properties unless attributes are wanted. Vertices and faces keep the file's order.
//
// Source: Greg Turk, The PLY Polygon File Format, 1994.
var plyReader = Reader{
	Name:       "ply",
	Extensions: []string{".ply"},
	Magic: func(b []byte) bool {
		return bytes.HasPrefix(b, []byte("ply\n")) || bytes.HasPrefix(b, []byte("ply\r"))
	},
	Read:  plyRead,
	Bytes: .6,
}

// plyMostCount bounds vertices and faces to what a Scene can hold.
const plyMostCount = math.MaxInt32 - 1

// plyMesh is the mesh under construction.
type plyMesh struct {
	src       *Input
	header    *plyHeader
	vertices  uint32 // as the header states
	positions *pool[mgl32.Vec3]
	normals   *pool[mgl32.Vec3] // nil when the file has none
	indices   *triangles

	attributes []*plyAttribute // that are kept
	targets    []plyTarget     // by property of a vertex, where some are
}

// addVertex takes x y z and, where the mesh has a pool for them, nx ny nz. What was put
// into the attributes' rows is its own.
func (m *plyMesh) addVertex(v [6]float32) {
	for _, a := range m.attributes {
		a.data.addAll(a.row)
	}
	m.positions.add(mgl32.Vec3(v[:3]))
	if m.normals != nil {
		m.normals.add(mgl32.Vec3(v[3:]))
	}
}

// plyBody reads the elements of one encoding.
type plyBody interface {
	// vertex reads all vertices; columns are those of x y z and, where the mesh
	// has a pool for them, nx ny nz.
	vertex(m *plyMesh, e *plyElement, columns [6]int)
	// face reads all polygons, or strips of triangles, from the list that is
	// property column.
	face(m *plyMesh, e *plyElement, column int, strips bool)
	// skip passes over all of an element.
	skip(e *plyElement)
	// end refuses what follows the last element.
	end()
}

func plyRead(ctx context.Context, in *Input) (s *geometry.Scene, err error) {
	defer must.Catch(&err)
	r := bufio.NewReaderSize(in, 4<<10)
	h := plyReadHeader(in, r)
	m := &plyMesh{src: in, header: h}
	m.check()
	// The body begins with the bytes that r has read ahead.
	ahead, _ := r.Peek(r.Buffered())
	m.read(plyOpenBody(in, h, ahead))
	s = &geometry.Scene{Positions: m.positions.take(), Indices: m.indices.take()}
	if m.normals != nil {
		s.Normals = m.normals.take()
	}
	s.Draws = []geometry.Draw{wholeDraw(s)}
	for _, a := range m.attributes {
		s.Attributes = append(s.Attributes, geometry.Attribute{Name: a.name, Format: a.format, Data: a.data.take()})
	}
	s.Beside = h.beside(in.Attributes)
	return s, nil
}

// plyVertexRead are the properties of a vertex that are read.
var plyVertexRead = []string{"x", "y", "z", "nx", "ny", "nz"}

// beside names the properties of vertices, and the elements, that the scene does not keep.
func (h *plyHeader) beside(attributes bool) (list []string) {
	for _, e := range h.elements {
		if e.name == "vertex" {
			var names []string
			for _, p := range e.properties {
				if !slices.Contains(plyVertexRead, p.name) && (p.list || !attributes) {
					names = append(names, CleanName(p.name))
				}
			}
			if len(names) > 0 {
				list = append(list, "properties of vertices "+strings.Join(names, " "))
			}
		} else if e.name != "face" && e.name != "tristrips" {
			list = append(list, "element "+CleanName(e.name))
		}
	}
	return list
}

func plyOpenBody(src *Input, h *plyHeader, ahead []byte) plyBody {
	if h.ascii {
		t := newTextScanner(src, ahead)
		t.number = h.lines
		return &plyASCII{textScanner: t}
	}
	return &plyBinary{blockReader: newBlockReader(src, ahead), order: h.order}
}

// check refuses headers without a mesh, and counts too large for the file.
func (m *plyMesh) check() {
	left := m.src.left(m.header.bytes) + 1 // the last line may lack its end
	for i := range m.header.elements {
		e := &m.header.elements[i]
		least := e.leastBytes(m.header.ascii)
		if least > 0 && e.count > left/least {
			m.src.fail("header", "%d of element %s do not fit the file's %d bytes", e.count, Quote([]byte(e.name)), m.src.Size)
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

// expect is how many elements to make room for: the header's count if the file's
// size is known, so that check has found the count possible.
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
			body.skip(e)
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
	if m.src.Attributes {
		m.keepAttributes(e)
	}
	body.vertex(m, e, columns)
	if m.normals == nil {
		m.src.chargeNormals(m.positions.n)
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
	body.face(m, e, column, strips)
}

// wholeDraw draws all of a scene's pools as they are.
func wholeDraw(s *geometry.Scene) geometry.Draw {
	return geometry.Draw{
		IndexCount:  uint32(len(s.Indices)),
		VertexCount: uint32(len(s.Positions)),
		Transform:   mgl32.Ident4(),
		Color:       geometry.DefaultColor,
	}
}

// corner adds the next corner of a polygon or strip; -1 begins a strip anew.
func (m *plyMesh) corner(id int64, strip bool) (cause string) {
	if uint64(id) >= uint64(m.vertices) {
		if strip && id == -1 {
			m.indices.begin()
			return ""
		}
		return fmt.Sprintf("names vertex %d, but there are %d", id, m.vertices)
	}
	if strip {
		m.indices.strip(uint32(id))
	} else {
		m.indices.fan(uint32(id))
	}
	return ""
}
