package format

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/cputime"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
)

// gltfAccepted are rules of the Khronos validator that we intentionally do not enforce, although
// they concern parts that we read, each with the reason.
var gltfAccepted = map[string]string{
	"ACCESSOR_OFFSET_ALIGNMENT":       "bytes are read one by one, at any alignment",
	"ACCESSOR_TOTAL_OFFSET_ALIGNMENT": "the same",
	"ACCESSOR_MATRIX_ALIGNMENT":       "the same; and no matrix is read",
	"ACCESSOR_NORMALIZED_INVALID":     "a normalized float is a float",

	"ACCESSOR_MIN_MISMATCH":                               "min and max are not read: bounds come from the data",
	"ACCESSOR_MAX_MISMATCH":                               "the same",
	"ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND":                   "the same",
	"ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND":                   "the same",
	"MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS":     "the same",
	"BUFFER_VIEW_TARGET_OVERRIDE":                         "targets are not read",
	"BUFFER_VIEW_INVALID_BYTE_STRIDE":                     "the same, when only the target forbids the stride",
	"MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE":          "one stride for all is then the element's size: unambiguous",
	"EMPTY_ENTITY":                                        "an empty array is as good as none",
	"DUPLICATE_ELEMENTS":                                  "of extension names: harmless",
	"UNSATISFIED_DEPENDENCY":                              "of names, skins and weights: not read",
	"NON_REQUIRED_EXTENSION":                              "quantized data is read wherever the extension is named",
	"UNUSED_EXTENSION_REQUIRED":                           "harmless",
	"UNDECLARED_EXTENSION":                                "harmless",
	"UNEXPECTED_EXTENSION_OBJECT":                         "not read",
	"NODE_MATRIX_NON_TRS":                                 "any affine matrix can be drawn",
	"ROTATION_NON_UNIT":                                   "normalized",
	"ACCESSOR_VECTOR3_NON_UNIT":                           "normalized",
	"NODE_WEIGHTS_INVALID":                                "morph targets are not applied",
	"MESH_INVALID_WEIGHTS_COUNT":                          "the same",
	"MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT":               "the same",
	"NODE_SKIN_WITH_NON_SKINNED_MESH":                     "skins are not applied",
	"NODE_SKIN_NO_SCENE":                                  "the same",
	"MESH_PRIMITIVE_TOO_FEW_TEXCOORDS":                    "textures are not read",
	"MESH_PRIMITIVE_NO_TANGENT_SPACE":                     "the same",
	"MESH_PRIMITIVE_INVALID_ATTRIBUTE":                    "attributes other than POSITION and NORMAL are not read",
	"MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY":          "the same",
	"MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH":              "the same",
	"MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_UNSIGNED_INT":     "the same, where it is not of POSITION",
	"MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR":        "morph targets are not applied",
	"MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT": "the same",
}

// gltfUnread reports whether an error lies in a part of the document from which no geometry is
// read.
func gltfUnread(pointer string) bool {
	for _, part := range []string{"/accessors", "/bufferViews", "/buffers", "/meshes", "/nodes", "/scene", "/asset"} {
		if strings.HasPrefix(pointer, part) {
			for _, inner := range []string{"/targets/", "/COLOR_0", "/TANGENT", "/JOINTS_", "/WEIGHTS_", "/_CUSTOM", "/camera", "/skin", "/weights", "/KHR_materials_variants", "/KHR_lights_punctual"} {
				if strings.Contains(pointer, inner) {
					return true
				}
			}
			return false
		}
	}
	return len(pointer) > 1 // "" and "/" are the document; offsets belong to the container
}

type gltfReport struct {
	Issues struct {
		Messages []struct {
			Code, Pointer string
			Severity      int
		}
	}
	Info struct{ TotalTriangleCount int }
}

// errors returns the codes of errors that must make us refuse the file.
func (r *gltfReport) errors() (codes []string) {
	for _, m := range r.Issues.Messages {
		if m.Severity == 0 && gltfAccepted[m.Code] == "" && !gltfUnread(m.Pointer) {
			codes = append(codes, m.Code)
		}
	}
	return codes
}

// TestGLTFValidatorFiles compares us with the Khronos validator's reports on its own test files: files with errors in the
// parts that we read are refused, and not for a lack of triangles, and valid files have as many triangles as in the report.
func TestGLTFValidatorFiles(t *testing.T) {
	root := shareddata.Path(t, "hostile", "gltf", "test")
	refused, loaded := 0, 0
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".report.json") {
			return err
		}
		text := must.Get(os.ReadFile(path))
		var report gltfReport
		require.NoError(t, json.Unmarshal(text, &report))
		path = strings.TrimSuffix(path, ".report.json")
		name := must.Get(filepath.Rel(root, path))

		used := cputime.Used()
		scene, err := Open(t.Context(), path)
		require.Less(t, cputime.Used()-used, 10*time.Second, name)
		if err != nil {
			var bad *Error
			require.ErrorAs(t, err, &bad, name)
			require.NotContains(t, err.Error(), "\n")
		} else {
			require.NoError(t, scene.Validate(t.Context()), name)
		}
		noTriangles := err != nil && strings.Contains(err.Error(), "no triangles")
		noData := err != nil && strings.Contains(err.Error(), "has no data")
		switch codes := report.errors(); {
		case len(codes) > 0:
			refused++
			if err == nil || noTriangles && !gltfUnopened[filepath.ToSlash(name)] {
				t.Errorf("%s: %v, but the validator says %v", name, err, codes)
			}
		case noData:
			// The validator accepts the file, since another program may fill such a buffer.
		case report.Info.TotalTriangleCount > 0 && gltfNotDrawn[filepath.ToSlash(name)] == "":
			loaded++
			if err != nil || scene.Triangles() != report.Info.TotalTriangleCount {
				t.Errorf("%s: %v, but it has %d triangles", name, err, report.Info.TotalTriangleCount)
			}
		}
		return nil
	})
	require.NoError(t, err)
	t.Logf("%d broken files refused, %d sound ones drawn", refused, loaded)
	require.GreaterOrEqual(t, refused, 70, "files that break what we read")
	require.GreaterOrEqual(t, loaded, 40, "files with triangles and data")
}

// gltfUnopened are files with faults only in data that no triangle needs, which we do not open. We
// refuse them since they have no triangles.
var gltfUnopened = map[string]bool{
	"base/data/accessor_data/invalid_elements_float.gltf": true,
	"base/data/buffer/no_bin_chunk.glb":                   true,
	"base/data/buffer/not_found.gltf":                     true,
	"base/data/buffer/wrong_bytelength.glb":               true,
}

// gltfNotDrawn are valid files with meshes that the validator counts, but that draw nothing.
var gltfNotDrawn = map[string]string{
	"base/data/json/integer_written_as_float.gltf": "no node places its mesh",
	"base/data/mesh/primitive_no_position.gltf":    "no positions",
}
