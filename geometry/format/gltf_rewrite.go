package format

import (
	"fmt"
	"io"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// gltfRewrite is a document that is being rewritten. Changed data gets a new view; views that are
// no longer used are left out.
type gltfRewrite struct {
	doc     gltfTree
	plan    *gltfPlan
	source  *gltfSource
	fresh   map[int][]byte  // contents of new views, by view
	lists   map[int]int     // new index accessors, by index range of the plan
	moved   map[[2]int]int  // new attribute accessors, by accessor and vertex range of the plan
	dropped map[string]bool // extensions that were dropped from a primitive or mesh
	packed  map[string]bool // extensions of buffer views that were unpacked
	parts   [][]byte        // pieces of the new buffer, in order
	length  int64
	notices []string
}

// reorder gives every drawn primitive the triangles and vertices of its draw in `after`. The scene
// `after` is `before` with triangles and vertices in a new order.
func (w *gltfRewrite) reorder(before, after *geometry.Scene) {
	draw, done := 0, map[[2]int]bool{}
	for _, inst := range w.plan.instances {
		mesh := treeOf(listOf(w.doc["meshes"])[inst.mesh])
		primitives := listOf(mesh["primitives"])
		for _, part := range w.plan.partsOf(&inst) {
			if key := [2]int{inst.mesh, part.number}; !done[key] {
				done[key] = true
				if w.reorderPart(treeOf(primitives[part.number]), part, draw, before, after) {
					w.settleExtensions(mesh, nil)
				}
			}
			draw++
		}
	}
}

// reorderPart reorders one primitive. It reports whether triangles or vertices have moved.
func (w *gltfRewrite) reorderPart(primitive gltfTree, part gltfPart, draw int, before, after *geometry.Scene) bool {
	var outline func(accessor int) int
	if after.Origin != nil {
		v := &w.plan.vertices[part.vertex]
		origin, first := after.Origin[v.first:][:v.count], uint32(v.first)
		if w.moveVertices(primitive, part.vertex, origin, first) {
			outline = func(accessor int) int { return w.movedOutline(accessor, part.vertex, origin, first) }
		}
	}
	indices := after.DrawIndices(draw)
	still := slices.Equal(indices, before.DrawIndices(draw))
	if outline != nil || !still {
		w.settleExtensions(primitive, outline)
	}
	if still {
		return outline != nil
	}
	at, known := w.lists[part.index]
	if !known {
		w.source.budget.charge(int64(len(indices)), 4, "indices")
		data, component, size := make([]byte, 0, 4*len(indices)), gltfUnsignedInt, 4
		if w.plan.vertices[part.vertex].count <= math.MaxUint16 {
			component, size = gltfUnsignedShort, 2
		}
		for _, id := range indices {
			data = appendIndex(data, id, size)
		}
		at = w.addAccessor(gltfTree{"componentType": component, "count": len(indices), "type": "SCALAR"}, data, 0, glbIndexData)
		w.lists[part.index] = at
	}
	primitive["indices"] = at
	delete(primitive, "mode") // now a triangle list, even if it was a strip
	return true
}

// moveVertices permutes every attribute of a primitive, including those of its morph targets.
// `origin` holds each vertex's old number in the pool; the vertex range begins at `first`. It
// returns false if no vertex has moved.
func (w *gltfRewrite) moveVertices(primitive gltfTree, vertices int, origin []uint32, first uint32) bool {
	still := true
	for v, from := range origin {
		still = still && from == first+uint32(v)
	}
	if still {
		return false
	}
	sets := []gltfTree{treeOf(primitive["attributes"])}
	for _, target := range listOf(primitive["targets"]) {
		sets = append(sets, treeOf(target))
	}
	for _, set := range sets {
		for _, name := range slices.Sorted(maps.Keys(set)) {
			if accessor, ok := numberOf(set[name]); ok {
				set[name] = w.movedAccessor(accessor, vertices, origin, first)
			}
		}
	}
	return true
}

// replace returns the new accessor for an old accessor and a vertex range of the plan. It calls
// `make` once for each such pair, and remembers the result.
func (w *gltfRewrite) replace(accessor, vertices int, make func(a *gltfAccessor, place string) int) int {
	key := [2]int{accessor, vertices}
	at, known := w.moved[key]
	if !known {
		place := gltfPlace("accessor", accessor)
		if accessor < 0 || accessor >= len(w.source.doc.Accessors) {
			gltfFail(place, "does not exist: the document has %d", len(w.source.doc.Accessors))
		}
		at = make(&w.source.doc.Accessors[accessor], place)
		w.moved[key] = at
	}
	return at
}

func (w *gltfRewrite) movedAccessor(accessor, vertices int, origin []uint32, first uint32) int {
	return w.replace(accessor, vertices, func(a *gltfAccessor, place string) int {
		if a.Count.n != int64(len(origin)) {
			gltfFail(place, "has %d elements for %d vertices", a.Count.n, len(origin))
		}
		size := int(gltfElementBytes(a.Type, a.ComponentType.n))
		stride := (size + 3) &^ 3 // the specification asks attributes to be aligned
		w.source.budget.charge(int64(len(origin)), int64(2*stride), place)
		whole := make([]byte, len(origin)*stride)
		w.source.each(progress.Silent(w.source.ctx), accessor, func(k int, value []byte) { copy(whole[k*stride:], value[:size]) })
		data := make([]byte, len(whole))
		for k, from := range origin {
			copy(data[k*stride:][:stride], whole[int(from-first)*stride:])
		}
		fresh := maps.Clone(treeOf(listOf(w.doc["accessors"])[accessor]))
		delete(fresh, "byteOffset")
		delete(fresh, "sparse")
		return w.addAccessor(fresh, data, stride, glbVertexData)
	})
}

// addAccessor adds an accessor with its own view.
func (w *gltfRewrite) addAccessor(accessor gltfTree, data []byte, stride, target int) int {
	accessor["bufferView"] = w.addView(data, stride, target)
	list := append(listOf(w.doc["accessors"]), accessor)
	w.doc["accessors"] = list
	return len(list) - 1
}

func (w *gltfRewrite) addView(data []byte, stride, target int) int {
	view := viewTree(int64(len(data)), stride, target)
	list := append(listOf(w.doc["bufferViews"]), view)
	w.doc["bufferViews"], w.fresh[len(list)-1] = list, data
	return len(list) - 1
}

// viewTree describes a view of the first buffer; stride and target are 0 if the view has none.
func viewTree(length int64, stride, target int) gltfTree {
	view := gltfTree{"buffer": 0, "byteLength": length}
	if stride > 0 {
		view["byteStride"] = stride
	}
	if target > 0 {
		view["target"] = target
	}
	return view
}

// gltfImages are the media types of the images that a GLB can hold, by file extension.
var gltfImages = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp", ".ktx2": "image/ktx2", ".avif": "image/avif", ".dds": "image/vnd-ms.dds",
}

// embedImages embeds images that are files beside the document. References to files that cannot
// be read stay as they are.
func (w *gltfRewrite) embedImages() {
	var first error
	missing := 0
	for _, value := range listOf(w.doc["images"]) {
		img := treeOf(value)
		uri, beside := img["uri"].(string)
		if !beside || strings.HasPrefix(uri, "data:") {
			continue
		}
		data, kind, err := w.readImage(uri)
		if err != nil {
			if missing++; first == nil {
				first = err
			}
			continue
		}
		delete(img, "uri")
		img["mimeType"], img["bufferView"] = kind, w.addView(data, 0, 0)
	}
	if missing > 0 {
		w.notices = append(w.notices, fmt.Sprintf("images that stay files beside it, since they cannot be read: %d, the first: %v", missing, first))
	}
}

func (w *gltfRewrite) readImage(uri string) (data []byte, kind string, err error) {
	name, err := gltfPath(uri)
	if err != nil {
		return nil, "", err
	}
	kind, known := gltfImages[strings.ToLower(path.Ext(name))]
	switch {
	case !known:
		return nil, "", fmt.Errorf("%s: not of a known kind", CleanName(name))
	case w.source.in.Sibling == nil:
		return nil, "", fmt.Errorf("%s: cannot be reached from here", CleanName(name))
	}
	file, size, err := w.source.in.Sibling(name)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	w.source.budget.Beside(size)
	w.source.budget.charge(size, 1, "images")
	data, err = gltfReadBytes(file, size, size)
	return data, kind, err
}

// dropReplaced overwrites accessors that nothing refers to any more with their replacements, so that
// the old bytes need not be kept.
func (w *gltfRewrite) dropReplaced() {
	used := map[int]bool{}
	note := func(v any) {
		if i, ok := numberOf(v); ok {
			used[i] = true
		}
	}
	eachPrimitive(w.doc, func(p gltfTree) {
		note(p["indices"])
		for _, set := range append(listOf(p["targets"]), p["attributes"]) {
			for _, v := range treeOf(set) {
				note(v)
			}
		}
	})
	noteExtensions(w.doc, note)
	for _, skin := range listOf(w.doc["skins"]) {
		note(treeOf(skin)["inverseBindMatrices"])
	}
	for _, animation := range listOf(w.doc["animations"]) {
		for _, sampler := range listOf(treeOf(animation)["samplers"]) {
			note(treeOf(sampler)["input"])
			note(treeOf(sampler)["output"])
		}
	}
	accessors := listOf(w.doc["accessors"])
	replace := func(old, at int) { // of several replacements the first is taken, so that the same input always gives the same output
		if old >= 0 && !used[old] {
			used[old], accessors[old] = true, accessors[at]
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(w.moved), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }) {
		replace(key[0], w.moved[key])
	}
	for _, index := range slices.Sorted(maps.Keys(w.lists)) {
		replace(w.plan.indices[index].accessor, w.lists[index])
	}
}

// layViews puts the views that are still used into one buffer, one after another, and renumbers
// them. If an extension may refer to views in a way that we do not know, all views keep their
// numbers. Compressed views are unpacked.
func (w *gltfRewrite) layViews() {
	old, number := listOf(w.doc["bufferViews"]), map[int]int{}
	var kept []any
	keep := func(i int) int {
		if i < 0 || i >= len(old) {
			gltfFail("bufferView", "%d does not exist: the document has %d", i, len(old))
		}
		if _, known := number[i]; !known {
			view := treeOf(old[i])
			data, fresh := w.fresh[i]
			if !fresh {
				data = w.source.view(int64(i))
			}
			gltfMust(gltfPlace("bufferView", i), w.source.budget.Work(int64(len(data)))) // overlapping views could copy the same bytes many times
			w.unpack(view)
			view["buffer"], view["byteOffset"], view["byteLength"] = 0, w.length, len(data)
			w.parts = append(w.parts, data, make([]byte, -len(data)&3))
			w.length += int64((len(data) + 3) &^ 3)
			number[i] = len(kept)
			kept = append(kept, view)
		}
		return number[i]
	}
	for name := range usedExtensions(w.doc) {
		if !gltfExtensions[name] && !gltfReferences[name] {
			for i := range old {
				keep(i)
			}
		}
	}
	eachObject(w.doc, func(o gltfTree, extension string) {
		for _, name := range slices.Sorted(maps.Keys(o)) {
			if i, ok := numberOf(o[name]); ok && gltfNamesView(extension, name) {
				o[name] = keep(i)
			}
		}
	})
	delete(w.doc, "bufferViews")
	if len(kept) > 0 {
		w.doc["bufferViews"], w.doc["buffers"] = kept, []any{gltfTree{"byteLength": w.length}}
	}
}

// unpack removes extensions that say how a view's bytes are packed in another buffer.
func (w *gltfRewrite) unpack(view gltfTree) {
	extensions := treeOf(view["extensions"])
	for name, e := range extensions {
		if _, names := treeOf(e)["buffer"]; names {
			delete(extensions, name)
			w.packed[name] = true
		}
	}
	dropEmptyExtensions(view)
}

func (w *gltfRewrite) write(out io.Writer) (err error) {
	defer must.Catch(&err)
	for _, part := range w.parts {
		must.Get(out.Write(part))
	}
	return nil
}
