package format

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// openAttributes opens bytes as a file of the given name, with and without attributes.
func openAttributes(t *testing.T, name string, data []byte) (with, without *geometry.Scene, err error) {
	path := writeFile(t, name, data)
	without = must.Get(Open(t.Context(), path))
	require.Empty(t, without.Attributes)
	with, err = Readers(nil).Attributes().Open(t.Context(), path)
	return with, without, err
}

// attributesOf lists attributes as a shader reads them, one line each.
func attributesOf(s *geometry.Scene) (lines []string) {
	for i := range s.Attributes {
		a := &s.Attributes[i]
		line := fmt.Sprintf("%s %v, %d missing:", a.Name, a.Format, a.Missing)
		for v := range s.Positions {
			components := a.Format.Decode(a.Element(v))
			for _, bits := range components[:a.Format.Components()] {
				if a.Format.Class() == 1 {
					line += fmt.Sprintf(" %.3g", math.Float32frombits(bits))
				} else {
					line += fmt.Sprintf(" %d", int32(bits))
				}
			}
			line += ";"
		}
		lines = append(lines, line)
	}
	return lines
}

func TestGLTFAttributes(t *testing.T) {
	m := &gltfMaker{}
	p := m.floats(gltfSquare[:9]...)
	uv := m.accessor(m.view([]float32{0, 0, .5, 0, 1, 1}, ""), gltfFloat, "VEC2", 3, "")
	short := m.accessor(m.view([]uint16{0, 0, 65535, 0, 0, 13107}, ""), gltfUnsignedShort, "VEC2", 3, `,"normalized":true`)
	color := m.accessor(m.view([]byte{255, 0, 51, 9, 0, 255, 51, 9, 0, 0, 0, 9}, `,"byteStride":4`), gltfUnsignedByte, "VEC3", 3, `,"normalized":true`)
	joints := m.accessor(m.view([]byte{0, 1, 2, 3, 4, 5, 6, 7, 255, 9, 10, 11}, ""), gltfUnsignedByte, "VEC4", 3, "")
	scaled := m.accessor(m.view([]int8{-3, 4, 0, 0, 5, -6, 0, 0, 7, 8, 0, 0}, `,"byteStride":4`), gltfByte, "VEC2", 3, "")
	mine := m.accessor(m.view([]uint32{7, 8, 9}, ""), gltfUnsignedInt, "SCALAR", 3, "")
	at, values := m.view([]byte{1}, ""), m.view([]float32{5}, "")
	sparse := len(m.accessors)
	m.accessors = append(m.accessors, fmt.Sprintf(`{"componentType":5126,"type":"SCALAR","count":3,"sparse":{"count":1,"indices":{"bufferView":%d,"componentType":5121},"values":{"bufferView":%d}}}`, at, values))
	matrix := m.accessor(m.view(make([]float32, 48), ""), gltfFloat, "MAT4", 3, "")
	rest := fmt.Sprintf(`"meshes":[{"primitives":[
		{"attributes":{"POSITION":%d,"TEXCOORD_0":%d,"COLOR_0":%d,"JOINTS_0":%d,"_M":%d}},
		{"attributes":{"POSITION":%[1]d,"TEXCOORD_0":%[6]d,"TEXCOORD_1":%d,"_WIND":%d,"_ID":%d}}]}]`, p, uv, color, joints, matrix, short, scaled, sparse, mine)
	s, plain, err := openAttributes(t, "a.glb", m.glb(rest))
	require.NoError(t, err)
	require.Equal(t, []string{
		"COLOR_0 R8G8B8_UNORM, 3 missing: 1 0 0.2; 0 1 0.2; 0 0 0; 0 0 0; 0 0 0; 0 0 0;",
		"JOINTS_0 R8G8B8A8_UINT, 3 missing: 0 1 2 3; 4 5 6 7; 255 9 10 11; 0 0 0 1; 0 0 0 1; 0 0 0 1;",
		"TEXCOORD_0 R32G32_SFLOAT, 0 missing: 0 0; 0.5 0; 1 1; 0 0; 1 0; 0 0.2;",
		"TEXCOORD_1 R8G8_SSCALED, 3 missing: 0 0; 0 0; 0 0; -3 4; 5 -6; 7 8;",
		"_ID R32_UINT, 3 missing: 0; 0; 0; 7; 8; 9;",
		"_WIND R32_SFLOAT, 3 missing: 0; 0; 0; 0; 5; 0;",
	}, attributesOf(s))
	require.Len(t, plain.Positions, 3, "primitives with the same positions share them where nothing else is kept")
	require.Equal(t, plain.IndexStreamLen(), s.IndexStreamLen())

	for from, to := range map[string]string{`"TEXCOORD_1":5`: `"TEXCOORD_1":99`, `"_ID":6`: `"_ID":-1`} {
		require.Contains(t, rest, from)
		_, _, err = openAttributes(t, "a.glb", m.glb(strings.Replace(rest, from, to, 1)))
		require.ErrorContains(t, err, "a.glb: mesh 0 primitive 1 ")
	}
	four := m.accessor(m.view(make([]float32, 4), ""), gltfFloat, "SCALAR", 4, "")
	_, _, err = openAttributes(t, "a.glb", m.glb(strings.Replace(rest, `"_ID":6`, fmt.Sprintf(`"_ID":%d`, four), 1)))
	require.ErrorContains(t, err, "mesh 0 primitive 1 _ID: 4 elements for 3 positions")
}

// TestGLTFAttributesOfOtherTypes: if primitives differ in type, the pool takes a format that
// holds all of them.
func TestGLTFAttributesOfOtherTypes(t *testing.T) {
	m := &gltfMaker{}
	p := m.floats(gltfSquare[:9]...)
	short := m.accessor(m.view([]uint16{300, 2, 3}, ""), gltfUnsignedShort, "SCALAR", 3, "")
	float := m.accessor(m.view([]float32{.5, 1, 2, 3, 4, 5}, ""), gltfFloat, "VEC2", 3, "")
	whole := m.accessor(m.view([]uint32{1 << 24, 5, 6}, ""), gltfUnsignedInt, "SCALAR", 3, "")
	bytes := m.accessor(m.view([]byte{1, 2, 3, 0}, ""), gltfUnsignedByte, "SCALAR", 3, "")
	s, _, err := openAttributes(t, "a.glb", m.glb(fmt.Sprintf(`"meshes":[{"primitives":[{"attributes":{"POSITION":%d,"_A":%d,"_B":%[2]d}},
		{"attributes":{"POSITION":%[1]d,"_A":%[3]d,"_B":%[4]d}},{"attributes":{"POSITION":%[1]d,"_A":%[5]d}},{"attributes":{"POSITION":%[1]d,"_A":%[2]d}}]}]`, p, short, float, bytes, whole)))
	require.NoError(t, err)
	require.Equal(t, []string{
		"_A R32G32_SFLOAT, 0 missing: 300 0; 2 0; 3 0; 0.5 1; 2 3; 4 5; 1.68e+07 0; 5 0; 6 0; 300 0; 2 0; 3 0;",
		"_B R32_UINT, 6 missing: 300; 2; 3; 1; 2; 3; 0; 0; 0; 0; 0; 0;",
	}, attributesOf(s))
}

// TestGLTFAttributesUnpacked reads an attribute from a compressed view.
func TestGLTFAttributesUnpacked(t *testing.T) {
	m := meshoptTestDocument()
	uv := m.accessor(0, gltfFloat, "VEC2", 4, "")
	s, _, err := openAttributes(t, "a.gltf", []byte(m.text(strings.Replace(meshoptTestMesh, `"POSITION":0`, fmt.Sprintf(`"POSITION":0,"TEXCOORD_0":%d`, uv), 1))))
	require.NoError(t, err)
	require.Equal(t, []string{"TEXCOORD_0 R32G32_SFLOAT, 4 missing: 0 0; 1 0; 0 1; 1 1; 0 0; 0 0; 0 0; 0 0;"}, attributesOf(s))
}

func TestPLYAttributes(t *testing.T) {
	header := func(more string) string {
		return "element vertex 3\nproperty uchar red\nproperty float x\nproperty float y\nproperty float z\nproperty uchar green\nproperty uchar blue\n" +
			"property double s\nproperty double t\nproperty short bone\nproperty uint id\nproperty float nx\n" + more +
			"element face 1\nproperty list uchar int vertex_indices\n"
	}
	want := []string{
		"COLOR_0 R8G8B8_UNORM, 0 missing: 1 0.2 0; 0 0.2 0; 0 0.2 1;",
		"TEXCOORD_0 R32G32_SFLOAT, 0 missing: 0.5 0; 0.5 1; 0.5 2;",
		"bone R16_SINT, 0 missing: -7; -7; -7;",
		"id R32_UINT, 0 missing: -2; -2; -2;",
	}
	values := func(lists bool) (v []any) {
		for i, p := range tetraPositions[:3] {
			v = append(v, []uint8{255, 0, 0}[i], p, uint8(51), []uint8{0, 0, 255}[i], .5, float64(i), int16(-7), uint32(math.MaxUint32-1), float32(9))
			if lists {
				v = append(v, uint8(2), uint8(1), uint8(2))
			}
		}
		return append(v, uint8(3), int32(0), int32(1), int32(2))
	}
	list := "property list uchar uchar many\n"
	var ascii strings.Builder
	ascii.WriteString("ply\nformat ascii 1.0\n" + header(list) + "end_header\n")
	for i, p := range tetraPositions[:3] {
		fmt.Fprintln(&ascii, []uint8{255, 0, 0}[i], p[0], p[1], p[2], 51, []uint8{0, 0, 255}[i], .5, i, -7, uint32(math.MaxUint32-1), 9, "2 1 2")
	}
	ascii.WriteString("3 0 1 2\n")
	for name, data := range map[string][]byte{
		"little": plyBytes(binary.LittleEndian, header(""), values(false)...),
		"big":    plyBytes(binary.BigEndian, header(""), values(false)...),
		"lists":  plyBytes(binary.BigEndian, header(list), values(true)...),
		"ascii":  []byte(ascii.String()),
	} {
		s, plain, err := openAttributes(t, "a.ply", data)
		require.NoError(t, err, name)
		require.Equal(t, want, attributesOf(s), name)
		s.Attributes = nil
		if strings.Contains(string(data), "many") {
			require.Equal(t, []string{"properties of vertices many"}, s.Beside)
		} else {
			require.Empty(t, s.Beside)
		}
		require.NotEmpty(t, plain.Beside)
		s.Beside, plain.Beside = nil, nil
		require.Equal(t, plain, s)
	}
	_, _, err := openAttributes(t, "a.ply", bytes.Replace([]byte(ascii.String()), []byte("-7 "), []byte("-70000 "), 1))
	require.ErrorContains(t, err, "line 19: -70000 is not of the property's type")
}

// TestPLYColours checks which properties make a colour or texture coordinates.
func TestPLYColours(t *testing.T) {
	for properties, want := range map[string]string{
		"uchar red,uchar green,uchar blue,uchar alpha": "COLOR_0 R8G8B8A8_UNORM",
		"float red,float green,float blue":             "COLOR_0 R32G32B32_SFLOAT",
		"ushort red,ushort green,ushort blue":          "COLOR_0 R16G16B16_UNORM",
		"int red,int green,int blue":                   "red R32_SINT,green R32_SINT,blue R32_SINT",
		"uchar red,uchar green,float blue":             "red R8_UINT,green R8_UINT,blue R32_SFLOAT",
		"float u,float v,float s,float t":              "TEXCOORD_0 R32G32_SFLOAT,u R32_SFLOAT,v R32_SFLOAT",
		"float texture_u,float texture_v,uchar s":      "TEXCOORD_0 R32G32_SFLOAT,s R8_UINT",
	} {
		list := strings.Split(properties, ",")
		text := "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nproperty " + strings.Join(list, "\nproperty ") +
			"\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n" + strings.Repeat("0 0 0"+strings.Repeat(" 1", len(list))+"\n", 3) + "3 0 1 2\n"
		s, _, err := openAttributes(t, "a.ply", []byte(text))
		require.NoError(t, err)
		var got []string
		for _, a := range s.Attributes {
			got = append(got, a.Name+" "+a.Format.String())
		}
		require.Equal(t, want, strings.Join(got, ","), properties)
	}
}

func TestOBJAttributes(t *testing.T) {
	const uvs = "vt 0.5 1 0\nvt 2\nvt 3 4\nvt 5 6\n"
	for _, c := range []struct{ faces, want string }{
		{"f 1/1 2/2 3/3\nf 1/1 3/3 4/4\n", "0.5 1; 2 0; 3 4; 5 6;"},
		{"f 1/4 2/2 3/3\nf 1/4 3/3 4/1\n", "5 6; 2 0; 3 4; 0.5 1;"},
		{"o a\nf 1/1 2/2 3/3\no b\nf 1/1 3/4 4/4\no a\nf 1/2 2/2 3/3", "0.5 1; 2 0; 3 4; 2 0; 0.5 1; 5 6; 5 6;"},
	} {
		s, plain, err := openAttributes(t, "a.obj", []byte(objVerts+uvs+c.faces))
		require.NoError(t, err)
		require.Equal(t, []string{"TEXCOORD_0 R32G32_SFLOAT, 0 missing: " + c.want}, attributesOf(s))
		s.Attributes = nil
		require.Contains(t, plain.Beside, "texture coordinates")
		require.NotContains(t, s.Beside, "texture coordinates")
		plain.Beside = slices.DeleteFunc(plain.Beside, func(line string) bool { return line == "texture coordinates" })
		if len(plain.Beside) == 0 {
			plain.Beside = nil
		}
		require.Equal(t, plain, s)
	}
	s, _, err := openAttributes(t, "a.obj", []byte(objVerts+uvs+"f 1/1 2/2 3/3\nf 1 3 4\n"))
	require.NoError(t, err)
	require.Equal(t, []string{"TEXCOORD_0 R32G32_SFLOAT, 3 missing: 0.5 1; 2 0; 3 4; 0 0; 0 0; 0 0;"}, attributesOf(s))
	s, _, err = openAttributes(t, "a.obj", []byte(objVerts+uvs+"o a\nf 1/1 2/2 3/3\nf 1 3 4\no b\nf 4 3 1\n"))
	require.NoError(t, err)
	require.Equal(t, []string{"TEXCOORD_0 R32G32_SFLOAT, 6 missing: 0.5 1; 2 0; 3 4; 0 0; 0 0; 0 0; 0 0; 0 0; 0 0;"}, attributesOf(s), "each draw has its own")
	for bad, cause := range map[string]string{"vt x\n": `line 5: "x" is not a finite number`, "vt\n": "line 5: texcoord has no numbers"} {
		_, _, err := openAttributes(t, "a.obj", []byte(objVerts+bad+"vt 1 1\nvt 1 1\nf 1/1 2/2 3/3\n"))
		require.ErrorContains(t, err, cause)
	}
}
