package format

import (
	"encoding/binary"
	"math/bits"
)

// plyTriangleRuns says how a triangle is stored in an element of faces that are
// all triangles: the list's count in one byte, then three 32-bit indices.
type plyTriangleRuns struct {
	before, stride int // bytes ahead of the count, and of one face in all
	swap           bool
}

func (b *plyBinary) triangleRuns(e *plyElement, column int) (plyTriangleRuns, bool) {
	list := e.properties[column]
	if list.count.size() != 1 || list.kind.size() != 4 {
		return plyTriangleRuns{}, false
	}
	r := plyTriangleRuns{swap: b.order == binary.BigEndian, stride: 1 + 3*4}
	for i, p := range e.properties {
		switch {
		case i == column:
		case p.list:
			return plyTriangleRuns{}, false
		case i < column:
			r.before += p.kind.size()
			fallthrough
		default:
			r.stride += p.kind.size()
		}
	}
	return r, true
}

// decode reads triangles until one face is something else, or is wrong, or most
// have been read, and returns how many it has read.
func (r *plyTriangleRuns) decode(b *plyBinary, m *plyMesh, most int64) (n int64) {
	for n < most {
		if b.fill(r.stride) != nil {
			return n // too short for a triangle: reading it by value says what is wrong
		}
		want := int(min(most-n, int64((b.to-b.from)/r.stride)))
		dst := m.indices.extend(3 * want)
		want = len(dst) / 3
		got := r.decodeBlock(dst, b.buf[b.from:b.to], m.vertices)
		m.indices.cut(3 * (want - got))
		b.from += got * r.stride
		n += int64(got)
		if got < want {
			return n
		}
	}
	return n
}

// decodeBlock fills dst, three indices per triangle, as far as the faces are
// triangles with indices below vertices.
func (r *plyTriangleRuns) decodeBlock(dst []uint32, block []byte, vertices uint32) (got int) {
	at := r.before
	for len(dst) >= 3 {
		f := block[at : at+13 : at+13]
		x := binary.LittleEndian.Uint32(f[1:5])
		y := binary.LittleEndian.Uint32(f[5:9])
		z := binary.LittleEndian.Uint32(f[9:13])
		if r.swap {
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
