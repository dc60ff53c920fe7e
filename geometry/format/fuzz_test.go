package format

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzPLY(f *testing.F) { fuzzReader(f, ".ply") }

func FuzzOBJ(f *testing.F) { fuzzReader(f, ".obj") }

func FuzzOFF(f *testing.F) { fuzzReader(f, ".off") }

func FuzzSTL(f *testing.F) { fuzzReader(f, ".stl") }

func fuzzReader(f *testing.F, extension string) {
	for _, s := range samples(f) {
		if filepath.Ext(s.name) == extension {
			f.Add(s.data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return // Open refuses empty files before it calls a reader
		}
		_ = requireHarmless(t, "fuzz"+extension, data)
	})
}

// gltfFuzzSeeds returns documents that together reach every part of the reader.
func gltfFuzzSeeds() (texts []string, binaries [][]byte) {
	m := &gltfMaker{}
	m.floats(gltfSquare...)
	m.shorts(0, 1, 2, 2, 1, 3)
	where, what := m.view([]uint16{1, 3}, ""), m.view([]float32{7, 8, 9, 4, 5, 6}, "")
	bytesView := m.view([]int8{1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0, 1, 1, 1, 0}, `,"byteStride":4`)
	m.accessor(bytesView, gltfByte, "VEC3", 4, `,"normalized":true`)
	m.accessors = append(m.accessors, `{"componentType":5126,"type":"VEC3","count":4,"sparse":{"count":2,"indices":{"bufferView":`+
		string(rune('0'+where))+`,"componentType":5123},"values":{"bufferView":`+string(rune('0'+what))+`}}}`)
	rest := `"extensionsUsed":["KHR_mesh_quantization"],"materials":[{"pbrMetallicRoughness":{"baseColorFactor":[1,0,0,1]}}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":0,"NORMAL":2,"TEXCOORD_0":3,"_A":2},"indices":1,"material":0},{"attributes":{"POSITION":3},"mode":5},{"attributes":{"POSITION":2,"TEXCOORD_0":2,"JOINTS_0":2},"mode":6,"indices":1}]}],
		"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"children":[1],"scale":[1,2,3]},{"mesh":0,"rotation":[0,0,0,1]}]`
	texts = append(texts, m.text(rest))
	binaries = append(binaries, m.glb(rest))
	packed := meshoptTestDocument()
	texts = append(texts, packed.text(meshoptTestMesh))
	binaries = append(binaries, packed.glb(meshoptTestMesh))
	compressed, mesh := dracoDocument(gltfUnsignedShort)
	texts = append(texts, compressed.text(mesh))
	binaries = append(binaries, compressed.glb(mesh))
	var written bytes.Buffer
	_ = WriteGLB(&written, shuffled())
	binaries = append(binaries, written.Bytes())
	return texts, binaries
}

// gltfFuzzOne requires either an *Error of one line or a scene that can be drawn, whatever the
// bytes.
func gltfFuzzOne(t *testing.T, r Reader, data []byte) {
	for _, attributes := range []bool{false, true} {
		gltfFuzzRead(t, r, &Input{Reader: bytes.NewReader(data), Path: "a.gltf", Size: int64(len(data)), Sibling: gltfFiles{}.open, Attributes: attributes})
	}
}

func gltfFuzzRead(t *testing.T, r Reader, in *Input) {
	s, err := r.Read(t.Context(), in)
	if err != nil {
		var bad *Error
		require.ErrorAs(t, err, &bad)
		require.NotEmpty(t, bad.Cause)
		require.NotContains(t, err.Error(), "\n")
		return
	}
	require.NoError(t, s.Validate(t.Context()))
}

func FuzzGLTF(f *testing.F) {
	texts, _ := gltfFuzzSeeds()
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) { gltfFuzzOne(t, gltfReader, data) })
}

func FuzzGLB(f *testing.F) {
	_, binaries := gltfFuzzSeeds()
	for _, data := range binaries {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { gltfFuzzOne(t, glbReader, data) })
}

// FuzzGLTFMeshopt tests only the codecs, without the checks of the document.
func FuzzGLTFMeshopt(f *testing.F) {
	for mode, seed := range [][]byte{
		meshoptPackAttributes(bytes.Repeat([]byte{1, 2, 3, 4, 9, 200, 3, 7}, 40), 4),
		meshoptPackTriangles([]uint32{0, 1, 2, 2, 1, 3, 2, 3, 4, 9, 8, 7}),
		meshoptPackIndices([]uint32{0, 1, 2, 90, 91, 3}),
	} {
		f.Add(uint8(mode), uint16(12), seed)
	}
	f.Fuzz(func(t *testing.T, mode uint8, count uint16, packed []byte) {
		stride := []int{4, 8, 256}[int(mode/4)%3]
		switch mode % 4 {
		case 0:
			_ = meshoptUnpackAttributes(t.Context(), make([]byte, int(count)*stride), stride, packed)
		case 1:
			_ = meshoptUnpackTriangles(t.Context(), make([]byte, int(count)*6), 2, packed)
		case 2:
			_ = meshoptUnpackIndices(t.Context(), make([]byte, int(count)*4), 4, packed)
		}
	})
}
