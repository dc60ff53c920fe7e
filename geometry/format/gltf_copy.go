package format

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// GLTFCopy writes a glTF file again, as GLB or glTF, with everything in it, including what a Scene does not hold:
// further attributes, materials, textures, skins, animations, other scenes, extras. Besides the order of triangles
// and vertices, and the packing of data, only what Notices lists changes.
//
// Its Extension is called with the document while the file is read. Documents of our own writer
// that hold nothing but a Scene are left to that writer.
type GLTFCopy struct {
	// Reorder returns the scene with its triangles, and perhaps its vertices, in another order. It
	// must not change the scene that it is given.
	Reorder func(context.Context, *geometry.Scene) (*geometry.Scene, error)
	// Text selects glTF instead of GLB.
	Text bool
	// Save calls `write` with the writer that the file is written to. If Save is nil, nothing is written.
	Save func(ctx context.Context, write func(io.Writer) error) error

	Saved   bool     // whether Save was called
	Notices []string // parts of the document that could not be kept unchanged
	Holds   []string // contents of the document that a Scene does not hold
}

// Extension is the GLTFExtension that makes the copy; it returns nil for documents that it does
// not write.
func (c *GLTFCopy) Extension(g *GLTF) (func(context.Context, *geometry.Scene) error, error) {
	if g == nil || g.source == nil {
		return nil, errors.New("no document to copy")
	}
	doc, err := g.tree()
	if err != nil {
		return nil, err
	}
	c.Holds = gltfHolds(doc)
	if treeOf(doc["asset"])["generator"] == glbGenerator && len(listOf(doc["textures"])) == 0 {
		c.Holds = slices.DeleteFunc(c.Holds, func(what string) bool { return strings.HasPrefix(what, "materials (") }) // materials of our writer hold only colours
		if len(c.Holds) == 0 {
			return nil, nil
		}
	}
	if c.Save == nil {
		return nil, nil
	}
	extras := slices.ContainsFunc(listOf(doc["buffers"]), func(b any) bool { return treeOf(b)["extras"] != nil })
	delete(doc, "buffers") // frees their embedded data; layViews makes a new buffer
	plan, source := g.plan, g.source
	return func(ctx context.Context, s *geometry.Scene) (err error) {
		defer must.Catch(&err)
		must.OK(s.Validate(ctx))
		w := &gltfRewrite{
			doc: doc, plan: plan, source: source, fresh: map[int][]byte{}, lists: map[int]int{}, moved: map[[2]int]int{},
			dropped: map[string]bool{}, packed: map[string]bool{"EXT_meshopt_compression": true, gltfDraco: true},
		}
		if extras {
			w.notices = append(w.notices, "lost: extras of buffers")
		}
		w.unpackMeshes()
		w.reorder(s, must.Get(c.Reorder(ctx, s)))
		w.embedImages()
		w.dropReplaced()
		w.layViews()
		w.pruneExtensions()
		c.Notices = w.notices
		text := must.Get(json.Marshal(w.doc))
		must.OK(glbFits(w.length + int64(len(text)) + 32))
		c.Saved = true
		container := glbContainer(glbWriteFile)
		if c.Text {
			container = gltfWriteFile
		}
		return c.Save(ctx, func(out io.Writer) error { return container(out, text, w.length, w.write) })
	}, nil
}

// gltfTree is a JSON object of a document, with everything in it.
type gltfTree = map[string]any

// tree decodes the whole document. Numbers keep their spelling.
func (g *GLTF) tree() (doc gltfTree, err error) {
	defer must.Catch(&err)
	const grown = 4 // decoded maps and interfaces take this many times the text
	g.source.budget.charge(gltfDecodedSize(g.text), grown, "JSON")
	g.source.budget.charge(int64(len(g.text)), 1, "JSON")
	d := json.NewDecoder(bytes.NewReader(g.text))
	d.UseNumber()
	err = d.Decode(&doc)
	return doc, err
}

func treeOf(v any) gltfTree { t, _ := v.(gltfTree); return t }
func listOf(v any) []any    { l, _ := v.([]any); return l }

// numberOf returns a value of the document as an index; false if the value is no whole number.
func numberOf(v any) (int, bool) {
	switch n := v.(type) {
	case json.Number:
		i, err := n.Int64()
		return int(i), err == nil
	case int:
		return n, true
	}
	return 0, false
}

// eachPrimitive calls `do` for every primitive of a document.
func eachPrimitive(doc gltfTree, do func(primitive gltfTree)) {
	for _, mesh := range listOf(doc["meshes"]) {
		for _, p := range listOf(treeOf(mesh)["primitives"]) {
			do(treeOf(p))
		}
	}
}

// HoldsAttributes begins the element of GLTFCopy.Holds that lists further attributes. Readers of Formats.Looks keep these.
const HoldsAttributes = "attributes "

// gltfHolds lists the contents of a document that a Scene does not hold.
func gltfHolds(doc gltfTree) (list []string) {
	further, targets := map[string]bool{}, false
	eachPrimitive(doc, func(p gltfTree) {
		for name := range treeOf(p["attributes"]) {
			further[CleanName(name)] = true
		}
		targets = targets || len(listOf(p["targets"])) > 0
	})
	delete(further, "POSITION")
	delete(further, "NORMAL")
	if len(further) > 0 {
		list = append(list, HoldsAttributes+strings.Join(slices.Sorted(maps.Keys(further)), " "))
	}
	for _, name := range []string{"materials", "textures", "skins", "animations", "cameras"} {
		if n := len(listOf(doc[name])); n > 0 {
			list = append(list, fmt.Sprintf("%s (%d)", name, n))
		}
	}
	if targets {
		list = append(list, "morph targets")
	}
	if n := len(listOf(doc["scenes"])); n > 1 {
		list = append(list, fmt.Sprintf("scenes beside the first shown (%d)", n-1))
	}
	return list
}

// gltfReferences are the extensions, besides gltfExtensions, whose references to buffer views
// eachView finds. A document with any other extension keeps all of its views and their numbers.
var gltfReferences = map[string]bool{
	"CESIUM_primitive_outline": true, "EXT_feature_metadata": true, "EXT_instance_features": true, "EXT_mesh_features": true,
	"EXT_mesh_gpu_instancing": true, "EXT_structural_metadata": true, "FB_ngon_encoding": true, "KHR_meshopt_compression": true, "MSFT_lod": true,
}

// gltfNamesView reports whether a field may refer to a buffer view. `extension` names the extension
// that contains the field; "" if none does.
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

// eachObject calls `do` for every object of a document, ordered by field names, with the innermost
// extension that contains it. An object that the document contains several times is visited once.
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

// noteExtensions calls `note` with every value in extensions outside gltfExtensions: any number there may refer to
// an accessor.
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

// settleExtensions updates what the extensions of a mesh or primitive with moved triangles refer to,
// or drops the extensions. `outline` makes an accessor with the new numbers of the vertices that an accessor
// lists, and returns its index; it is nil if vertices have not moved.
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
	dropEmptyExtensions(holder)
}

// dropEmptyExtensions removes an object's extensions once none is left.
func dropEmptyExtensions(holder gltfTree) {
	if extensions, has := holder["extensions"].(gltfTree); has && len(extensions) == 0 {
		delete(holder, "extensions")
	}
}

// featureByVertex reports whether the feature IDs of a set are the vertices' numbers.
func featureByVertex(set any) bool {
	t := treeOf(set)
	return t["attribute"] == nil && t["texture"] == nil
}

// movedOutline makes a list of the new numbers of the vertices that an accessor lists, and returns the list's accessor.
// Its cache key is ^vertices: the same accessor may also hold an attribute of the vertices, whose key is `vertices`.
func (w *gltfRewrite) movedOutline(accessor, vertices int, origin []uint32, first uint32) int {
	return w.replace(accessor, ^vertices, func(a *gltfAccessor, place string) int {
		// Files by the extension's authors have signed components, so accept them.
		component, most := a.ComponentType.n, len(origin)
		if component == gltfByte || component == gltfShort {
			most = min(most, 1<<(8*gltfComponentBytes[component]-1))
			component++
		}
		if !gltfUnsigned(component) || a.Type != "SCALAR" || a.Sparse != nil || !a.BufferView.set {
			gltfFail(place, "is not a plain list of vertices")
		}
		w.source.budget.charge(int64(len(origin))+a.Count.n, 4, place)
		number := make([]uint32, len(origin)) // by old number of a vertex: its new number
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

// pruneExtensions adds a notice of the extensions that were dropped. From the document's lists it
// removes dropped and unpacked extensions that no object uses any more.
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
