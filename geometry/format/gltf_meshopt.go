package format

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// EXT_meshopt_compression packs a buffer view with one of three codecs. A filter may have been
// applied to the values before.
// https://github.com/KhronosGroup/glTF/tree/main/extensions/2.0/Vendor/EXT_meshopt_compression
const (
	meshoptAttributes = "ATTRIBUTES"
	meshoptTriangles  = "TRIANGLES"
	meshoptIndices    = "INDICES"
)

// checkMeshopt checks a compressed view. It ensures that count*byteStride is the view's byteLength,
// and that the packed data is not shorter than the codec's smallest packing. So the unpacked data is
// at most 64 times as large as the packed data.
func (d *gltfDocument) checkMeshopt(v *gltfBufferView, place string) {
	m := v.Extensions.Meshopt
	place += " EXT_meshopt_compression"
	d.checkViewRange(m.Buffer, m.ByteOffset, m.ByteLength, place)
	stride, count := m.ByteStride.n, m.Count.n
	if stride < 1 || stride > 256 || count < 1 || count != v.ByteLength.n/stride || v.ByteLength.n%stride != 0 {
		gltfFail(place, "count %v times byteStride %v is not byteLength %d", m.Count, m.ByteStride, v.ByteLength.n)
	}
	if v.ByteStride.set && v.ByteStride.n != stride {
		gltfFail(place, "byteStride is %d, but that of the view is %d", stride, v.ByteStride.n)
	}
	ok, least := false, int64(0)
	switch m.Mode {
	case meshoptAttributes:
		ok = stride%4 == 0
		least = 1 + max(stride, 32) + count/256*stride*4
	case meshoptTriangles:
		ok = (stride == 2 || stride == 4) && count%3 == 0
		least = 1 + count/3 + 16
	case meshoptIndices:
		ok = stride == 2 || stride == 4
		least = 1 + count + 4
	}
	switch m.Filter {
	case "", "NONE":
	case "OCTAHEDRAL":
		ok = ok && m.Mode == meshoptAttributes && (stride == 4 || stride == 8)
	case "EXPONENTIAL", "QUATERNION":
		ok = ok && m.Mode == meshoptAttributes
	default:
		ok = false
	}
	if !ok {
		gltfFail(place, "mode %q with filter %q, byteStride %d and count %d is not allowed", CleanName(m.Mode), CleanName(m.Filter), stride, count)
	}
	if m.ByteLength.n < least {
		gltfFail(place, "%d bytes are too few for %d elements", m.ByteLength.n, count)
	}
}

var (
	errMeshoptEnd     = errors.New("the packed data is too short or too long")
	errMeshoptVersion = errors.New("unknown codec version")
)

// meshoptFilter converts unpacked values, in place, to the accessor's values.
func meshoptFilter(ctx context.Context, data []byte, stride int, filter string) error {
	switch filter {
	case "OCTAHEDRAL":
		return progress.Each(ctx, len(data)/stride, func(from, to int) {
			for k := from; k < to; k++ {
				meshoptOctahedral(data[k*stride:], stride)
			}
		})
	case "EXPONENTIAL":
		return progress.Each(ctx, len(data)/4, func(from, to int) {
			for p := data[4*from : 4*to]; len(p) > 0; p = p[4:] {
				v := int32(binary.LittleEndian.Uint32(p))
				f := math.Ldexp(float64(v<<8>>8), int(v>>24))
				binary.LittleEndian.PutUint32(p, math.Float32bits(float32(f)))
			}
		})
	case "QUATERNION":
		return errors.New("filter QUATERNION is for rotations, not for geometry")
	}
	return nil
}

// meshoptOctahedral decodes one vector of 4 signed bytes or shorts, in place. The first two are x and
// y on the octahedron, the third is the value that represents 1, and the fourth stays.
func meshoptOctahedral(p []byte, stride int) {
	var v [3]float64
	largest := 127.0
	for k := range v {
		if stride == 4 {
			v[k] = float64(int8(p[k]))
		} else {
			v[k] = float64(int16(binary.LittleEndian.Uint16(p[2*k:])))
			largest = 32767
		}
	}
	v[2] -= math.Abs(v[0]) + math.Abs(v[1])
	fold := min(v[2], 0)
	for k := range 2 {
		if v[k] >= 0 {
			v[k] += fold
		} else {
			v[k] -= fold
		}
	}
	length := cmp.Or(math.Sqrt(v[0]*v[0]+v[1]*v[1]+v[2]*v[2]), 1)
	for k := range v {
		n := int64(math.Round(v[k] * largest / length))
		if stride == 4 {
			p[k] = byte(n)
		} else {
			binary.LittleEndian.PutUint16(p[2*k:], uint16(n))
		}
	}
}

// meshoptInput is packed data that has not been read.
type meshoptInput []byte

// meshoptNeed fails with errMeshoptEnd unless ok.
func meshoptNeed(ok bool) {
	if !ok {
		must.OK(errMeshoptEnd)
	}
}

// take reads the next n bytes.
func (in *meshoptInput) take(n int) []byte {
	meshoptNeed(len(*in) >= n)
	taken := (*in)[:n]
	*in = (*in)[n:]
	return taken
}

// meshoptBegin checks the version, which is the first byte of packed data, and splits off the last `tail` bytes.
func meshoptBegin(packed []byte, version byte, tail int) (in meshoptInput, end []byte) {
	meshoptNeed(len(packed) > tail)
	if packed[0] != version {
		must.OK(errMeshoptVersion)
	}
	return packed[1 : len(packed)-tail], packed[len(packed)-tail:]
}

// meshoptUnpackAttributes fills dst with elements of stride bytes. (The codecs in this file follow
// the extension's sections "Mode 0: attributes", "Mode 1: triangles" and "Mode 2: indices".) The
// packed data is a version, blocks, and a tail of at least 32 bytes. Each element is stored as
// differences from the one before it; the tail ends with the predecessor of the first. In a block
// every byte of the element has its own stream.
func meshoptUnpackAttributes(ctx context.Context, dst []byte, stride int, packed []byte) (err error) {
	defer must.Catch(&err)
	in, tail := meshoptBegin(packed, 0xa0, max(stride, 32))
	var last [256]byte
	copy(last[:stride], tail[len(tail)-stride:])
	blockLen := min(8192/stride&^15, 256)
	var stream [256]byte
	whole := len(dst)
	meter := progress.NewMeter(ctx, whole)
	for len(dst) > 0 {
		must.OK(meter.At(whole - len(dst)))
		n := min(len(dst)/stride, blockLen)
		for k := range stride {
			in.unpack(stream[:(n+15)&^15])
			value := last[k]
			for i := range n {
				delta := stream[i]
				value += delta>>1 ^ -(delta & 1)
				dst[i*stride+k] = value
			}
			last[k] = value
		}
		dst = dst[n*stride:]
	}
	meshoptNeed(len(in) == 0)
	return nil
}

// unpack fills dst in groups of 16 bytes. For each group, 2 bits of a header say how it is stored: as
// nothing (all zero), in 2 or in 4 bits per byte, or as plain bytes. In 2 or 4 bits, the largest value
// stands for a whole byte that follows the group.
func (in *meshoptInput) unpack(dst []byte) {
	groups := len(dst) / 16
	head := in.take((groups + 3) / 4)
	for g := range groups {
		out := dst[g*16:][:16]
		switch mode := head[g/4] >> (g % 4 * 2) & 3; mode {
		case 0:
			clear(out)
		case 3:
			copy(out, in.take(16))
		default:
			bits := int(mode) * 2
			coded, escape := in.take(2*bits), byte(1<<bits-1)
			for i := range out {
				out[i] = coded[i*bits/8] >> (8 - bits - i*bits%8) & escape
				if out[i] == escape {
					out[i] = in.take(1)[0]
				}
			}
		}
	}
}

// varint reads 7 bits per byte, lowest first, from at most five bytes.
func (in *meshoptInput) varint() (v uint32) {
	for i := range 5 {
		b := in.take(1)[0]
		v |= uint32(b&127) << (7 * i)
		if b < 128 {
			break
		}
	}
	return v
}

func meshoptZigzag(v uint32) uint32 { return v>>1 ^ -(v & 1) }

func meshoptPutIndex(dst []byte, stride int, v uint32) {
	if stride == 2 {
		binary.LittleEndian.PutUint16(dst, uint16(v))
		return
	}
	binary.LittleEndian.PutUint32(dst, v)
}

// meshoptUnpackIndices fills dst with indices. There are two sequences of them, and each index is stored
// as a difference from the previous one of its sequence.
func meshoptUnpackIndices(ctx context.Context, dst []byte, stride int, packed []byte) (err error) {
	defer must.Catch(&err)
	in, _ := meshoptBegin(packed, 0xd1, 4)
	var last [2]uint32
	whole := len(dst)
	meter := progress.NewMeter(ctx, whole)
	for ; len(dst) > 0; dst = dst[stride:] {
		must.OK(meter.At(whole - len(dst)))
		v := in.varint()
		which := v & 1
		last[which] += meshoptZigzag(v >> 1)
		meshoptPutIndex(dst, stride, last[which])
	}
	meshoptNeed(len(in) == 0)
	return nil
}

// meshoptTriangleDecoder holds the state of mode 1: the last 16 edges and
// vertices, the next new vertex, and the last index coded as a difference.
type meshoptTriangleDecoder struct {
	edges          [16][2]uint32
	vertices       [16]uint32
	edgeAt, vertAt int // slots of the next edge and the next vertex, modulo 16
	next, last     uint32
	in             meshoptInput // what follows the codes: differences, and sources of vertices (see free)
}

func (t *meshoptTriangleDecoder) edge(back int) [2]uint32 { return t.edges[(t.edgeAt-1-back)&15] }
func (t *meshoptTriangleDecoder) vertex(back int) uint32  { return t.vertices[(t.vertAt-1-back)&15] }

func (t *meshoptTriangleDecoder) pushEdge(a, b uint32) {
	t.edges[t.edgeAt&15] = [2]uint32{a, b}
	t.edgeAt++
}

func (t *meshoptTriangleDecoder) pushVertex(v uint32) {
	t.vertices[t.vertAt&15] = v
	t.vertAt++
}

func (t *meshoptTriangleDecoder) newVertex() uint32 {
	t.next++
	return t.next - 1
}

func (t *meshoptTriangleDecoder) byDifference() uint32 {
	t.last += meshoptZigzag(t.in.varint())
	return t.last
}

// meshoptUnpackTriangles fills dst with triangles. The packed data is a version, one code per
// triangle, differences, and a table of 16 frequent pairs of vertex sources (see free).
func meshoptUnpackTriangles(ctx context.Context, dst []byte, stride int, packed []byte) (err error) {
	defer must.Catch(&err)
	in, table := meshoptBegin(packed, 0xe1, 16)
	codes := in.take(len(dst) / stride / 3)
	t := meshoptTriangleDecoder{in: in}
	for i := range t.edges {
		t.edges[i] = [2]uint32{^uint32(0), ^uint32(0)}
		t.vertices[i] = ^uint32(0)
	}
	meter := progress.NewMeter(ctx, len(codes))
	for done, code := range codes {
		must.OK(meter.At(done))
		var tri [3]uint32
		if code < 0xf0 {
			tri = t.onEdge(code)
		} else {
			tri = t.free(code, table)
		}
		for _, v := range tri {
			meshoptPutIndex(dst, stride, v)
			dst = dst[stride:]
		}
	}
	meshoptNeed(len(t.in) == 0)
	return nil
}

// onEdge decodes a triangle that shares a recent edge: the high half of the code selects the
// edge, the low half the source of the third vertex.
func (t *meshoptTriangleDecoder) onEdge(code byte) [3]uint32 {
	e := t.edge(int(code >> 4))
	a, b := e[0], e[1]
	var c uint32
	switch from := int(code & 15); {
	case from == 0:
		c = t.newVertex()
		t.pushVertex(c)
	case from < 13:
		c = t.vertex(from)
	case from == 15:
		c = t.byDifference()
		t.pushVertex(c)
	default: // 13: one below the last index; 14: one above it
		t.last += uint32(from - (from ^ 3))
		c = t.last
		t.pushVertex(c)
	}
	t.pushEdge(c, b)
	t.pushEdge(a, c)
	return [3]uint32{a, b, c}
}

// free decodes a triangle `a`, `b`, `c` without a recent edge. Codes up to 0xfd take the sources of
// `b` and `c` from the table; 0xfe and 0xff read them from the data. `a` is a new vertex, except
// that 0xff codes it as a difference.
func (t *meshoptTriangleDecoder) free(code byte, table []byte) (tri [3]uint32) {
	pair := table[code&15]
	if code >= 0xfe {
		if pair = t.in.take(1)[0]; pair == 0 {
			t.next = 0
		}
	}
	from := [3]byte{0, pair >> 4, pair & 15} // source of each vertex: 0 for a new one
	if code == 0xff {
		from[0] = 15
	}
	byDifference := func(k int) bool { return code >= 0xfe && from[k] == 15 }
	for k := range tri {
		if from[k] == 0 {
			tri[k] = t.newVertex()
		} else if !byDifference(k) {
			tri[k] = t.vertex(int(from[k]) - 1)
		}
	}
	for k := range tri {
		if byDifference(k) {
			tri[k] = t.byDifference()
		}
	}
	for k, v := range tri {
		if from[k] == 0 || byDifference(k) {
			t.pushVertex(v)
		}
	}
	t.pushEdge(tri[1], tri[0])
	t.pushEdge(tri[2], tri[1])
	t.pushEdge(tri[0], tri[2])
	return tri
}
