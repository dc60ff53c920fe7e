package format

import (
	"encoding/binary"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// gltfReferences are the extensions, besides gltfExtensions, whose references to buffer views
// eachView finds. A document with any other extension keeps all of its views and their numbers.
var gltfReferences = map[string]bool{
	"CESIUM_primitive_outline": true,
	"EXT_feature_metadata":     true,
	"EXT_instance_features":    true,
	"EXT_mesh_features":        true,
	"EXT_mesh_gpu_instancing":  true,
	"EXT_structural_metadata":  true,
	"FB_ngon_encoding":         true,
	"KHR_meshopt_compression":  true,
	"MSFT_lod":                 true,
}

// gltfNamesView reports whether a field may refer to a buffer view; extension is the one that it
// is part of, or "".
func gltfNamesView(extension, field string) bool {
	switch field {
	case "bufferView":
		return true
	case "values", "arrayOffsets", "stringOffsets":
		return extension == "EXT_structural_metadata"
	case "arrayOffsetBufferView", "stringOffsetBufferView":
		return extension == "EXT_feature_metadata"
	}
	return false
}

// eachObject calls do once for every object of a document, ordered by field names, with the
// innermost extension that it is part of. Accessors may share an object.
func eachObject(root any, do func(o gltfTree, extension string)) {
	seen := map[uintptr]bool{}
	var walk func(v any, extension string)
	walk = func(v any, extension string) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e, extension)
			}
		case gltfTree:
			if at := reflect.ValueOf(v).Pointer(); seen[at] {
				return
			} else {
				seen[at] = true
			}
			do(v, extension)
			for _, name := range slices.Sorted(maps.Keys(v)) {
				if name != "extensions" {
					walk(v[name], extension)
					continue
				}
				within := treeOf(v[name])
				for _, inner := range slices.Sorted(maps.Keys(within)) {
					walk(within[inner], inner)
				}
			}
		}
	}
	walk(root, "")
}

// noteExtensions calls note for every number of an extension that may refer to an accessor.
func noteExtensions(doc gltfTree, note func(v any)) {
	var all func(v any)
	all = func(v any) {
		for _, e := range listOf(v) {
			all(e)
		}
		note(v)
	}
	eachObject(doc, func(o gltfTree, extension string) {
		if extension != "" && !gltfExtensions[extension] {
			for _, v := range o {
				all(v)
			}
		}
	})
}

// usedExtensions returns the extensions that objects of a document have.
func usedExtensions(doc gltfTree) map[string]bool {
	used := map[string]bool{}
	eachObject(doc, func(o gltfTree, _ string) {
		for name := range treeOf(o["extensions"]) {
			used[name] = true
		}
	})
	return used
}

// settleExtensions keeps true what the extensions of a mesh or a primitive whose triangles have
// moved say of them, or drops them. outline renumbers a list of vertices; it is nil where vertices
// have not moved.
func (w *gltfRewrite) settleExtensions(holder gltfTree, outline func(accessor int) int) {
	extensions := treeOf(holder["extensions"])
	for name, value := range extensions {
		e := treeOf(value)
		switch {
		case gltfExtensions[name] || name == "EXT_structural_metadata":
			continue
		case name == "CESIUM_primitive_outline":
			if i, ok := numberOf(e["indices"]); ok && outline != nil {
				e["indices"] = outline(i)
			}
			continue
		case name == "EXT_mesh_features" && (outline == nil || !slices.ContainsFunc(listOf(e["featureIds"]), featureByVertex)):
			continue
		}
		delete(extensions, name)
		w.dropped[name] = true
	}
	if extensions != nil && len(extensions) == 0 {
		delete(holder, "extensions")
	}
}

// featureByVertex reports whether a set of feature IDs is the vertices' numbers.
func featureByVertex(set any) bool {
	t := treeOf(set)
	return t["attribute"] == nil && t["texture"] == nil
}

// movedOutline returns an accessor with the new numbers of the vertices that one lists. An
// attribute of the same vertices may have the same accessor: see the key.
func (w *gltfRewrite) movedOutline(accessor, vertices int, origin []uint32, first uint32) int {
	return w.replace(accessor, ^vertices, func(a *gltfAccessor, place string) int {
		// Files of the extension's authors have signed components.
		component, most := a.ComponentType.n, len(origin)
		if component == gltfByte || component == gltfShort {
			most = min(most, 1<<(8*gltfComponentBytes[component]-1))
			component++
		}
		if !gltfUnsigned(component) || a.Type != "SCALAR" || a.Sparse != nil || !a.BufferView.set {
			gltfFail(place, "is not a plain list of vertices")
		}
		w.source.budget.charge(int64(len(origin))+a.Count.n, 4, place)
		number := make([]uint32, len(origin)) // by old number
		for v, from := range origin {
			number[from-first] = uint32(v)
		}
		e := w.source.elements(accessor)
		data := make([]byte, 0, 4*e.count)
		for k := range e.count {
			id := gltfIndex(e.data[k*e.stride:], component)
			if int(id) >= most {
				gltfFail(place, "element %d is %d, but there are %d vertices", k, id, len(origin))
			}
			data = binary.LittleEndian.AppendUint32(data, number[id])
		}
		return w.addAccessor(gltfTree{"componentType": gltfUnsignedInt, "count": e.count, "type": "SCALAR"}, data, 0, glbIndexData)
	})
}

// pruneExtensions says which extensions were dropped, and removes names of unused ones.
func (w *gltfRewrite) pruneExtensions() {
	if len(w.dropped) > 0 {
		w.notices = append(w.notices, "dropped, since triangles or vertices have moved: "+CleanName(strings.Join(slices.Sorted(maps.Keys(w.dropped)), ", ")))
	}
	used := usedExtensions(w.doc)
	for _, list := range []string{"extensionsUsed", "extensionsRequired"} {
		names := slices.DeleteFunc(listOf(w.doc[list]), func(value any) bool {
			name, _ := value.(string)
			return (w.dropped[name] || w.packed[name]) && !used[name]
		})
		if w.doc[list] = names; len(names) == 0 {
			delete(w.doc, list)
		}
	}
}
