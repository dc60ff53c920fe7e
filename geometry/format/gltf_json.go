package format

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// The parts of a glTF document that geometry needs. Everything else (textures, animations,
// cameras) is skipped without being stored.
//
// We do not decode with qmuntal/gltf, since its decoder panics on negative numbers and turns
// unknown component types into valid ones.
type (
	gltfDocument struct {
		Asset struct {
			Version    string `json:"version"`
			MinVersion string `json:"minVersion"`
		}
		ExtensionsUsed     gltfNames
		ExtensionsRequired gltfNames
		Buffers            GLTFList[gltfBuffer]
		BufferViews        GLTFList[gltfBufferView]
		Accessors          GLTFList[gltfAccessor]
		Materials          GLTFList[gltfMaterial]
		Meshes             GLTFList[gltfMesh]
		Nodes              GLTFList[gltfNode]
		Scenes             GLTFList[gltfScene]
		Scene              gltfInt

		further       [][]gltfFurther    // attributes by mesh and primitive, if they were requested
		packed        map[int]gltfPacked // compressed accessors
		unpackedBytes map[int64]int64    // by view: size of the accessors that are compressed in it
	}
	gltfBuffer struct {
		URI        gltfURI `json:"uri"`
		ByteLength gltfInt `json:"byteLength"`
	}
	gltfBufferView struct {
		Buffer     gltfInt `json:"buffer"`
		ByteOffset gltfInt `json:"byteOffset"`
		ByteLength gltfInt `json:"byteLength"`
		ByteStride gltfInt `json:"byteStride"`
		Extensions struct {
			Meshopt *gltfMeshopt `json:"EXT_meshopt_compression"`
		} `json:"extensions"`
	}
	gltfMeshopt struct {
		Buffer     gltfInt `json:"buffer"`
		ByteOffset gltfInt `json:"byteOffset"`
		ByteLength gltfInt `json:"byteLength"`
		ByteStride gltfInt `json:"byteStride"`
		Count      gltfInt `json:"count"`
		Mode       string  `json:"mode"`
		Filter     string  `json:"filter"`
	}
	gltfAccessor struct {
		BufferView    gltfInt     `json:"bufferView"`
		ByteOffset    gltfInt     `json:"byteOffset"`
		ComponentType gltfInt     `json:"componentType"`
		Count         gltfInt     `json:"count"`
		Normalized    bool        `json:"normalized"`
		Type          string      `json:"type"`
		Sparse        *gltfSparse `json:"sparse"`
	}
	gltfSparse struct {
		Count   gltfInt         `json:"count"`
		Indices gltfSparseArray `json:"indices"`
		Values  gltfSparseArray `json:"values"`
	}
	gltfSparseArray struct {
		BufferView    gltfInt `json:"bufferView"`
		ByteOffset    gltfInt `json:"byteOffset"`
		ComponentType gltfInt `json:"componentType"` // only the type of the indices
	}
	gltfMaterial struct {
		PBR struct {
			BaseColorFactor []float64 `json:"baseColorFactor"`
		} `json:"pbrMetallicRoughness"`
		DoubleSided bool `json:"doubleSided"`
	}
	gltfMesh struct {
		Name       string                  `json:"name"`
		Primitives GLTFList[gltfPrimitive] `json:"primitives"`
	}
	gltfPrimitive struct {
		Attributes struct {
			Position gltfInt `json:"POSITION"`
			Normal   gltfInt `json:"NORMAL"`
		} `json:"attributes"`
		Indices    gltfInt `json:"indices"`
		Material   gltfInt `json:"material"`
		Mode       gltfInt `json:"mode"`
		Extensions struct {
			Draco *gltfDracoMesh `json:"KHR_draco_mesh_compression"` // nil once check knows that it is not needed
		} `json:"extensions"`
	}
	gltfNode struct {
		Name        string            `json:"name"`
		Mesh        gltfInt           `json:"mesh"`
		Children    GLTFList[gltfRef] `json:"children"`
		Matrix      []float64         `json:"matrix"`
		Translation []float64         `json:"translation"`
		Rotation    []float64         `json:"rotation"`
		Scale       []float64         `json:"scale"`
		Extensions  struct {
			Visibility *struct {
				Visible *bool `json:"visible"`
			} `json:"KHR_node_visibility"`
			Instancing *gltfInstancing `json:"EXT_mesh_gpu_instancing"`
		} `json:"extensions"`
	}
	gltfScene struct {
		Nodes GLTFList[gltfRef] `json:"nodes"`
	}
)

// gltfDecode parses the document, after checking that the values will not take far more memory
// than the text.
func gltfDecode(text []byte, budget gltfBudget) *gltfDocument {
	doc := &gltfDocument{}
	gltfUnmarshal(text, budget, map[string]any{
		"asset": &doc.Asset, "extensionsUsed": &doc.ExtensionsUsed, "extensionsRequired": &doc.ExtensionsRequired, "buffers": &doc.Buffers,
		"bufferViews": &doc.BufferViews, "accessors": &doc.Accessors, "materials": &doc.Materials, "meshes": &doc.Meshes,
		"nodes": &doc.Nodes, "scenes": &doc.Scenes, "scene": &doc.Scene,
	})
	for i := range doc.Buffers {
		budget.charge(int64(len(doc.Buffers[i].URI.data)), 1, gltfPlace("buffer", i))
	}
	return doc
}

// gltfUnmarshal decodes members of the document, and charges the memory to the budget.
func gltfUnmarshal(text []byte, budget gltfBudget, members map[string]any) {
	budget.charge(gltfDecodedSize(text), 1, "JSON")
	ok, err := gltfMembers(text, members, func(n int) error { return budget.Work(int64(n)) })
	if bad := (*json.SyntaxError)(nil); !ok || errors.As(err, &bad) {
		err = json.Unmarshal(text, &map[string]gltfNothing{}) // to get the place and the cause
		if err == nil {
			err = errors.New("is not valid glTF")
		}
	}
	if err != nil {
		must.OK(gltfJSONError(text, err))
	}
}

// gltfDecodedSize bounds the memory of the decoded text: a document of empty objects would take
// 80 times its size.
func gltfDecodedSize(text []byte) int64 {
	const objectBytes, elementBytes = 256, 16
	n := int64(0)
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', 'n': // null also makes an object
			n += objectBytes
		case ',', '[':
			n += elementBytes
		case '"':
			i = gltfStringEnd(text, i)
		}
	}
	return n
}

func gltfJSONError(text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return &Error{Place: "JSON", Cause: "the file is empty", Err: err}
	case errors.As(err, &syntax):
		return &Error{Place: fmt.Sprintf("JSON, byte %d", syntax.Offset), Cause: syntax.Error(), Err: err}
	case errors.As(err, &kind):
		place := "JSON"
		if kind.Field != "" {
			place = "JSON, " + CleanName(kind.Field)
		}
		return &Error{Place: place, Cause: fmt.Sprintf("%s where %s is needed", CleanName(kind.Value), gltfKind(kind.Type)), Err: err}
	}
	return &Error{Place: "JSON", Cause: err.Error(), Err: err}
}

// gltfKind returns JSON's name for a type.
func gltfKind(t reflect.Type) string {
	return cmp.Or(map[reflect.Kind]string{
		reflect.Slice: "an array", reflect.Array: "an array", reflect.String: "a string", reflect.Bool: "true or false",
		reflect.Float64: "a finite number", reflect.Int: "a whole number", reflect.Int32: "a whole number",
	}[t.Kind()], "an object")
}
