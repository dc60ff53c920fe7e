package format

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// copied converts a glTF file to a GLB with everything in it.
func copied(t *testing.T, path, orderName string) (data []byte, c *GLTFCopy) {
	data, c, err := copying(t, path, orderName)
	require.NoError(t, err)
	return data, c
}

func copying(t *testing.T, path, orderName string) (data []byte, c *GLTFCopy, err error) {
	var out bytes.Buffer
	c = &GLTFCopy{
		Reorder: func(ctx context.Context, s *geometry.Scene) (*geometry.Scene, error) {
			return order.Apply(ctx, s, orderName)
		},
		Save: func(_ context.Context, write func(io.Writer) error) error { return write(&out) },
	}
	_, err = Readers(c.Extension).Open(t.Context(), path)
	require.Equal(t, c.Saved, out.Len() > 0)
	return out.Bytes(), c, err
}

// parsed is a parsed GLB.
type parsed struct {
	doc map[string]any
	bin []byte
}

func parse(t *testing.T, data []byte) (p parsed) {
	text := data[20:][:binary.LittleEndian.Uint32(data[12:])]
	require.NoError(t, json.Unmarshal(text, &p.doc))
	p.bin = data[20+len(text)+8:]
	return p
}

func (p parsed) list(name string) []any { return p.doc[name].([]any) }

// element returns the bytes of element k of an accessor that is not sparse.
func (p parsed) element(accessor any, k int) []byte {
	a := p.list("accessors")[int(accessor.(float64))].(map[string]any)
	view := p.list("bufferViews")[int(a["bufferView"].(float64))].(map[string]any)
	number := func(m map[string]any, name string) int { f, _ := m[name].(float64); return int(f) }
	size := map[string]int{"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[a["type"].(string)] * map[int]int{5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}[number(a, "componentType")]
	stride := max(number(view, "byteStride"), size)
	return p.bin[number(view, "byteOffset")+number(a, "byteOffset")+k*stride:][:size]
}

// triangles returns the triangles of primitive 0 of mesh 0, sorted; each is the bytes of its corners' attributes, except
// for TEXCOORD_1, and of their morph targets.
func (p parsed) triangles() (list []string) {
	primitive := p.list("meshes")[0].(map[string]any)["primitives"].([]any)[0].(map[string]any)
	sets := append(primitive["targets"].([]any), primitive["attributes"])
	count := int(p.list("accessors")[int(primitive["indices"].(float64))].(map[string]any)["count"].(float64))
	for k := 0; k+2 < count; k += 3 {
		text := ""
		for corner := range 3 {
			var wide [4]byte
			copy(wide[:], p.element(primitive["indices"], k+corner))
			for _, set := range sets {
				for _, name := range []string{"POSITION", "NORMAL", "TEXCOORD_0", "JOINTS_0", "_ID"} {
					if a, has := set.(map[string]any)[name]; has {
						text += fmt.Sprintf("%x ", p.element(a, int(binary.LittleEndian.Uint32(wide[:]))))
					}
				}
			}
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}

// rich writes a glTF document of a grid that contains more than geometry, with an image beside
// it.
func rich(t *testing.T, side int) string {
	var positions, uvs, shifts []float32
	var joints, ids []byte
	var indices []uint32
	n, size := side*side, float32(side)
	for v := range n {
		x, y := float32(v%side), float32(v/side)
		positions, shifts = append(positions, x, y, 0), append(shifts, y, x, float32(v))
		uvs, joints, ids = append(uvs, x/size, y/size), append(joints, byte(v), 1, 2, 3), append(ids, byte(v), 0, 0, 0)
	}
	quads := (side - 1) * (side - 1)
	for q := range quads {
		at := uint32((q*37%quads)%(side-1) + (q*37%quads)/(side-1)*side) // visits the quads in shuffled order
		indices = append(indices, at, at+1, at+uint32(side), at+1, at+uint32(side)+1, at+uint32(side))
	}
	m := &gltfMaker{}
	m.floats(positions...)
	uv := m.view(uvs, "")
	m.accessor(uv, gltfFloat, "VEC2", n, "")
	m.accessor(m.view(joints, ""), gltfUnsignedByte, "VEC4", n, "")
	m.accessor(m.view(ids, `,"byteStride":4`), gltfUnsignedByte, "SCALAR", n, "")
	m.floats(shifts...)
	m.accessor(m.view(indices, ""), gltfUnsignedInt, "SCALAR", len(indices), "")
	where, what := m.view(uint32(side+1), ""), m.view([]float32{7, 8}, "")
	m.accessor(uv, gltfFloat, "VEC2", n, fmt.Sprintf(`,"sparse":{"count":1,"indices":{"bufferView":%d,"componentType":5125},"values":{"bufferView":%d}}`, where, what))
	m.view([]byte("unused, and so left out!"), "")
	text := m.text(`"meshes":[{"name":"grid","primitives":[{"attributes":{"POSITION":0,"TEXCOORD_0":1,"TEXCOORD_1":6,"JOINTS_0":2,"_ID":3},"indices":5,"material":0,"targets":[{"POSITION":4}]}]}],
		"materials":[{"name":"red","pbrMetallicRoughness":{"baseColorTexture":{"index":0},"roughnessFactor":0.30000001}}],
		"textures":[{"source":0}],"images":[{"uri":"red.png"},{"uri":"none.png"}],
		"nodes":[{"mesh":0,"skin":0},{"name":"bone"}],"scenes":[{"nodes":[0]},{"nodes":[1]}],"skins":[{"joints":[1]}],"cameras":[{"type":"perspective"}]`)
	path := writeFile(t, "rich.gltf", []byte(strings.Replace(text, `"version":"2.0"`, `"version":"2.0","generator":"hand","extras":{"author":"me"}`, 1)))
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "red.png"), []byte("a picture"), 0o666))
	return path
}

// TestGLTFCopyKeepsEverything: a copy in any order keeps all that is referred to, and moves all attributes of a vertex
// together.
func TestGLTFCopyKeepsEverything(t *testing.T) {
	t.Parallel()
	path := rich(t, 9)
	plain, c := copied(t, path, "original")
	require.Equal(t, []string{"attributes JOINTS_0 TEXCOORD_0 TEXCOORD_1 _ID", "materials (1)", "textures (1)", "skins (1)", "cameras (1)", "morph targets", "scenes beside the first shown (1)"}, c.Holds)
	require.Len(t, c.Notices, 1)
	require.Contains(t, c.Notices[0], "cannot be read: 1, the first: \"none.png\": no such file")
	was := parse(t, plain)
	for _, name := range []string{"random", "forsyth", "forsyth+fetch", "random+fetch"} {
		data, _ := copied(t, path, name)
		for range 4 {
			again, _ := copied(t, path, name)
			require.True(t, bytes.Equal(data, again), "%s: a file is always written alike", name)
		}
		now := parse(t, data)
		require.Equal(t, was.triangles(), now.triangles(), name)
		for _, part := range []string{"asset", "materials", "textures", "nodes", "scenes", "skins", "cameras"} {
			require.Equal(t, was.doc[part], now.doc[part], part)
		}
		require.NotContains(t, string(now.bin), "unused", "what nothing names is left out")
		require.Less(t, len(data), len(plain)+1024, "replaced bytes are left out")
		image := now.list("images")[0].(map[string]any)
		view := now.list("bufferViews")[int(image["bufferView"].(float64))].(map[string]any)
		offset, _ := view["byteOffset"].(float64)
		require.Equal(t, "a picture", string(now.bin[int(offset):][:len("a picture")]))
		require.Equal(t, "image/png", image["mimeType"])
		require.Equal(t, "none.png", now.list("images")[1].(map[string]any)["uri"])

		requireReordered(t, path, name, data)
	}
	require.Contains(t, string(plain), "0.30000001", "numbers keep their spelling")
}

// requireReordered requires that `data`, a copy of the file at `path`, holds the file's scene in the order called
// `name`, with its attributes.
func requireReordered(t *testing.T, path, name string, data []byte) {
	readers := Readers(nil).Attributes()
	got := must.Get(readers.Open(t.Context(), writeFile(t, "x.glb", data)))
	scene := must.Get(readers.Open(t.Context(), path))
	require.Len(t, scene.Attributes, 4)
	want := must.Get(order.Apply(t.Context(), scene, name))
	require.True(t, slices.Equal(want.Indices, got.Indices)) // require.Equal would print a long difference
	require.True(t, slices.Equal(want.Positions, got.Positions))
	require.Len(t, got.Attributes, len(want.Attributes))
	for i, a := range want.Attributes {
		require.True(t, bytes.Equal(a.Data, got.Attributes[i].Data), a.Name)
	}
}

// TestGLTFCopyOfTwoPrimitives: two primitives share an accessor, and each permutes it in its own
// order. Indices above 65535 keep 32 bits.
func TestGLTFCopyOfTwoPrimitives(t *testing.T) {
	t.Parallel()
	path := rich(t, 257)
	text := must.Get(os.ReadFile(path))
	const first = `"targets":[{"POSITION":4}]}`
	require.Equal(t, 1, bytes.Count(text, []byte(first)))
	text = bytes.Replace(text, []byte(first), []byte(first+`,{"attributes":{"POSITION":4,"TEXCOORD_0":1},"indices":5,"mode":5}`), 1)
	require.NoError(t, os.WriteFile(path, text, 0o666))
	data, _ := copied(t, path, "random+fetch")
	requireReordered(t, path, "random+fetch", data)
}

// TestGLTFCopyUnpacks: a copy has uncompressed views, and does not name extensions that it no longer uses.
func TestGLTFCopyUnpacks(t *testing.T) {
	t.Parallel()
	text := meshoptTestDocument().text(meshoptTestMesh + `,"extensionsUsed":["KHR_mesh_quantization","EXT_meshopt_compression"]`)
	path := writeFile(t, "packed.gltf", []byte(text))
	for _, name := range []string{"original", "random+fetch"} {
		data, _ := copied(t, path, name)
		doc := parse(t, data).doc
		require.Nil(t, doc["extensionsRequired"], name)
		require.Equal(t, []any{"KHR_mesh_quantization"}, doc["extensionsUsed"])
		require.NotContains(t, string(data), "EXT_meshopt_compression")
	}
}

// TestGLTFCopyLeavesOwnFiles: GLTFCopy copies no file of our own writer that holds nothing but a Scene. The writer of scenes
// saves it again, since that writer's large files can be mapped into memory.
func TestGLTFCopyLeavesOwnFiles(t *testing.T) {
	t.Parallel()
	scene := must.Get(Open(t.Context(), rich(t, 9)))
	data, c := copied(t, saved(t, "own.glb", scene), "forsyth")
	require.Empty(t, data)
	require.False(t, c.Saved)
	require.Empty(t, c.Holds)
}
