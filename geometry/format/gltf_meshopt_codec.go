package format

import (
	"context"
	"encoding/binary"

	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// meshoptUnpackAttributes fills dst with elements of stride bytes. (The codecs in this file
// follow the extension's sections "Mode 0: attributes", "Mode 1: triangles" and "Mode 2:
// indices".) The packed data is a version, blocks, and a tail of at least 32 bytes that ends with
// the element before the first. In a block every byte of the element has its own stream.
func meshoptUnpackAttributes(ctx context.Context, dst []byte, stride int, packed []byte) error {
	tail := max(stride, 32)
	if len(packed) < 1+tail {
		return errMeshoptEnd
	}
	if packed[0] != 0xa0 {
		return errMeshoptVersion
	}
	var last [256]byte
	copy(last[:stride], packed[len(packed)-stride:])
	in := packed[1 : len(packed)-tail]
	blockLen := min(8192/stride&^15, 256)
	var stream [256]byte
	whole := len(dst)
	meter := progress.NewMeter(ctx, whole)
	for len(dst) > 0 {
		if err := meter.At(whole - len(dst)); err != nil {
			return err
		}
		n := min(len(dst)/stride, blockLen)
		for k := range stride {
			var ok bool
			if in, ok = meshoptUnpackBytes(stream[:(n+15)&^15], in); !ok {
				return errMeshoptEnd
			}
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
	if len(in) != 0 {
		return errMeshoptEnd
	}
	return nil
}

// meshoptUnpackBytes fills dst, groups of 16 bytes, and returns the rest of in. A header gives 2
// bits per group: all zero, 2 or 4 bits per value (the largest value means that a whole byte
// follows the group), or plain bytes.
func meshoptUnpackBytes(dst, in []byte) (rest []byte, ok bool) {
	groups := len(dst) / 16
	headLen := (groups + 3) / 4
	if len(in) < headLen {
		return nil, false
	}
	head, in := in[:headLen], in[headLen:]
	for g := range groups {
		out := dst[g*16:][:16]
		switch mode := head[g/4] >> (g % 4 * 2) & 3; mode {
		case 0:
			clear(out)
		case 3:
			if len(in) < 16 {
				return nil, false
			}
			copy(out, in)
			in = in[16:]
		default:
			bits := int(mode) * 2
			if len(in) < 2*bits {
				return nil, false
			}
			coded, escape := in[:2*bits], byte(1<<bits-1)
			in = in[2*bits:]
			for i := range out {
				out[i] = coded[i*bits/8] >> (8 - bits - i*bits%8) & escape
				if out[i] != escape {
					continue
				}
				if len(in) == 0 {
					return nil, false
				}
				out[i], in = in[0], in[1:]
			}
		}
	}
	return in, true
}

// meshoptVarint reads 7 bits per byte, lowest first, from at most five bytes.
func meshoptVarint(in []byte) (v uint32, rest []byte, ok bool) {
	for i := 0; i < len(in) && i < 5; i++ {
		v |= uint32(in[i]&127) << (7 * i)
		if in[i] < 128 || i == 4 {
			return v, in[i+1:], true
		}
	}
	return 0, nil, false
}

func meshoptZigzag(v uint32) uint32 { return v>>1 ^ -(v & 1) }

func meshoptPutIndex(dst []byte, stride int, v uint32) {
	if stride == 2 {
		binary.LittleEndian.PutUint16(dst, uint16(v))
		return
	}
	binary.LittleEndian.PutUint32(dst, v)
}

// meshoptUnpackIndices fills dst with indices; each is stored as a difference from one of two
// predecessors.
func meshoptUnpackIndices(ctx context.Context, dst []byte, stride int, packed []byte) error {
	if len(packed) < 1+4 {
		return errMeshoptEnd
	}
	if packed[0] != 0xd1 {
		return errMeshoptVersion
	}
	in := packed[1 : len(packed)-4]
	var last [2]uint32
	whole := len(dst)
	meter := progress.NewMeter(ctx, whole)
	for ; len(dst) > 0; dst = dst[stride:] {
		if err := meter.At(whole - len(dst)); err != nil {
			return err
		}
		v, rest, ok := meshoptVarint(in)
		if !ok {
			return errMeshoptEnd
		}
		in = rest
		which := v & 1
		last[which] += meshoptZigzag(v >> 1)
		meshoptPutIndex(dst, stride, last[which])
	}
	if len(in) != 0 {
		return errMeshoptEnd
	}
	return nil
}

// meshoptTriangleDecoder holds the state of mode 1: the last 16 edges and
// vertices, the next new vertex, and the last index coded as a difference.
type meshoptTriangleDecoder struct {
	edges          [16][2]uint32
	vertices       [16]uint32
	edgeAt, vertAt int // where the next edge and vertex go
	next, last     uint32
	in             []byte // differences and free codes
	cut            bool   // whether in ended too early
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
	v, rest, ok := meshoptVarint(t.in)
	t.in, t.cut = rest, t.cut || !ok
	t.last += meshoptZigzag(v)
	return t.last
}

// meshoptUnpackTriangles fills dst with triangles. The packed data is a version, one code per
// triangle, differences, and a table of 16 frequent pairs of codes.
func meshoptUnpackTriangles(ctx context.Context, dst []byte, stride int, packed []byte) error {
	count := len(dst) / stride / 3
	if len(packed) < 1+count+16 {
		return errMeshoptEnd
	}
	if packed[0] != 0xe1 {
		return errMeshoptVersion
	}
	codes := packed[1:][:count]
	table := packed[len(packed)-16:]
	t := meshoptTriangleDecoder{in: packed[1+count : len(packed)-16]}
	for i := range t.edges {
		t.edges[i] = [2]uint32{^uint32(0), ^uint32(0)}
		t.vertices[i] = ^uint32(0)
	}
	meter := progress.NewMeter(ctx, count)
	for done, code := range codes {
		if err := meter.At(done); err != nil {
			return err
		}
		var tri [3]uint32
		if code < 0xf0 {
			tri = t.onEdge(code)
		} else {
			tri = t.free(code, table)
		}
		if t.cut {
			return errMeshoptEnd
		}
		for _, v := range tri {
			meshoptPutIndex(dst, stride, v)
			dst = dst[stride:]
		}
	}
	if len(t.in) != 0 {
		return errMeshoptEnd
	}
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
	default: // 13 and 14 are one below and one above the last index
		t.last += uint32(from - (from ^ 3))
		c = t.last
		t.pushVertex(c)
	}
	t.pushEdge(c, b)
	t.pushEdge(a, c)
	return [3]uint32{a, b, c}
}

// free decodes a triangle without a recent edge. Codes up to 0xfd take the sources of b and c
// from the table and a new vertex for a; 0xfe and 0xff read the sources, and 0xff codes a as a
// difference.
func (t *meshoptTriangleDecoder) free(code byte, table []byte) [3]uint32 {
	pair, readA := byte(0), code == 0xff
	if code < 0xfe {
		pair = table[code&15]
	} else {
		if len(t.in) == 0 {
			t.cut = true
			return [3]uint32{}
		}
		pair, t.in = t.in[0], t.in[1:]
		if pair == 0 {
			t.next = 0
		}
	}
	var a, b, c uint32
	if !readA {
		a = t.newVertex()
	}
	fromB, fromC := int(pair>>4), int(pair&15)
	byDifference := func(from int) bool { return code >= 0xfe && from == 15 }
	origin := func(from int) uint32 {
		switch {
		case from == 0:
			return t.newVertex()
		case byDifference(from):
			return 0
		}
		return t.vertex(from - 1)
	}
	b = origin(fromB)
	c = origin(fromC)
	if readA {
		a = t.byDifference()
	}
	if byDifference(fromB) {
		b = t.byDifference()
	}
	if byDifference(fromC) {
		c = t.byDifference()
	}
	t.pushVertex(a)
	if fromB == 0 || byDifference(fromB) {
		t.pushVertex(b)
	}
	if fromC == 0 || byDifference(fromC) {
		t.pushVertex(c)
	}
	t.pushEdge(b, a)
	t.pushEdge(c, b)
	t.pushEdge(a, c)
	return [3]uint32{a, b, c}
}
