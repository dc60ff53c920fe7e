package format

import (
	"encoding/binary"
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// plyBinary reads the elements of a binary file. Vertices without lists, and
// runs of triangles whose other properties are scalars, are decoded in bulk;
// all else goes value by value.
type plyBinary struct {
	*blockReader
	order binary.ByteOrder
}

// stride is the size of such an element, or not ok when it has a list.
func (e *plyElement) stride() (n int, ok bool) {
	for _, p := range e.properties {
		if p.list {
			return 0, false
		}
		n += p.kind.size()
	}
	return n, true
}

// offset is where property i lies, when all those before it are scalars.
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

// packed reports whether the columns are three floats side by side.
func (c *plyColumns) packed() bool {
	o := c.offsets
	return c.kinds == [3]plyType{plyFloat32, plyFloat32, plyFloat32} && o[1] == o[0]+4 && o[2] == o[0]+8
}

// decode appends the three columns of the vertices that fill block.
func (c *plyColumns) decode(p *pool[mgl32.Vec3], block []byte) {
	for len(block) > 0 {
		dst := p.extend(len(block) / c.stride)
		if c.packed() && c.order == binary.LittleEndian {
			c.decodePacked(dst, block)
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

func (c *plyColumns) decodePacked(dst []mgl32.Vec3, block []byte) {
	at, stride := c.offsets[0], c.stride
	for i := range dst {
		v := block[at : at+12 : at+12]
		dst[i] = mgl32.Vec3{
			math.Float32frombits(binary.LittleEndian.Uint32(v[0:4])),
			math.Float32frombits(binary.LittleEndian.Uint32(v[4:8])),
			math.Float32frombits(binary.LittleEndian.Uint32(v[8:12])),
		}
		at += stride
	}
}

func (b *plyBinary) vertex(m *plyMesh, e *plyElement, columns [6]int) {
	stride, ok := e.stride()
	if !ok {
		b.vertexByValue(m, e, columns)
		return
	}
	positions := b.columns(e, stride, columns[:3])
	var normals plyColumns
	if m.normals != nil {
		normals = b.columns(e, stride, columns[3:])
	}
	for n := int64(0); n < e.count; {
		b.ensure(stride, spot{"vertex", n + int64((b.to-b.from)/stride)})
		k := min(e.count-n, int64((b.to-b.from)/stride))
		block := b.buf[b.from : b.from+int(k)*stride]
		positions.decode(m.positions, block)
		if m.normals != nil {
			normals.decode(m.normals, block)
		}
		for _, a := range m.attributes {
			a.addBlock(e, block, stride, b.order)
		}
		b.from += len(block)
		n += k
	}
}

// vertexByValue is vertex for elements that have lists.
func (b *plyBinary) vertexByValue(m *plyMesh, e *plyElement, columns [6]int) {
	for n := int64(0); n < e.count; n++ {
		at := spot{"vertex", n}
		var v [6]float32
		for i := range e.properties {
			p := &e.properties[i]
			if p.list {
				b.passProperty(p, at)
				continue
			}
			raw := b.bytes(p.kind.size(), at)
			if m.targets != nil {
				m.targets[i].put(raw, b.order)
			}
			for k, column := range columns {
				if column == i {
					v[k] = p.kind.float(raw, b.order)
				}
			}
		}
		m.addVertex(v)
	}
}

func (b *plyBinary) passProperty(p *plyProperty, at spot) {
	n := int64(1)
	if p.list {
		n = b.count(p, at)
	}
	b.pass(n, p.kind.size(), at)
}

// count reads the count of a list.
func (b *plyBinary) count(p *plyProperty, at spot) int64 {
	n := p.count.int(b.bytes(p.count.size(), at), b.order)
	if n < 0 {
		b.src.fail(at.String(), "list of %d values", n)
	}
	return n
}

func (b *plyBinary) face(m *plyMesh, e *plyElement, column int, strips bool) {
	bulk, ok := b.triangleRuns(e, column)
	for n := int64(0); n < e.count; n++ {
		if ok && !strips {
			if n += bulk.decode(b, m, e.count-n); n == e.count {
				return
			}
		}
		at := spot{e.name, n}
		for i := range e.properties {
			if i == column {
				b.list(m, &e.properties[i], strips, at)
			} else {
				b.passProperty(&e.properties[i], at)
			}
		}
	}
}

// list reads one polygon or list of strips.
func (b *plyBinary) list(m *plyMesh, p *plyProperty, strips bool, at spot) {
	n := b.count(p, at)
	if n < 3 && !strips {
		b.src.fail(at.String(), "face of %d vertices", n)
	}
	m.indices.begin()
	size := p.kind.size()
	for n > 0 {
		b.ensure(size, at)
		k := min(n, int64((b.to-b.from)/size))
		for ; k > 0; k, n = k-1, n-1 {
			if cause := m.corner(p.kind.int(b.buf[b.from:], b.order), strips); cause != "" {
				b.src.fail(at.String(), "%s", cause)
			}
			b.from += size
		}
	}
}

func (b *plyBinary) skip(e *plyElement) {
	stride, ok := e.stride()
	switch {
	case ok && stride > 0:
		b.pass(e.count, stride, spot{e.name, 0})
	case !ok:
		for n := int64(0); n < e.count; n++ {
			for i := range e.properties {
				b.passProperty(&e.properties[i], spot{e.name, n})
			}
		}
	}
}
