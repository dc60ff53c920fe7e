package format

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sample is a valid file.
type sample struct {
	name   string
	data   []byte
	strict bool // whether the file, cut anywhere, must give an error
}

func samples(t testing.TB) []sample {
	s := shuffled()
	var ply, obj, glb bytes.Buffer
	require.NoError(t, WriteGLB(&glb, s))
	require.NoError(t, plyWrite(&ply, s))
	require.NoError(t, objWrite(&obj, s))
	strips := "element vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement tristrips 1\nproperty list int int vertex_indices\n"
	return []sample{
		{"written.ply", ply.Bytes(), true},
		{"little.ply", plyTetra(binary.LittleEndian), true},
		{"big.ply", plyTetra(binary.BigEndian), true},
		{"attributes.ply", plyBytes(binary.BigEndian, "element vertex 3\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nproperty float x\nproperty float y\nproperty float z\n"+
			"property double a\nproperty list uchar char b\nelement face 1\nproperty list uchar int vertex_indices\n",
			uint8(1), uint8(2), uint8(3), tetraPositions[0], 5., uint8(0), uint8(1), uint8(2), uint8(3), tetraPositions[1], 6., uint8(1), int8(-1), uint8(1), uint8(2), uint8(3), tetraPositions[2], 7., uint8(0),
			uint8(3), int32(0), int32(1), int32(2)), true},
		{"strips.ply", plyBytes(binary.BigEndian, strips, tetraPositions[0], tetraPositions[1], tetraPositions[2], int32(3), int32(0), int32(1), int32(2)), true},
		{"ascii.ply", []byte(plyPlain), false},
		{"written.obj", obj.Bytes(), false},
		{"written.glb", glb.Bytes(), true},
		{"groups.obj", []byte("mtllib a.mtl\n" + objVerts + "vt 0 0\nvn 0 0 1\ng a\nf 1/1/1 2/1/1 3/1/1\nusemtl b\nf -1 -2 \\\n-3 -4\n"), false},
		{"plain.off", []byte(offPlain), false},
		{"normals.off", []byte("STCNOFF\n3 1 0\n0 0 0 0 0 1 1 1 1 1 0 0\n1 0 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2 1 0 0\n"), false},
		{"binary.stl", stlTetra(t, false), true},
		{"ascii.stl", stlTetra(t, true), false},
	}
}

// requireHarmless reads arbitrary bytes: the result must be a valid scene or a clear error,
// within the allowed memory. It reads them twice, the second time with attributes and an unknown size.
func requireHarmless(t *testing.T, name string, data []byte) error {
	var failed error
	for _, packed := range []bool{false, true} {
		formats := Readers(nil)
		if packed {
			formats = formats.Attributes()
		}
		taken := allocated(func() {
			s, err := loadBy(formats, name, data, packed)
			if failed = err; err == nil {
				require.NoError(t, s.Validate(t.Context()))
				require.Equal(t, len(s.Positions), len(s.Normals))
			}
		})
		require.LessOrEqual(t, taken, allowance(data))
		if failed != nil {
			requireClear(t, name, failed)
		}
	}
	return failed
}

// stride is 1 for tests that try every byte of a file; with -short they try every seventh byte.
func stride() int {
	if testing.Short() {
		return 7
	}
	return 1
}

func TestTruncated(t *testing.T) {
	for _, c := range samples(t) {
		t.Run(c.name, func(t *testing.T) {
			require.NoError(t, requireHarmless(t, c.name, c.data))
			for n := 0; n < len(c.data); n += stride() {
				if err := requireHarmless(t, c.name, c.data[:n]); c.strict {
					require.Error(t, err, "cut to %d of %d bytes", n, len(c.data))
				}
			}
		})
	}
}

func TestMutated(t *testing.T) {
	for _, c := range samples(t) {
		t.Run(c.name, func(t *testing.T) {
			for i := 0; i < len(c.data); i += stride() {
				for _, value := range []byte{0, 0xff, '9', '-'} {
					data := bytes.Clone(c.data)
					data[i] = value
					_ = requireHarmless(t, c.name, data)
				}
			}
		})
	}
}

// TestLyingCounts reads headers that promise more than the file contains.
func TestLyingCounts(t *testing.T) {
	for _, count := range []uint64{100, 1 << 20, 1 << 24, 1<<31 - 2, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 40, 1<<63 - 1, 1 << 63, math.MaxUint64} {
		lie := fmt.Sprint(count)
		for name, text := range map[string]string{
			"vertices.ply":  strings.Replace(plyPlain, "vertex 4", "vertex "+lie, 1),
			"faces.ply":     strings.Replace(plyPlain, "face 2", "face "+lie, 1),
			"list.ply":      strings.Replace(plyPlain, "4 0 1", lie+" 0 1", 1),
			"skipped.ply":   strings.Replace(plyPlain, "element vertex", "element other "+lie+"\nproperty int a\nelement vertex", 1),
			"empty.ply":     strings.Replace(plyPlain, "element face", "element other "+lie+"\nelement face", 1),
			"faces.le.ply":  strings.Replace(string(plyTetra(binary.LittleEndian)), "face 4", "face "+lie, 1),
			"points.le.ply": strings.Replace(string(plyTetra(binary.LittleEndian)), "vertex 4", "vertex "+lie, 1),
			"list.le.ply": string(plyBytes(binary.LittleEndian, "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"+
				"element face 1\nproperty list uint int vertex_index\n", tetraPositions[0], tetraPositions[1], tetraPositions[2], uint32(count), int32(0), int32(0))),
			"vertices.off": strings.Replace(offPlain, "4 2 0", lie+" 2 0", 1),
			"faces.off":    strings.Replace(offPlain, "4 2 0", "4 "+lie+" 0", 1),
			"corners.off":  strings.Replace(offPlain, "4 0 1", lie+" 0 1", 1),
			"index.obj":    objVerts + "f 1 2 " + lie + "\n",
			"negative.obj": objVerts + "f 1 2 -" + lie + "\n",
			"count.stl":    string(stlTetra(t, false)[:80]) + string(binary.LittleEndian.AppendUint32(nil, uint32(count))) + strings.Repeat("\x00", 200),
		} {
			err := requireHarmless(t, name, []byte(text))
			if name != "empty.ply" { // elements without properties take no bytes, so any number of them is valid
				require.Error(t, err, "%s with %s", name, lie)
			}
		}
	}
}

// TestExpandingFiles reads files that make memory grow fastest: some exceed the budget, and none the allowance.
func TestExpandingFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("reads large files")
	}
	polygons := objVerts + strings.Repeat("f"+strings.Repeat(" 1", 50000)+"\n", 240)
	soup := []byte(nil)
	for i := range 240000 {
		soup = append(soup, make([]byte, 12)...)
		for k := range 9 {
			soup = binary.LittleEndian.AppendUint32(soup, math.Float32bits(float32(9*i+k)))
		}
		soup = append(soup, 0, 0)
	}
	groups := strings.Builder{}
	normals := strings.Builder{}
	groups.WriteString(objVerts)
	normals.WriteString(objVerts)
	for i := range 300000 {
		fmt.Fprintf(&groups, "g %x\nf 1 2 3\n", i)
	}
	for range 700000 {
		normals.WriteString("vn 0 0 1\nf 1//-1 1//1 1//1\n")
	}
	for _, c := range []struct {
		name  string
		data  []byte
		fails bool
	}{
		{"polygons.obj", []byte(polygons), true},
		{"polygons.off", []byte("4 240\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n" + strings.Repeat("50000"+strings.Repeat(" 1", 50000)+"\n", 240)), true},
		{"strips.ply", []byte("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nelement tristrips 1\n" +
			"property list int int vertex_indices\nend_header\n0 0 0\n12000000\n" + strings.Repeat("0 0 0 0 0 0 0 0\n", 1500000)), true},
		{"soup.stl", append(binary.LittleEndian.AppendUint32(make([]byte, 80), 240000), soup...), false},
		{"statements.obj", []byte(objVerts + strings.Repeat("g a\ng b\n", 1<<20) + "f 1 2 3\n"), false},
		{"switching.obj", []byte(objVerts + strings.Repeat("g a\nf 1 2 3\ng b\nf 1 2 3\n", 1<<18)), false},
		{"points.obj", []byte(strings.Repeat("v 1 2 3\n", 1<<21) + "f 1 2 3\n"), false},
		{"groups.obj", []byte(groups.String()), true},
		{"normals.obj", []byte(normals.String()), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := requireHarmless(t, c.name, c.data)
			require.Equal(t, c.fails, err != nil, "%v", err)
			if c.fails {
				require.Contains(t, err.Error(), "memory")
			}
		})
	}
}

func FuzzPLY(f *testing.F) { fuzzReader(f, ".ply") }

func FuzzOBJ(f *testing.F) { fuzzReader(f, ".obj") }

func FuzzOFF(f *testing.F) { fuzzReader(f, ".off") }

func FuzzSTL(f *testing.F) { fuzzReader(f, ".stl") }

// fuzzReader begins with the samples of a format, and with more seeds.
func fuzzReader(f *testing.F, extension string, seeds ...[]byte) {
	for _, s := range samples(f) {
		if filepath.Ext(s.name) == extension {
			seeds = append(seeds, s.data)
		}
	}
	for _, data := range seeds {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return // Open refuses empty files before it calls a reader
		}
		_ = requireHarmless(t, "fuzz"+extension, data)
	})
}

// gltfSeeds returns documents that together reach most parts of the reader, as text and as GLB.
func gltfSeeds() (texts, binaries [][]byte) {
	add := func(m *gltfMaker, rest string) {
		texts, binaries = append(texts, []byte(m.text(rest))), append(binaries, m.glb(rest))
	}
	m := &gltfMaker{}
	m.floats(gltfSquare...)
	m.shorts(0, 1, 2, 2, 1, 3)
	where, what := m.view([]uint16{1, 3}, ""), m.view([]float32{7, 8, 9, 4, 5, 6}, "")
	bytesView := m.view([]int8{1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0, 1, 1, 1, 0}, `,"byteStride":4`)
	m.accessor(bytesView, gltfByte, "VEC3", 4, `,"normalized":true`)
	m.accessors = append(m.accessors, fmt.Sprintf(`{"componentType":5126,"type":"VEC3","count":4,"sparse":{"count":2,"indices":{"bufferView":%d,"componentType":5123},"values":{"bufferView":%d}}}`, where, what))
	add(m, `"extensionsUsed":["KHR_mesh_quantization"],"materials":[{"pbrMetallicRoughness":{"baseColorFactor":[1,0,0,1]}}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":0,"NORMAL":2,"TEXCOORD_0":3,"_A":2},"indices":1,"material":0},{"attributes":{"POSITION":3},"mode":5},{"attributes":{"POSITION":2,"TEXCOORD_0":2,"JOINTS_0":2},"mode":6,"indices":1}]}],
		"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"children":[1],"scale":[1,2,3]},{"mesh":0,"rotation":[0,0,0,1]}]`)
	add(meshoptTestDocument(), meshoptTestMesh)
	add(dracoDocument(gltfUnsignedShort))
	return texts, binaries
}

func FuzzGLTF(f *testing.F) {
	texts, _ := gltfSeeds()
	fuzzReader(f, ".gltf", texts...)
}

func FuzzGLB(f *testing.F) {
	_, binaries := gltfSeeds()
	fuzzReader(f, ".glb", binaries...)
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
