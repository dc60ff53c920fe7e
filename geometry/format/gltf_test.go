package format

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// gltfMaker builds documents over one buffer.
type gltfMaker struct {
	bin              []byte
	views, accessors []string
	moreBuffers      string // further buffers, each with a comma before it
}

// view appends bytes to the buffer, at a multiple of 4.
func (m *gltfMaker) view(data any, extra string) int {
	m.bin = append(m.bin, make([]byte, -len(m.bin)&3)...)
	at := len(m.bin)
	m.bin, _ = binary.Append(m.bin, binary.LittleEndian, data)
	m.views = append(m.views, fmt.Sprintf(`{"buffer":0,"byteOffset":%d,"byteLength":%d%s}`, at, len(m.bin)-at, extra))
	return len(m.views) - 1
}

func (m *gltfMaker) accessor(view, component int, kind string, count int, extra string) int {
	m.accessors = append(m.accessors, fmt.Sprintf(`{"bufferView":%d,"componentType":%d,"type":%q,"count":%d%s}`, view, component, kind, count, extra))
	return len(m.accessors) - 1
}

func (m *gltfMaker) floats(v ...float32) int {
	return m.accessor(m.view(v, ""), gltfFloat, "VEC3", len(v)/3, "")
}

func (m *gltfMaker) shorts(v ...uint16) int {
	return m.accessor(m.view(v, ""), gltfUnsignedShort, "SCALAR", len(v), "")
}

// json returns the document with uri for its buffer ("" for none) and rest at its end.
func (m *gltfMaker) json(uri, rest string) string {
	if uri != "" {
		uri = `"uri":"` + uri + `",`
	}
	return fmt.Sprintf(`{"asset":{"version":"2.0"},"buffers":[{%s"byteLength":%d}%s],"bufferViews":[%s],"accessors":[%s],%s}`,
		uri, len(m.bin), m.moreBuffers, strings.Join(m.views, ","), strings.Join(m.accessors, ","), rest)
}

func (m *gltfMaker) text(rest string) string {
	return m.json("data:application/octet-stream;base64,"+base64.StdEncoding.EncodeToString(m.bin), rest)
}

func (m *gltfMaker) glb(rest string) []byte {
	return glbOf(m.json("", rest), m.bin)
}

func glbOf(text string, bin []byte) []byte {
	text += strings.Repeat(" ", -len(text)&3)
	bin = slices.Concat(bin, make([]byte, -len(bin)&3))
	words := func(list ...uint32) []byte { return must.Get(binary.Append(nil, binary.LittleEndian, list)) }
	texts, bins := uint32(len(text)), uint32(len(bin))
	return slices.Concat([]byte(glbMagic), words(2, 12+8+texts+8+bins, texts, glbChunkJSON), []byte(text), words(bins, glbChunkBIN), bin)
}

var glbReader, gltfReader = gltfReaders(nil)

var gltfSquare = []float32{0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}

// gltfFiles serves sibling files from memory.
type gltfFiles map[string][]byte

func (f gltfFiles) open(name string) (io.ReadCloser, int64, error) {
	data, ok := f[name]
	if !ok {
		return nil, 0, fs.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader(data)), int64(len(data)), nil
}

func gltfReadString(text string, files gltfFiles) (*geometry.Scene, error) {
	in := &Input{Reader: strings.NewReader(text), Path: "a.gltf", Size: int64(len(text)), Sibling: files.open}
	if strings.HasPrefix(text, glbMagic) {
		return glbReader.Read(context.Background(), in)
	}
	return gltfReader.Read(context.Background(), in)
}

func gltfMustRead(t *testing.T, text string) *geometry.Scene {
	s := must.Get(gltfReadString(text, nil))
	require.NoError(t, s.Validate(t.Context()))
	return s
}

func TestGLTFMagic(t *testing.T) {
	require.True(t, gltfReader.Magic([]byte(" \r\n{\"asset\"")))
	require.False(t, gltfReader.Magic([]byte("ply\n")))
	require.False(t, gltfReader.Magic(nil))
	require.True(t, glbReader.Magic([]byte("glTF\x02")))
	require.False(t, glbReader.Magic([]byte("glT")))
}

func TestGLTFModes(t *testing.T) {
	for _, c := range []struct {
		name    string
		mode    int
		indices []uint16 // nil if not indexed, with 5 vertices
		want    []uint32
	}{
		{"list", 4, []uint16{0, 1, 2, 2, 1, 3}, []uint32{0, 1, 2, 2, 1, 3}},
		{"list with two left over", 4, []uint16{0, 1, 2, 2, 1}, []uint32{0, 1, 2}},
		{"list without indices", 4, nil, []uint32{0, 1, 2}},
		{"strip", 5, []uint16{0, 1, 2, 3, 4}, []uint32{0, 1, 2, 1, 3, 2, 2, 3, 4}},
		{"strip of one", 5, []uint16{2, 1, 0}, []uint32{2, 1, 0}},
		{"strip of six", 5, []uint16{0, 1, 2, 3, 4, 0}, []uint32{0, 1, 2, 1, 3, 2, 2, 3, 4, 3, 0, 4}},
		{"strip without indices", 5, nil, []uint32{0, 1, 2, 1, 3, 2, 2, 3, 4}},
		{"fan", 6, []uint16{4, 1, 2, 3, 0}, []uint32{1, 2, 4, 2, 3, 4, 3, 0, 4}},
		{"fan without indices", 6, nil, []uint32{1, 2, 0, 2, 3, 0, 3, 4, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &gltfMaker{}
			p := m.floats(append(gltfSquare, 2, 2, 0)...)
			indices := ""
			if c.indices != nil {
				indices = fmt.Sprintf(`,"indices":%d`, m.shorts(c.indices...))
			}
			s := gltfMustRead(t, m.text(fmt.Sprintf(`"meshes":[{"primitives":[{"attributes":{"POSITION":%d},"mode":%d%s}]}]`, p, c.mode, indices)))
			require.Equal(t, c.want, s.Indices)
			require.Len(t, s.Positions, 5)
			require.Empty(t, s.Normals)
			require.Equal(t, geometry.Draw{
				Name: "mesh 0", IndexCount: uint32(len(c.want)), VertexCount: 5,
				Transform: mgl32.Ident4(), Color: geometry.DefaultColor, OneSided: true,
			}, s.Draws[0])
		})
	}
}

func TestGLTFIndexTypes(t *testing.T) {
	for component, data := range map[int]any{
		gltfUnsignedByte:  []uint8{3, 1, 2},
		gltfUnsignedShort: []uint16{3, 1, 2},
		gltfUnsignedInt:   []uint32{3, 1, 2},
	} {
		m := &gltfMaker{}
		p := m.floats(gltfSquare...)
		ix := m.accessor(m.view(data, ""), component, "SCALAR", 3, "")
		s := gltfMustRead(t, m.text(fmt.Sprintf(`"meshes":[{"primitives":[{"attributes":{"POSITION":%d},"indices":%d}]}]`, p, ix)))
		require.Equal(t, []uint32{3, 1, 2}, s.Indices, component)
	}
}

func TestGLTFQuantized(t *testing.T) {
	for _, c := range []struct {
		name       string
		component  int
		data       any
		normalized bool
		want       mgl32.Vec3
	}{
		{"byte", gltfByte, []int8{-128, 127, 5}, false, mgl32.Vec3{-128, 127, 5}},
		{"byte normalized", gltfByte, []int8{-128, 127, 0}, true, mgl32.Vec3{-1, 1, 0}},
		{"ubyte", gltfUnsignedByte, []uint8{255, 1, 0}, false, mgl32.Vec3{255, 1, 0}},
		{"ubyte normalized", gltfUnsignedByte, []uint8{255, 51, 0}, true, mgl32.Vec3{1, 0.2, 0}},
		{"short", gltfShort, []int16{-32768, 32767, 7}, false, mgl32.Vec3{-32768, 32767, 7}},
		{"short normalized", gltfShort, []int16{-32768, 32767, 0}, true, mgl32.Vec3{-1, 1, 0}},
		{"ushort", gltfUnsignedShort, []uint16{65535, 256, 1}, false, mgl32.Vec3{65535, 256, 1}},
		{"ushort normalized", gltfUnsignedShort, []uint16{65535, 13107, 0}, true, mgl32.Vec3{1, 0.2, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			one := must.Get(binary.Append(nil, binary.LittleEndian, c.data))
			for len(one)%4 != 0 {
				one = append(one, 0xee)
			}
			m := &gltfMaker{}
			view := m.view(bytes.Repeat(one, 3), fmt.Sprintf(`,"byteStride":%d`, len(one)))
			m.accessor(view, c.component, "VEC3", 3, fmt.Sprintf(`,"normalized":%t`, c.normalized))
			mesh := `"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}]`
			s := gltfMustRead(t, m.text(mesh+`,"extensionsUsed":["KHR_mesh_quantization"],"extensionsRequired":["KHR_mesh_quantization"]`))
			require.Equal(t, []mgl32.Vec3{c.want, c.want, c.want}, s.Positions)
			_, err := gltfReadString(m.text(mesh), nil)
			require.ErrorContains(t, err, "mesh 0 primitive 0 POSITION")
		})
	}
}

func TestGLTFInterleavedNormals(t *testing.T) {
	m := &gltfMaker{}
	view := m.view([]float32{0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 3, 0, 0, 1, 0, 0, 0, 0}, `,"byteStride":24`)
	p := m.accessor(view, gltfFloat, "VEC3", 3, "")
	n := m.accessor(view, gltfFloat, "VEC3", 3, `,"byteOffset":12`)
	s := gltfMustRead(t, m.text(fmt.Sprintf(`"meshes":[{"primitives":[{"attributes":{"POSITION":%d,"NORMAL":%d}}]}]`, p, n)))
	require.Equal(t, []mgl32.Vec3{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, s.Positions)
	require.Equal(t, []mgl32.Vec3{{0, 0, 1}, {0, 1, 0}, {0, 0, 1}}, s.Normals)
}

// TestGLTFSharing: primitives with the same accessors share ranges: position 0 alone, with normals 1, and alone again.
func TestGLTFSharing(t *testing.T) {
	m := &gltfMaker{}
	p := m.floats(gltfSquare...)
	n := m.floats(1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0)
	ix := m.shorts(0, 1, 2, 2, 1, 3)
	s := gltfMustRead(t, m.text(fmt.Sprintf(`"meshes":[{"name":"m","primitives":[
		{"attributes":{"POSITION":%[1]d},"indices":%[3]d,"material":0},
		{"attributes":{"POSITION":%[1]d,"NORMAL":%[2]d},"indices":%[3]d},
		{"attributes":{"POSITION":%[1]d},"mode":1},
		{"attributes":{"POSITION":%[1]d},"mode":5}]}],
		"materials":[{"pbrMetallicRoughness":{"baseColorFactor":[0.5,0.25,2,1]}}],
		"nodes":[{"mesh":0,"name":"a\u001b"},{"mesh":0,"translation":[1,2,3]}]`, p, n, ix)))
	require.Len(t, s.Positions, 8)
	require.Len(t, s.Indices, 12)
	require.Len(t, s.Draws, 6)
	require.Equal(t, "a  primitive 0", s.Draws[0].Name)
	require.Equal(t, "m primitive 3", s.Draws[5].Name)
	require.Equal(t, mgl32.Vec4{0.5, 0.25, 1, 1}, s.Draws[0].Color)
	for i, want := range []struct{ vertex, index uint32 }{{0, 0}, {4, 0}, {0, 6}} {
		for _, d := range []geometry.Draw{s.Draws[i], s.Draws[3+i]} {
			require.Equal(t, want.vertex, d.VertexOffset)
			require.Equal(t, want.index, d.FirstIndex)
		}
	}
	require.Equal(t, mgl32.Translate3D(1, 2, 3), s.Draws[3].Transform)
	require.Equal(t, mgl32.Vec3{0, 0, 1}, s.Normals[0], "made from the faces")
	require.Equal(t, mgl32.Vec3{1, 0, 0}, s.Normals[4], "as the file says")
}

func TestGLTFNodes(t *testing.T) {
	const nodes = `"nodes":[
		{"children":[2,1],"translation":[10,0,0]},
		{"mesh":0,"name":"scaled","scale":[2,2,2]},
		{"mesh":0,"name":"turned","rotation":[0,0,2,2]},
		{"mesh":0,"name":"matrix","matrix":[1,0,0,0, 0,1,0,0, 0,0,1,0, 5,6,7,1]},
		{"mesh":0,"name":"hidden","children":[5],"extensions":{"KHR_node_visibility":{"visible":false}}},
		{"mesh":0,"name":"below hidden"}]`
	for _, c := range []struct {
		name, scenes string
		want         []string
	}{
		{"no scene", ``, []string{"turned", "scaled", "matrix"}},
		{"default", `,"scene":1,"scenes":[{"nodes":[3]},{"nodes":[3,0]}]`, []string{"matrix", "turned", "scaled"}},
		{"no default", `,"scenes":[{"nodes":[3]},{"nodes":[0]}]`, []string{"matrix"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &gltfMaker{}
			m.floats(gltfSquare...)
			s := gltfMustRead(t, m.text(`"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],`+nodes+c.scenes))
			var names []string
			for _, d := range s.Draws {
				names = append(names, d.Name)
				at := d.Transform.Mul4x1(mgl32.Vec4{1, 0, 0, 1}).Vec3()
				want := map[string]mgl32.Vec3{"scaled": {12, 0, 0}, "turned": {10, 1, 0}, "matrix": {6, 6, 7}}[d.Name]
				require.True(t, at.ApproxEqualThreshold(want, 1e-6), "%s: %v", d.Name, at)
			}
			require.Equal(t, c.want, names)
		})
	}
}

func TestGLTFSparse(t *testing.T) {
	m := &gltfMaker{}
	p := m.floats(gltfSquare...)
	where, what := m.view([]uint16{1, 3}, ""), m.view([]float32{7, 8, 9, 4, 5, 6}, "")
	sparse := fmt.Sprintf(`"sparse":{"count":2,"indices":{"bufferView":%d,"componentType":5123},"values":{"bufferView":%d}}`, where, what)
	m.accessors = append(m.accessors,
		fmt.Sprintf(`{"bufferView":%d,"componentType":5126,"type":"VEC3","count":4,%s}`, p, sparse),
		fmt.Sprintf(`{"componentType":5126,"type":"VEC3","count":4,%s}`, sparse))
	mesh := `"meshes":[{"primitives":[{"attributes":{"POSITION":%d}}]}]`
	s := gltfMustRead(t, m.text(fmt.Sprintf(mesh, 1)))
	require.Equal(t, []mgl32.Vec3{{0, 0, 0}, {7, 8, 9}, {0, 1, 0}, {4, 5, 6}}, s.Positions)
	s = gltfMustRead(t, m.text(fmt.Sprintf(mesh, 2)))
	require.Equal(t, []mgl32.Vec3{{}, {7, 8, 9}, {}, {4, 5, 6}}, s.Positions)
	all := fmt.Sprintf(`{"componentType":5126,"type":"VEC3","count":4,"sparse":{"count":4,"indices":{"bufferView":%d,"componentType":5123},"values":{"bufferView":%d}}}`,
		m.view([]uint16{0, 1, 2, 3}, ""), m.view([]float32{1, 1, 1, 2, 1, 1, 1, 2, 1, 2, 2, 1}, ""))
	bytes := m.view([]byte{7, 8, 9, 4, 5, 6}, "")
	m.accessors = append(m.accessors, strings.NewReplacer("5126", "5121", fmt.Sprintf(`"values":{"bufferView":%d`, what), fmt.Sprintf(`"values":{"bufferView":%d`, bytes)).Replace(m.accessors[2]))
	s = gltfMustRead(t, m.text(fmt.Sprintf(mesh, 3)+`,"extensionsUsed":["KHR_mesh_quantization"]`))
	require.Equal(t, []mgl32.Vec3{{}, {7, 8, 9}, {}, {4, 5, 6}}, s.Positions)
	m.accessors = append(m.accessors, all)
	s = gltfMustRead(t, m.text(fmt.Sprintf(mesh, len(m.accessors)-1)))
	require.Equal(t, []mgl32.Vec3{{1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {2, 2, 1}}, s.Positions, "every element is replaced")
}

func TestGLTFBuffers(t *testing.T) {
	m := &gltfMaker{}
	m.floats(gltfSquare...)
	mesh := `"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}]`
	want := gltfMustRead(t, m.text(mesh))
	coded := base64.StdEncoding.EncodeToString(m.bin)
	for name, c := range map[string]struct {
		text  string
		files gltfFiles
	}{
		"percent-encoded":  {m.json("my%20data.bin", mesh), gltfFiles{"my data.bin": m.bin}},
		"bare percent":     {m.json("100%.bin", mesh), gltfFiles{"100%.bin": m.bin}},
		"longer file":      {m.json("a.bin", mesh), gltfFiles{"a.bin": append(bytes.Clone(m.bin), 1, 2, 3)}},
		"escaped slashes":  {m.json(strings.ReplaceAll("data:application/octet-stream;base64,"+coded, "/", `\/`), mesh), nil},
		"no media type":    {m.json("data:;base64,"+coded, mesh), nil},
		"GLB":              {string(m.glb(mesh)), nil},
		"GLB, other file":  {string(glbOf(m.json("a.bin", mesh), nil)), gltfFiles{"a.bin": m.bin}},
		"integer as float": {strings.ReplaceAll(m.text(mesh), `"count":4`, `"count":4.0`), nil},
	} {
		got := must.Get(gltfReadString(c.text, c.files))
		require.Equal(t, want, got, name)
	}
}

// TestGLTFFaces: glTF materials, and primitives without one, are one-sided unless they say
// otherwise.
func TestGLTFFaces(t *testing.T) {
	m := &gltfMaker{}
	p := m.floats(gltfSquare...)
	ix := m.shorts(0, 1, 2, 2, 1, 3)
	primitive := func(material string) string {
		return fmt.Sprintf(`{"attributes":{"POSITION":%d},"indices":%d%s}`, p, ix, material)
	}
	s := gltfMustRead(t, m.text(fmt.Sprintf(`"meshes":[{"primitives":[%s,%s,%s,%s]}],"materials":[{},{"doubleSided":true},{"doubleSided":false}]`,
		primitive(""), primitive(`,"material":0`), primitive(`,"material":1`), primitive(`,"material":2`))))
	require.Len(t, s.Draws, 4)
	for i, want := range []bool{true, true, false, true} {
		require.Equal(t, want, s.Draws[i].OneSided, i)
	}
}
