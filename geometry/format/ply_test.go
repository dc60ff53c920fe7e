package format

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"
)

const plyPlain = `ply
format ascii 1.0
comment a quad and a triangle
element vertex 4
property float x
property float y
property float z
element face 2
property list uchar int vertex_indices
end_header
0 0 0
1 0 0
0 1 0
0 0 1
4 0 1 2 3
3 3 1 0
`

// plyBytes builds a binary file: values are written in their Go types.
func plyBytes(order binary.AppendByteOrder, header string, values ...any) []byte {
	name := "binary_little_endian"
	if order.String() == binary.BigEndian.String() {
		name = "binary_big_endian"
	}
	data := []byte("ply\nformat " + name + " 1.0\n" + header + "end_header\n")
	for _, v := range values {
		switch v := v.(type) {
		case uint8:
			data = append(data, v)
		case int8:
			data = append(data, uint8(v))
		case int16:
			data = order.AppendUint16(data, uint16(v))
		case uint16:
			data = order.AppendUint16(data, v)
		case int32:
			data = order.AppendUint32(data, uint32(v))
		case uint32:
			data = order.AppendUint32(data, v)
		case float32:
			data = order.AppendUint32(data, math.Float32bits(v))
		case float64:
			data = order.AppendUint64(data, math.Float64bits(v))
		case mgl32.Vec3:
			for _, f := range v {
				data = order.AppendUint32(data, math.Float32bits(f))
			}
		default:
			panic(fmt.Sprintf("no type of PLY: %T", v))
		}
	}
	return data
}

// plyTetra is a tetrahedron in the plain layout.
func plyTetra(order binary.AppendByteOrder) []byte {
	values := []any{}
	for _, p := range tetraPositions {
		values = append(values, p)
	}
	for k := 0; k < len(tetraIndices); k += 3 {
		values = append(values, uint8(3), tetraIndices[k], tetraIndices[k+1], tetraIndices[k+2])
	}
	return plyBytes(order, "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n"+
		"element face 4\nproperty list uchar uint vertex_indices\n", values...)
}

func TestPLYBinary(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		t.Run(order.String(), func(t *testing.T) {
			s := mustLoad(t, "a.ply", string(plyTetra(order)))
			require.Equal(t, tetraPositions, s.Positions)
			require.Equal(t, tetraIndices, s.Indices)
			require.Len(t, s.Normals, 4)
		})
		t.Run(order.String()+" everything else", func(t *testing.T) {
			// Other elements before, between and after; unusual types; lists among the properties; a
			// quad between triangles; blanks at the end.
			data := plyBytes(order, `element camera 2
property double view
property list ushort short samples
element vertex 4
property uchar red
property double z
property list uchar float weights
property short x
property float y
element gap 3
element face 3
property uchar flags
property list int ushort vertex_index
property float quality
property list uchar float texcoord
element extra 1
property int i
`,
				1.5, uint16(2), int16(-1), int16(7), 2.5, uint16(0),
				uint8(9), 0.0, uint8(1), float32(1), int16(0), float32(0),
				uint8(9), 0.0, uint8(0), int16(1), float32(0),
				uint8(9), 0.0, uint8(2), float32(1), float32(2), int16(0), float32(1),
				uint8(9), 1.0, uint8(0), int16(0), float32(0),
				uint8(1), int32(4), uint16(0), uint16(1), uint16(2), uint16(3), float32(1), uint8(2), float32(0), float32(1),
				uint8(1), int32(3), uint16(3), uint16(1), uint16(0), float32(1), uint8(0),
				uint8(1), int32(3), uint16(0), uint16(0), uint16(0), float32(1), uint8(0),
				int32(4), uint8('\n'))
			s := mustLoad(t, "a.ply", string(data))
			require.Equal(t, tetraPositions, s.Positions)
			require.Equal(t, append(append([]uint32{}, quadIndices...), 0, 0, 0), s.Indices)
		})
	}
}

// TestPLYTriangleRuns mixes triangles and larger polygons in the layout that is
// decoded in bulk, with scalars around the list.
func TestPLYTriangleRuns(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		values, want := []any{}, []uint32{}
		for _, p := range tetraPositions {
			values = append(values, p)
		}
		const faces = 30000 // several blocks
		for n := range faces {
			a, b, c := uint32(n)%4, uint32(n/4)%4, uint32(n/16)%4
			values = append(values, int16(n))
			if n%1000 == 999 {
				values = append(values, uint8(5), a, b, c, a, b)
				want = append(want, a, b, c, a, c, a, a, a, b)
			} else {
				values = append(values, uint8(3), a, b, c)
				want = append(want, a, b, c)
			}
			values = append(values, uint8(n))
		}
		s := mustLoad(t, "a.ply", string(plyBytes(order, fmt.Sprintf("element vertex 4\nproperty float x\nproperty float y\nproperty float z\n"+
			"element face %d\nproperty short before\nproperty list uchar int vertex_indices\nproperty uchar after\n", faces), values...)))
		require.True(t, slices.Equal(want, s.Indices))
	}
}

func TestPLYNormals(t *testing.T) {
	header := "element vertex 3\nproperty float nx\nproperty float ny\nproperty float nz\nproperty float x\nproperty float y\nproperty float z\n" +
		"element face 1\nproperty list uchar int vertex_indices\n"
	s := mustLoad(t, "a.ply", string(plyBytes(binary.LittleEndian, header,
		mgl32.Vec3{0, 2, 0}, tetraPositions[0], mgl32.Vec3{0, 0, 0}, tetraPositions[1], mgl32.Vec3{1, 0, 0}, tetraPositions[2],
		uint8(3), int32(0), int32(1), int32(2))))
	require.Equal(t, tetraPositions[:3], s.Positions)
	require.Equal(t, []mgl32.Vec3{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, s.Normals, "made of unit length")
}

func TestPLYStrips(t *testing.T) {
	header := "element vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement tristrips 1\nproperty list int int vertex_indices\n"
	values := []any{tetraPositions[0], tetraPositions[1], tetraPositions[2], tetraPositions[3], int32(8)}
	for _, id := range []int32{0, 1, 2, 3, -1, 3, 1, 0} {
		values = append(values, id)
	}
	want := []uint32{0, 1, 2, 2, 1, 3, 3, 1, 0}
	require.Equal(t, want, mustLoad(t, "a.ply", string(plyBytes(binary.BigEndian, header, values...))).Indices)
	s := mustLoad(t, "a.ply", "ply\nformat ascii 1.0\n"+header+"end_header\n0 0 0 1 0 0\n0 1 0 0 0 1\n8 0 1 2 3 -1 3 1 0")
	require.Equal(t, want, s.Indices)
	require.Equal(t, tetraPositions, s.Positions)
}

func TestPLYASCII(t *testing.T) {
	for name, text := range map[string]string{
		"plain":       plyPlain,
		"CRLF":        strings.ReplaceAll(plyPlain, "\n", "\r\n"),
		"no last end": strings.TrimSuffix(plyPlain, "\n"),
		"empty lists": strings.NewReplacer("element face 2\n", "element edge 200\nproperty list uchar int vertex_indices\nelement face 2\n", "4 0 1", strings.Repeat("0\n", 200)+"4 0 1").Replace(plyPlain),
		"wrapped":     strings.Replace(plyPlain, "4 0 1 2 3\n3 3 1 0", "4 0\n1 2\n\n3 3\t3 1 0  \n\n", 1),
		"more": strings.NewReplacer(
			"property float y\nproperty float z\n", "property double confidence\nproperty list uchar int seen\nproperty double z\nproperty int y\n",
			"0 0 0\n1 0 0\n0 1 0\n0 0 1\n", "0 nan 0 0 0\n1 .5 2 8 9 0 0\n0 .5 1 7 0 1\n0 .5 0 1 0\n",
			"element face 2\n", "element edge 1\nproperty int a\nelement face 2\nproperty int first\n", "4 0 1", "77\n8 4 0 1", "3 3 1", "9 3 3 1",
		).Replace(plyPlain),
	} {
		t.Run(name, func(t *testing.T) {
			s := mustLoad(t, "a.ply", text)
			require.Equal(t, tetraPositions, s.Positions)
			require.Equal(t, quadIndices, s.Indices)
		})
	}
}

func TestPLYRefuses(t *testing.T) {
	requireRefused(t, "bad.ply", plyPlain, []refusal{
		{"no format", "format ascii 1.0\n", "", "names no format"},
		{"version", "ascii 1.0", "ascii 2.0", "line 2"},
		{"encoding", "ascii 1.0", "utf-8 1.0", "unknown encoding"},
		{"word", "comment", "commend", "line 3"},
		{"type", "float y", "half y", "unknown type"},
		{"twice", "float y", "float x", "already has this property"},
		{"element twice", "element face 2", "element vertex 2", "comes before"},
		{"float count", "list uchar", "list float", "whole number"},
		{"float indices", "uchar int", "uchar float", "no list vertex_indices"},
		{"stray property", "element vertex 4\n", "", "of no element"},
		{"no z", "property float z\n", "", "no z"},
		{"list x", "property float x", "property list uchar float x", "list"},
		{"negative count", "face 2", "face -2", "line 8"},
		{"count of vertices", "vertex 4", "vertex 40000000", "more than the file's"},
		{"count of faces", "face 2", "face 900000000000", "face"},
		{"too few vertices", "vertex 4", "vertex 3", ""},
		{"too few faces", "face 2", "face 1", "line 16"},
		{"too many faces", "face 2", "face 3", "more than the file's"},
		{"no vertices", "vertex 4", "vertex 0", "no vertices"},
		{"no faces", "face 2", "face 0", "no triangles"},
		{"index", "3 3 1 0", "3 4 1 0", "line 16: face names vertex 4"},
		{"negative index", "3 3 1 0", "3 3 -1 0", "line 16"},
		{"fraction", "3 3 1 0", "3 3 1.5 0", "line 16"},
		{"line", "3 3 1 0", "2 3 1", "face of 2"},
		{"nan", "1 0 0", "1 nan 0", "line 12"},
		{"overflow", "1 0 0", "1 1e999 0", "line 12"},
		{"word in body", "1 0 0", "1 one 0", "line 12"},
	})
	tetra := string(plyTetra(binary.LittleEndian))
	requireRefused(t, "bad.ply", tetra, []refusal{
		{"binary face count", "\x03\x00\x00\x00\x00", "\xff\x00\x00\x00\x00", "face 0"},
		{"binary index", "\x03\x00\x00\x00\x00", "\x03\x04\x00\x00\x00", "face 0: names vertex 4"},
		{"binary nan", "end_header\n\x00\x00\x00\x00", "end_header\n\x00\x00\xc0\x7f", "not finite"},
		{"binary count of faces", "face 4", "face 5", "more than the file's"},
		{"binary too few faces", "face 4", "face 3", "goes on after"},
		{"cut list", tetra, tetra[:len(tetra)-1], ""},
	})
}
