package format

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// extended writes a fan of 8 triangles around vertex 0, with six views that only extensions may
// refer to. `rest` is added to the document, `of` to the primitive's extensions, `ofMesh` to the mesh's.
func extended(t *testing.T, rest, of, ofMesh string) (path string) {
	var m gltfMaker
	var corners []float32
	var fan []uint16
	for v := range 10 {
		corners = append(corners, float32(v%3), float32(v/3), float32(v))
	}
	for k := range 8 {
		fan = append(fan, 0, uint16(8-k), uint16(9-k))
	}
	m.floats(corners...)
	m.shorts(fan...)
	m.accessor(m.view([]int16{0, 3, 3, 9}, ""), gltfShort, "SCALAR", 4, "")
	for k := range 6 {
		m.view([]byte(fmt.Sprintf("metadata%d---", k)), "")
	}
	text := m.text(fmt.Sprintf(`"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1,"extensions":{%s}}],"extensions":{%s}}],%s`, of, ofMesh, rest))
	return writeFile(t, "extended.gltf", []byte(text))
}

// follow returns the value at a path of names and numbers.
func follow(at any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			at = at.(map[string]any)[step]
		case int:
			at = at.([]any)[step]
		}
	}
	return at
}

// TestGLTFCopyKeepsViewsOfExtensions: a copy keeps the views that extensions refer to in their own
// way, and all views if an extension is unknown.
func TestGLTFCopyKeepsViewsOfExtensions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		extensions string
		paths      [][]any // to views that hold metadata0, metadata1, ...
		size       int     // how many of those views the copy keeps
	}{
		{`"EXT_structural_metadata":{"propertyTables":[{"count":9,"properties":{"values":{"values":3,"arrayOffsets":4,"stringOffsets":5}}}]}`, [][]any{
			{"EXT_structural_metadata", "propertyTables", 0, "properties", "values", "values"},
			{"EXT_structural_metadata", "propertyTables", 0, "properties", "values", "arrayOffsets"},
			{"EXT_structural_metadata", "propertyTables", 0, "properties", "values", "stringOffsets"},
		}, 3},
		{`"EXT_feature_metadata":{"featureTables":{"a":{"count":9,"properties":{"x":{"bufferView":3,"arrayOffsetBufferView":4,"stringOffsetBufferView":5}}}}}`, [][]any{
			{"EXT_feature_metadata", "featureTables", "a", "properties", "x", "bufferView"},
			{"EXT_feature_metadata", "featureTables", "a", "properties", "x", "arrayOffsetBufferView"},
			{"EXT_feature_metadata", "featureTables", "a", "properties", "x", "stringOffsetBufferView"},
		}, 3},
		{`"OWN_things":{"here":3,"there":[{"values":4}],"shape":0}`, [][]any{{"OWN_things", "here"}, {"OWN_things", "there", 0, "values"}}, 6},
	} {
		path := extended(t, `"extensions":{`+c.extensions+`}`, "", "")
		for _, name := range []string{"original", "random", "random+fetch"} {
			data, _ := copied(t, path, name)
			p := parse(t, data)
			for k, path := range c.paths {
				view := follow(p.list("bufferViews")[int(follow(p.doc["extensions"], path...).(float64))], "byteOffset").(float64)
				require.Equal(t, fmt.Sprintf("metadata%d---", k), string(p.bin[int(view):][:12]), "%s %v", name, path)
			}
			require.Equal(t, c.size, strings.Count(string(p.bin), "metadata"), name)
			if _, own := follow(p.doc, "extensions").(map[string]any)["OWN_things"]; own {
				for v := range 10 {
					require.Equal(t, float32(v), math.Float32frombits(binary.LittleEndian.Uint32(p.element(0., v)[8:])), "its accessor stays")
				}
			}
		}
	}
}

// TestGLTFCopySettlesExtensions: lists of vertices in a primitive's extensions get the new numbers.
// What holds only for the old order is dropped, with a note.
func TestGLTFCopySettlesExtensions(t *testing.T) {
	t.Parallel()
	path := extended(t, `"extensionsUsed":["CESIUM_primitive_outline","FB_ngon_encoding"]`, `"CESIUM_primitive_outline":{"indices":2},"FB_ngon_encoding":{},`+
		`"EXT_mesh_features":{"featureIds":[{"featureCount":10}]},"KHR_materials_variants":{"mappings":[]}`, `"EXT_mesh_manifold":{}`)
	for name, want := range map[string]struct{ kept, dropped string }{
		"original":     {"CESIUM_primitive_outline EXT_mesh_features FB_ngon_encoding KHR_materials_variants", ""},
		"random":       {"CESIUM_primitive_outline EXT_mesh_features KHR_materials_variants", "EXT_mesh_manifold, FB_ngon_encoding"},
		"random+fetch": {"CESIUM_primitive_outline KHR_materials_variants", "EXT_mesh_features, EXT_mesh_manifold, FB_ngon_encoding"},
	} {
		data, c := copied(t, path, name)
		p := parse(t, data)
		primitive := follow(p.doc, "meshes", 0, "primitives", 0)
		extensions := follow(primitive, "extensions").(map[string]any)
		for _, kept := range strings.Fields(want.kept) {
			require.Contains(t, extensions, kept, name)
		}
		require.Len(t, extensions, len(strings.Fields(want.kept)), name)
		if want.dropped == "" {
			require.Empty(t, c.Notices)
			require.Len(t, p.doc["extensionsUsed"], 2)
		} else {
			require.Equal(t, []string{"dropped, since triangles or vertices have moved: " + want.dropped}, c.Notices, name)
			require.Equal(t, []any{"CESIUM_primitive_outline"}, p.doc["extensionsUsed"])
			require.NotContains(t, follow(p.doc, "meshes", 0), "extensions")
		}
		outline := follow(extensions, "CESIUM_primitive_outline", "indices")
		for k, old := range []int{0, 3, 3, 9} {
			var wide [4]byte
			copy(wide[:], p.element(outline, k))
			at := p.element(follow(primitive, "attributes", "POSITION"), int(binary.LittleEndian.Uint32(wide[:])))
			require.Equal(t, old, int(math.Float32frombits(binary.LittleEndian.Uint32(at[8:]))), "%s: corner %d", name, k)
		}
	}
	bad := extended(t, `"extensions":{}`, `"CESIUM_primitive_outline":{"indices":0}`, "")
	_, _, err := copying(t, bad, "random+fetch")
	require.ErrorContains(t, err, "extended.gltf: accessor 0: is not a plain list of vertices")
	var m gltfMaker
	m.floats(gltfSquare...)
	large := m.view(make([]byte, 1<<20), "")
	for range 6000 {
		m.views = append(m.views, m.views[large])
	}
	bad = writeFile(t, "overlapping.gltf", []byte(m.text(`"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"extensions":{"OWN_things":{}}`)))
	_, _, err = copying(t, bad, "original")
	require.ErrorContains(t, err, "million steps of work, too much for 1.62 MiB")
}
