package format

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/format/internal/draco"
	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

func TestDRC(t *testing.T) {
	_, mesh := dracoMesh()
	s, err := Readers(nil).Attributes().Open(t.Context(), dracoTerrain)
	require.NoError(t, err)
	require.Equal(t, mesh.Indices, s.Indices)
	var positions []float32
	for _, p := range s.Positions {
		positions = append(positions, p[:]...)
	}
	require.Equal(t, floatsOf(mesh.Attributes[0].Data), positions)
	require.Len(t, s.Normals, mesh.Points)
	require.InDelta(t, floatsOf(mesh.Attributes[1].Data)[1], s.Normals[0][1], 1e-6)
	names, formats := []string{}, []vertexformat.Format{}
	for k, a := range s.Attributes {
		names, formats = append(names, a.Name), append(formats, a.Format)
		require.Equal(t, mesh.Attributes[k+2].Data, a.Data)
	}
	require.Equal(t, []string{"TEXCOORD_0", "COLOR_0", "_4", "_5", "_6"}, names)
	require.Equal(t, []vertexformat.Format{vertexformat.R32G32_SFLOAT, vertexformat.R8G8B8A8_UNORM, vertexformat.Array(4, 16, "UINT"),
		vertexformat.R32G32B32A32_SFLOAT, vertexformat.R32_SFLOAT}, formats)

	require.True(t, must.Get(Readers(nil).Looks(false).Open(t.Context(), dracoTerrain)).Look.UpV)
	plain := must.Get(Open(t.Context(), dracoTerrain))
	require.Empty(t, plain.Attributes)
	bare := must.Get(Open(t.Context(), "internal/draco/testdata/seams-knot3-edgebreaker-3-p-1.1.2.1.1.drc"))
	require.Len(t, bare.Normals, len(bare.Positions)) // made, since the file has none
}

// TestDRCIsKnownByItsBeginning: a Draco file is recognized by its first bytes, whatever its name.
func TestDRCIsKnownByItsBeginning(t *testing.T) {
	data, mesh := dracoMesh()
	require.Equal(t, mesh.Indices, must.Get(Open(t.Context(), writeFile(t, "a.bin", data))).Indices)
	data[7] = 0
	path := writeFile(t, "a.bin", data)
	_, err := Open(t.Context(), path)
	require.EqualError(t, err, path+": is a point cloud, which is not supported")
}

func FuzzDRC(f *testing.F) {
	data, _ := dracoMesh()
	fuzzReader(f, ".drc", data)
}

// dracoTerrain was compressed by another program, with attributes of most kinds; dracoMesh returns its contents.
const dracoTerrain = "internal/draco/testdata/seams-terrain6-edgebreaker-6-ntcgwf-14.12.10.12.8.drc"

func dracoMesh() (data []byte, m *draco.Mesh) {
	data = must.Get(os.ReadFile(dracoTerrain))
	return data, must.Get(draco.Decode(data, new(budget.Budget)))
}

const dracoPrimitive = `{"attributes":{"POSITION":1,"NORMAL":2,"TEXCOORD_0":3,"COLOR_0":4,"JOINTS_0":5,"WEIGHTS_0":6,"_F":7},"indices":0,
	"extensions":{"KHR_draco_mesh_compression":{"bufferView":0,"attributes":{"POSITION":0,"NORMAL":1,"TEXCOORD_0":2,"COLOR_0":3,"JOINTS_0":4,"WEIGHTS_0":5,"_F":6}}}}`

// dracoDocument returns a document whose only primitive is compressed, with indices of the given type.
func dracoDocument(component int) (m *gltfMaker, rest string) {
	m = &gltfMaker{}
	data, mesh := dracoMesh()
	m.view(data, "")
	add := func(component int64, kind string, count int, extra string) {
		m.accessors = append(m.accessors, fmt.Sprintf(`{"componentType":%d,"type":%q,"count":%d%s}`, component, kind, count, extra))
	}
	add(int64(component), "SCALAR", len(mesh.Indices), "")
	for k, a := range mesh.Attributes {
		extra := ""
		if k == 0 {
			extra = `,"min":[-99,-99,-99],"max":[99,99,99]`
		} else if k == 3 {
			extra = `,"normalized":true`
		}
		add(dracoTypes[a.Type], []string{"", "SCALAR", "VEC2", "VEC3", "VEC4"}[a.Components], mesh.Points, extra)
	}
	return m, `"meshes":[{"primitives":[` + dracoPrimitive + `]}],"nodes":[{"mesh":0}],
		"extensionsUsed":["KHR_draco_mesh_compression"],"extensionsRequired":["KHR_draco_mesh_compression"]`
}

// floatsOf decodes little-endian floats.
func floatsOf(data []byte) (list []float32) {
	for ; len(data) > 0; data = data[4:] {
		list = append(list, math.Float32frombits(binary.LittleEndian.Uint32(data)))
	}
	return list
}

func TestGLTFDraco(t *testing.T) {
	_, mesh := dracoMesh()
	for _, component := range []int{gltfUnsignedByte, gltfUnsignedShort, gltfUnsignedInt} {
		m, rest := dracoDocument(component)
		s := gltfMustRead(t, m.text(rest))
		require.Equal(t, mesh.Indices, s.Indices)
		var positions, normals []float32
		for k := range s.Positions {
			positions, normals = append(positions, s.Positions[k][:]...), append(normals, s.Normals[k][:]...)
		}
		require.Equal(t, floatsOf(mesh.Attributes[0].Data), positions)
		require.InDeltaSlice(t, floatsOf(mesh.Attributes[1].Data), normals, 1e-6) // the reader scales normals to unit length
	}
	m, rest := dracoDocument(gltfUnsignedShort)
	s, err := glbReader.Read(t.Context(), &Input{Reader: bytes.NewReader(m.glb(rest)), Path: "a.glb", Size: int64(len(m.glb(rest))), Attributes: true})
	require.NoError(t, err)
	require.Len(t, s.Attributes, 5)
	for k, name := range map[int]string{2: "TEXCOORD_0", 3: "COLOR_0", 4: "JOINTS_0", 5: "WEIGHTS_0", 6: "_F"} {
		found := false
		for _, a := range s.Attributes {
			if a.Name == name {
				found = true
				require.Equal(t, mesh.Attributes[k].Data, a.Data, name)
			}
		}
		require.True(t, found, name)
	}
}

// TestGLTFDracoCopied: a copy has the same values, uncompressed.
func TestGLTFDracoCopied(t *testing.T) {
	m, rest := dracoDocument(gltfUnsignedByte)
	path := writeFile(t, "a.glb", m.glb(rest))
	_, mesh := dracoMesh()
	corners := func(p parsed, primitive map[string]any) (list []string) {
		attributes := primitive["attributes"].(map[string]any)
		for k := range mesh.Indices {
			text, wide := "", [4]byte{}
			copy(wide[:], p.element(primitive["indices"], k))
			for _, name := range []string{"POSITION", "NORMAL", "TEXCOORD_0", "COLOR_0", "JOINTS_0", "WEIGHTS_0", "_F"} {
				text += fmt.Sprintf("%x ", p.element(attributes[name], int(binary.LittleEndian.Uint32(wide[:]))))
			}
			list = append(list, text)
		}
		return list
	}
	var want []string
	for _, id := range mesh.Indices {
		text := ""
		for _, a := range mesh.Attributes {
			size := a.Components * a.Type.Size()
			text += fmt.Sprintf("%x ", a.Data[int(id)*size:][:size])
		}
		want = append(want, text)
	}
	for _, order := range []string{"original", "forsyth+fetch"} {
		data, c := copied(t, path, order)
		require.Empty(t, c.Notices)
		require.NotContains(t, string(data), gltfDraco)
		p := parse(t, data)
		require.NotContains(t, p.doc, "extensionsUsed")
		require.NotContains(t, p.doc, "extensionsRequired")
		primitive := p.list("meshes")[0].(map[string]any)["primitives"].([]any)[0].(map[string]any)
		require.NotContains(t, primitive, "extensions")
		got := corners(p, primitive)
		if order == "original" {
			require.Equal(t, want, got)
		} else {
			require.ElementsMatch(t, want, got)
			require.NotEqual(t, want, got)
		}
		require.NotContains(t, string(data), "DRACO")
		position := p.list("accessors")[1].(map[string]any)
		lo, hi := position["min"].([]any), position["max"].([]any)
		positions := floatsOf(mesh.Attributes[0].Data)
		for c := range 3 {
			low, high := positions[c], positions[c]
			for k := c; k < len(positions); k += 3 {
				low, high = min(low, positions[k]), max(high, positions[k])
			}
			require.Equal(t, []any{float64(low), float64(high)}, []any{lo[c], hi[c]})
		}
	}
}

// TestGLTFDracoFallback: a primitive with uncompressed positions as well is read and copied as if it had no Draco data.
func TestGLTFDracoFallback(t *testing.T) {
	const mesh = `"meshes":[{"primitives":[{"attributes":{"POSITION":0},"extensions":{"KHR_draco_mesh_compression":{"bufferView":0,"attributes":{"POSITION":0}}}}]}],
		"extensionsUsed":["KHR_draco_mesh_compression"]`
	m := &gltfMaker{}
	m.floats(gltfSquare...)
	require.Equal(t, 1, gltfMustRead(t, m.text(mesh)).Triangles())
	data, _ := copied(t, writeFile(t, "a.glb", m.glb(mesh)), "original")
	require.NotContains(t, string(data), gltfDraco)
}

func TestGLTFDracoRefused(t *testing.T) {
	m, rest := dracoDocument(gltfUnsignedShort)
	text := m.text(rest)
	for _, c := range []struct{ from, to, want string }{
		{`"count":216`, `"count":213`, "accessor 0: count is 213, but 216 indices are compressed"},
		{`"count":140`, `"count":139`, "accessor 1: is 139 of VEC3 of type 5126, but what is compressed has 140 of 3 of type 5126"},
		{`"POSITION":0,"N`, `"POSITION":2,"N`, "accessor 1: is 140 of VEC3 of type 5126, but what is compressed has 140 of 2 of type 5126"},
		{`"POSITION":0`, `"POSITION":9`, "accessor 1: the compressed data has no attribute 9"},
		{`"POSITION":0`, `"POSITION":-1`, `mesh 0 primitive 0 KHR_draco_mesh_compression: attribute "POSITION" is -1, which is not a number of one`},
		{`"indices":0,`, `"indices":0,"mode":5,`, "mesh 0 primitive 0 KHR_draco_mesh_compression: of other primitives than triangles with indices"},
		{`"indices":0,`, ``, "mesh 0 primitive 0 KHR_draco_mesh_compression: of other primitives than triangles with indices"},
		{`"bufferView":0,"attributes"`, `"bufferView":1,"attributes"`, "mesh 0 primitive 0 KHR_draco_mesh_compression: bufferView is 1, but the document has 1"},
		{`"NORMAL":2`, `"NORMAL":1`, "mesh 0 primitive 0 KHR_draco_mesh_compression: accessor 1 is compressed twice"},
	} {
		changed := strings.ReplaceAll(text, c.from, c.to)
		require.NotEqual(t, text, changed, c.from)
		_, err := gltfReadString(changed, nil)
		require.ErrorContains(t, err, c.want)
	}
	m, _ = dracoDocument(gltfUnsignedByte)
	m.bin[5] = 1
	_, err := gltfReadString(m.text(rest), nil)
	require.EqualError(t, err, "a.gltf: bufferView 0 KHR_draco_mesh_compression: Draco bitstream 1.2, only 2.2 is supported")
}

// TestGLTFDracoIndicesFit refuses the least index that an accessor's type cannot hold.
func TestGLTFDracoIndicesFit(t *testing.T) {
	unpack := func(size int, id uint32) (data []byte, err error) {
		defer must.Catch(&err)
		s := newGLTFSource(t.Context(), nil, &gltfDocument{Accessors: make([]gltfAccessor, 1)}, nil, gltfBudget{new(budget.Budget)})
		s.budget.Begin(t.Context())
		return s.packedIndices(0, &draco.Mesh{Indices: []uint32{id}}, size), nil
	}
	require.Equal(t, []byte{255}, must.Get(unpack(1, 255)))
	_, err := unpack(1, 256)
	require.ErrorContains(t, err, "index 256 does not fit")
}
