// Package draco decodes triangle meshes that are compressed with Draco, bitstream 2.2: what glTF's
// KHR_draco_mesh_compression contains and what Google's encoders have written since 2017.
// https://google.github.io/draco/spec/
//
// Triangles, vertices and values are those of Google's decoder, in its order and bit for bit.
// Counts in the data cannot be checked against its length, since a thousand equal symbols may take
// no bytes. So all memory and work is charged to a budget before it is spent. The package knows
// neither glTF nor scenes.
package draco

import (
	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// Mesh is a decoded mesh.
type Mesh struct {
	Indices    []uint32 // three for each triangle, all below Points
	Points     int      // number of vertices
	Attributes []Attribute
}

// Attribute holds one value for each vertex.
type Attribute struct {
	ID         uint32
	Role       Role
	Type       Type // of a component
	Components int
	Normalized bool
	Data       []byte // Mesh.Points values of Components numbers each, in little endian and without gaps
}

// Role is the meaning of an attribute.
type Role byte

// Roles, as the bitstream numbers them. Later encoders add more.
const (
	Position Role = iota
	Normal
	Color
	TexCoord
	Generic
)

// Type is the type of an attribute's components.
type Type byte

// Types of components, as the bitstream numbers them.
const (
	Int8 Type = iota + 1
	Uint8
	Int16
	Uint16
	Int32
	Uint32
	Int64
	Uint64
	Float32
	Float64
	Bool
)

// Size returns the number of bytes of a component.
func (t Type) Size() int { return [...]int{0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 1}[t] }

// Magic begins all data that is compressed with Draco.
const Magic = "DRACO"

// Methods of encoding connectivity.
const (
	sequentialMethod = iota
	edgebreakerMethod
)

// decoder decodes one mesh.
type decoder struct {
	input
	budget  *budget.Budget
	charged int64 // bytes of memory that are charged now

	table   *table   // connectivity of positions; nil if it is sequential
	further []*table // connectivity of other attributes
	points  []int32  // by corner, three per triangle: its vertex
	count   int      // number of vertices
	groups  []*group
}

// Decode decodes data, and charges the mesh to the budget.
func Decode(data []byte, b *budget.Budget) (m *Mesh, err error) {
	defer must.Catch(&err)
	d := &decoder{input: input{data}, budget: b}
	kept := int64(0)
	defer func() { b.Free(d.charged - kept) }()
	switch method := d.header(); method {
	case sequentialMethod:
		d.sequential()
	case edgebreakerMethod:
		d.edgebreaker()
	default:
		must.Fail("method %d, which a mesh does not have", method)
	}
	m = &Mesh{Points: d.count}
	m.Attributes = d.attributes()
	d.charge(len(d.points), 4)
	m.Indices = make([]uint32, len(d.points))
	for c, p := range d.points {
		m.Indices[c] = uint32(p)
	}
	kept = 4 * int64(len(m.Indices))
	for _, a := range m.Attributes {
		kept += int64(len(a.Data))
	}
	return m, nil
}

// header reads the header and the metadata, and returns the method of encoding connectivity.
func (d *decoder) header() (method byte) {
	if string(d.bytes(5)) != Magic {
		must.Fail("is not Draco: it does not begin with %q", Magic)
	}
	major, minor, kind, method := d.u8(), d.u8(), d.u8(), d.u8()
	switch {
	case kind == 0:
		must.Fail("is a point cloud, which is not supported")
	case kind != 1:
		must.Fail("kind %d is not a mesh", kind)
	case major != 2 || minor != 2:
		must.Fail("Draco bitstream %d.%d, only 2.2 is supported", major, minor)
	}
	const metadata = 0x8000
	if flags := d.bytes(2); (int(flags[0])|int(flags[1])<<8)&metadata != 0 {
		for range d.varint() {
			d.varint() // the attribute's ID
			d.metadata()
		}
		d.metadata()
	}
	return method
}

// metadata skips names and values, nested ones included.
func (d *decoder) metadata() {
	for nested, root := uint64(1), true; nested > 0; nested, root = nested-1, false {
		if !root {
			d.bytes(uint64(d.u8()))
		}
		for range d.varint() {
			d.bytes(uint64(d.u8()))
			d.bytes(d.varint())
		}
		nested += d.varint()
	}
}

// Ways of encoding sequential connectivity.
const compressedIndices = 0

// sequential reads triangles as lists of vertices.
func (d *decoder) sequential() {
	defer must.Place("connectivity")
	faces, points := d.faces(d.varint()), d.varint()
	if points > mostIndices {
		must.Fail("%d vertices", points)
	}
	d.count = int(points)
	compressed := d.u8() == compressedIndices
	d.points = d.ints(3 * faces)
	if compressed {
		d.symbols(d.points, 1)
		last := int32(0)
		for c, symbol := range d.points {
			step := int32(uint32(symbol) >> 1)
			if symbol&1 != 0 {
				step = -step
			}
			last += step
			d.points[c] = last
		}
	} else {
		d.plainIndices()
	}
	for c, p := range d.points {
		if p < 0 || int(p) >= d.count {
			must.Fail("triangle %d has vertex %d of %d", c/3, p, d.count)
		}
	}
}

func (d *decoder) plainIndices() {
	for c := range d.points {
		switch {
		case d.count < 1<<8:
			d.points[c] = int32(d.u8())
		case d.count < 1<<16:
			d.points[c] = int32(d.unsigned(2))
		case d.count < 1<<21:
			d.points[c] = int32(min(d.varint(), mostIndices))
		default:
			d.points[c] = int32(d.unsigned(4))
		}
	}
}

// mostIndices bounds numbers of corners and vertices.
const mostIndices = 1<<31 - 1

// faces checks a number of triangles and returns it; it fails if there are none or too many.
func (d *decoder) faces(n uint64) int {
	if n == 0 {
		must.Fail("no triangles")
	}
	if n > mostIndices/3 {
		must.Fail("%d triangles", n)
	}
	return int(n)
}
