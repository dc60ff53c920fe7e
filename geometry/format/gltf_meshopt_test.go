package format

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"
)

func meshoptPackAttributes(data []byte, stride int) []byte {
	out := []byte{0xa0}
	first := data[:stride]
	last := append([]byte{}, first...)
	for blockLen := min(8192/stride&^15, 256); len(data) > 0; {
		n := min(len(data)/stride, blockLen)
		for k := range stride {
			deltas := make([]byte, (n+15)&^15)
			for i := range n {
				d := data[i*stride+k] - last[k]
				deltas[i] = d<<1 ^ byte(int8(d)>>7)
				last[k] = data[i*stride+k]
			}
			out = meshoptPackBytes(out, deltas)
		}
		data = data[n*stride:]
	}
	tail := make([]byte, max(stride, 32))
	copy(tail[len(tail)-stride:], first)
	return append(out, tail...)
}

func meshoptPackBytes(out, deltas []byte) []byte {
	head := len(out)
	out = append(out, make([]byte, (len(deltas)/16+3)/4)...)
	for g := 0; g*16 < len(deltas); g++ {
		group := deltas[g*16:][:16]
		best := append([]byte{}, group...)
		mode := byte(3)
		for _, bits := range []int{0, 2, 4} {
			if coded, ok := meshoptPackGroup(group, bits); ok && len(coded) < len(best) {
				best, mode = coded, byte(bits/2)
			}
		}
		out[head+g/4] |= mode << (g % 4 * 2)
		out = append(out, best...)
	}
	return out
}

func meshoptPackGroup(group []byte, bits int) (coded []byte, ok bool) {
	coded = make([]byte, 2*bits)
	for i, v := range group {
		escape := byte(1<<bits - 1)
		if v >= escape && bits > 0 {
			coded, v = append(coded, v), escape
		} else if v != 0 && bits == 0 {
			return nil, false
		}
		if bits > 0 {
			coded[i*bits/8] |= v << (8 - bits - i*bits%8)
		}
	}
	return coded, true
}

func meshoptPackVarint(out []byte, v uint32) []byte { return binary.AppendUvarint(out, uint64(v)) }

func meshoptSigned(d uint32) uint32 { return d<<1 ^ uint32(int32(d)>>31) }

func meshoptPackIndices(indices []uint32) []byte {
	out := []byte{0xd1}
	var last [2]uint32
	for i, v := range indices {
		which := uint32(i % 2)
		out = meshoptPackVarint(out, meshoptSigned(v-last[which])<<1|which)
		last[which] = v
	}
	return append(out, 0, 0, 0, 0)
}

// meshoptPackTriangles uses edges where it can, and plain differences elsewhere. The packers of
// this file are written from the extension's text. They are simple, and do not use every code that
// the unpackers know.
func meshoptPackTriangles(indices []uint32) []byte {
	var t meshoptTriangleDecoder
	var codes, data []byte
	for i := 0; i < len(indices); i += 3 {
		a, b, c := indices[i], indices[i+1], indices[i+2]
		code := byte(0xff)
		for back := range min(15, t.edgeAt) {
			if t.edge(back) == [2]uint32{a, b} {
				code = byte(back << 4)
				break
			}
		}
		if code == 0xff {
			codes, data = append(codes, code), append(data, 0xff)
			for _, v := range []uint32{a, b, c} {
				data = meshoptPackVarint(data, meshoptSigned(v-t.last))
				t.last = v
				t.pushVertex(v)
			}
			t.pushEdge(b, a)
		} else {
			from := byte(15)
			for back := 1; back < min(13, t.vertAt); back++ {
				if t.vertex(back) == c {
					from = byte(back)
					break
				}
			}
			switch {
			case from != 15:
			case c == t.next:
				from = 0
				t.next++
			case c == t.last-1:
				from, t.last = 13, c
			case c == t.last+1:
				from, t.last = 14, c
			default:
				data = meshoptPackVarint(data, meshoptSigned(c-t.last))
				t.last = c
			}
			if from == 0 || from > 12 {
				t.pushVertex(c)
			}
			codes = append(codes, code|from)
		}
		t.pushEdge(c, b)
		t.pushEdge(a, c)
	}
	out := append([]byte{0xe1}, codes...)
	out = append(out, data...)
	return append(out, make([]byte, 16)...)
}

func TestMeshoptAttributes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, stride := range []int{4, 12, 16, 40, 256} {
		for _, count := range []int{1, 15, 16, 17, 255, 256, 257, 1000} {
			want := make([]byte, stride*count)
			for i := range want { // columns range from constant to noise
				want[i] = byte(random.IntN(1 << (i % 9)))
			}
			packed := meshoptPackAttributes(want, stride)
			got := make([]byte, len(want))
			require.NoError(t, meshoptUnpackAttributes(t.Context(), got, stride, packed))
			require.Equal(t, want, got)
			for _, n := range []int{0, 1, 20, len(packed) / 2, len(packed) - 1} {
				require.Error(t, meshoptUnpackAttributes(t.Context(), got, stride, packed[:n]), "cut at %d", n)
			}
			packed[0] = 0xa1
			require.ErrorIs(t, meshoptUnpackAttributes(t.Context(), got, stride, packed), errMeshoptVersion)
		}
	}
}

func TestMeshoptIndices(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, size := range []int{2, 4} {
		want := make([]uint32, 900)
		for i := range want {
			want[i] = uint32(i/3) + random.Uint32N(4)
			if i%50 == 0 {
				want[i] = random.Uint32() >> (36 - 8*size) // 28 bits, the most that mode 2 has for a difference
			}
		}
		for name, c := range map[string]struct {
			packed []byte
			unpack func(context.Context, []byte, int, []byte) error
		}{
			"triangles": {meshoptPackTriangles(want), meshoptUnpackTriangles},
			"indices":   {meshoptPackIndices(want), meshoptUnpackIndices},
		} {
			dst := make([]byte, len(want)*size)
			require.NoError(t, c.unpack(t.Context(), dst, size, c.packed), name)
			for i, v := range want {
				got := uint32(binary.LittleEndian.Uint16(dst[i*size:]))
				if size == 4 {
					got = binary.LittleEndian.Uint32(dst[i*size:])
				}
				require.Equal(t, v, got, "%s %d", name, i)
			}
			for n := range len(c.packed) {
				require.Error(t, c.unpack(t.Context(), dst, size, c.packed[:n]), "%s cut at %d", name, n)
			}
			c.packed[0]--
			require.ErrorIs(t, c.unpack(t.Context(), dst, size, c.packed), errMeshoptVersion)
		}
	}
}

// TestMeshoptTriangleCodes uses codes that the packer above never produces: new vertices, the
// table, and the reset.
func TestMeshoptTriangleCodes(t *testing.T) {
	table := make([]byte, 16)
	table[1] = 0x10 // b is the newest vertex, c is new
	packed := []byte{0xe1, 0xf0, 0x00, 0xf1, 0xfe, 0xfe, 0x0d, 0x0e}
	packed = append(packed, 0x00, 0x2f, 20) // free codes: reset; b is the second newest, c a difference
	packed = append(packed, table...)
	dst := make([]byte, 7*3*2)
	require.NoError(t, meshoptUnpackTriangles(t.Context(), dst, 2, packed))
	var got []uint16
	for ; len(dst) > 0; dst = dst[2:] {
		got = append(got, binary.LittleEndian.Uint16(dst))
	}
	require.Equal(t, []uint16{
		0, 1, 2, // three new vertices
		0, 2, 3, // on the newest edge (a, c), with a new vertex
		4, 3, 5, // new, newest, new
		0, 1, 2, // reset
		3, 1, 10, // new, second newest, difference 10 to 0
		3, 10, 9, // one below the last difference
		3, 9, 10, // one above the last difference
	}, got)
}

func TestMeshoptFilters(t *testing.T) {
	for _, want := range []mgl32.Vec3{{0, 0, 1}, {0, 0, -1}, {1, 0, 0}, {0.6, 0, 0.8}, {0.36, -0.48, -0.8}, {-0.8, 0.6, 0}} {
		scale := 1 / float64(math.Abs(float64(want[0]))+math.Abs(float64(want[1]))+math.Abs(float64(want[2])))
		u, v := float64(want[0])*scale, float64(want[1])*scale
		if want[2] < 0 {
			u, v = math.Copysign(1-math.Abs(v), u), math.Copysign(1-math.Abs(u), v)
		}
		p := make([]byte, 8)
		for k, f := range []float64{u * 2047, v * 2047, 2047, 77} {
			binary.LittleEndian.PutUint16(p[2*k:], uint16(int16(math.Round(f))))
		}
		require.NoError(t, meshoptFilter(t.Context(), p, 8, "OCTAHEDRAL"))
		for k := range 3 {
			require.InDelta(t, want[k], float64(int16(binary.LittleEndian.Uint16(p[2*k:])))/32767, 1e-3)
		}
		require.EqualValues(t, 77, p[6])
		p = []byte{byte(int8(math.Round(u * 127))), byte(int8(math.Round(v * 127))), 127, 5}
		require.NoError(t, meshoptFilter(t.Context(), p, 4, "OCTAHEDRAL"))
		for k := range 3 {
			require.InDelta(t, want[k], float64(int8(p[k]))/127, 0.02)
		}
	}
	p := binary.LittleEndian.AppendUint32(nil, 0xff000003) // 3 * 2^-1
	p = binary.LittleEndian.AppendUint32(p, 0x04fffffe)    // -2 * 2^4
	require.NoError(t, meshoptFilter(t.Context(), p, 8, "EXPONENTIAL"))
	require.Equal(t, float32(1.5), math.Float32frombits(binary.LittleEndian.Uint32(p)))
	require.Equal(t, float32(-32), math.Float32frombits(binary.LittleEndian.Uint32(p[4:])))
	require.Error(t, meshoptFilter(t.Context(), p, 8, "QUATERNION"))
}

// meshoptTestDocument is gltfSquare with indices, both packed.
func meshoptTestDocument() *gltfMaker {
	m := &gltfMaker{moreBuffers: `,{"byteLength":1000}`} // the fallback, which is never read
	raw, _ := binary.Append(nil, binary.LittleEndian, gltfSquare)
	add := func(packed []byte, stride, count int, mode, extra string) {
		at := m.view(packed, "")
		m.views[at] = fmt.Sprintf(`{"buffer":1,"byteLength":%d,"extensions":{"EXT_meshopt_compression":{"buffer":0,"byteOffset":%d,"byteLength":%d,"byteStride":%d,"count":%d,"mode":%q}}%s}`,
			stride*count, len(m.bin)-len(packed), len(packed), stride, count, mode, extra)
	}
	add(meshoptPackAttributes(raw, 12), 12, 4, meshoptAttributes, `,"byteStride":12`)
	add(meshoptPackTriangles([]uint32{0, 1, 2, 2, 1, 3}), 2, 6, meshoptTriangles, "")
	add(meshoptPackIndices([]uint32{0, 1, 2, 2, 1, 3}), 4, 6, meshoptIndices, "")
	m.accessor(0, gltfFloat, "VEC3", 4, "")
	m.accessor(1, gltfUnsignedShort, "SCALAR", 6, "")
	m.accessor(2, gltfUnsignedInt, "SCALAR", 6, "")
	return m
}

const meshoptTestMesh = `"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1},{"attributes":{"POSITION":0},"indices":2}]}],
	"extensionsRequired":["EXT_meshopt_compression"]`

func TestGLTFMeshopt(t *testing.T) {
	m := meshoptTestDocument()
	s := gltfMustRead(t, m.text(meshoptTestMesh))
	require.Equal(t, []mgl32.Vec3{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, s.Positions)
	require.Equal(t, []uint32{0, 1, 2, 2, 1, 3, 0, 1, 2, 2, 1, 3}, s.Indices)
	good := m.text(meshoptTestMesh)
	for _, c := range []struct{ from, to, cause string }{
		{`"mode":"TRIANGLES"`, `"mode":"CUBES"`, "is not allowed"},
		{`"mode":"TRIANGLES"`, `"mode":"TRIANGLES","filter":"EXPONENTIAL"`, "is not allowed"},
		{`"mode":"TRIANGLES"`, `"mode":"INDICES"`, "unknown codec version"},
		{`"count":6,"mode"`, `"count":7,"mode"`, "is not byteLength"},
		{`"count":6,"mode"`, `"count":-6,"mode"`, "is not byteLength"},
		{`"byteStride":2,`, `"byteStride":0,`, "is not byteLength"},
		{`"byteStride":2,"count":6`, `"byteStride":4,"count":3`, "too short or too long"},
		{`"byteStride":2,"count":6`, `"byteStride":3,"count":4`, `mode "TRIANGLES" with filter "", byteStride 3 and count 4 is not allowed`},
		{`"byteStride":2,"count":6`, `"byteStride":5,"count":2`, "count 2 times byteStride 5 is not byteLength 12"},
		{`"mode":"TRIANGLES"`, `"mode":"ATTRIBUTES"`, "is not allowed"},
		{`"mode":"TRIANGLES"`, `"mode":"TRIANGLES","filter":"OCTAHEDRAL"`, "is not allowed"},
		{`"mode":"TRIANGLES"`, `"mode":"TRIANGLES","filter":"CUBIC"`, "is not allowed"},
		{`"extensions":{"EXT_meshopt_compression":{"buffer":0`, `"extensions":{"EXT_meshopt_compression":{"buffer":2`, "buffer is 2"},
		{`"byteLength":12,"extensions"`, `"byteLength":1099511627776,"extensions"`, "outside buffer 1"},
		{`"ATTRIBUTES"}},"byteStride":12`, `"ATTRIBUTES"}},"byteStride":16`, "byteStride is 12, but that of the view is 16"},
		{`"ATTRIBUTES"}}`, `"ATTRIBUTES","filter":"OCTAHEDRAL"}}`, `filter "OCTAHEDRAL", byteStride 12`},
		{`"byteLength":23,"byteStride":2`, `"byteLength":18,"byteStride":2`, "18 bytes are too few for 6 elements"},
	} {
		require.Contains(t, good, c.from)
		_, err := gltfReadString(strings.Replace(good, c.from, c.to, 1), nil)
		gltfRequireError(t, err, "bufferView ", c.cause, c.to)
	}
}
