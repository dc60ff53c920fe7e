package format

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// GLTFCopy writes a glTF file again as GLB with everything in it, including what a Scene does not
// hold: further attributes, materials, textures, skins, animations, other scenes, extras. Only
// the order of triangles and vertices may change.
//
// Its Extension is called with the document while the file is read. Documents of our own writer
// that hold nothing but a Scene are left to that writer.
type GLTFCopy struct {
	// Reorder returns the scene with its triangles, and perhaps its vertices, in another order. It
	// must not change the scene that it is given.
	Reorder func(context.Context, *geometry.Scene) (*geometry.Scene, error)
	// Text makes write write glTF instead of GLB.
	Text bool
	// Save calls write to write the file. If Save is nil, nothing is written.
	Save func(ctx context.Context, write func(io.Writer) error) error

	Saved   bool     // whether Save has written a document
	Notices []string // parts of the document that could not be kept unchanged
	Holds   []string // contents of the document that a Scene does not hold
}

// Extension is the GLTFExtension that makes the copy; it returns nil for documents that it does
// not write.
func (c *GLTFCopy) Extension(g *GLTF) (func(context.Context, *geometry.Scene) error, error) {
	doc, err := g.tree()
	if err != nil {
		return nil, err
	}
	c.Holds = gltfHolds(doc)
	if treeOf(doc["asset"])["generator"] == glbGenerator && len(listOf(doc["textures"])) == 0 {
		c.Holds = slices.DeleteFunc(c.Holds, func(what string) bool { return strings.HasPrefix(what, "materials (") }) // only colours
		if len(c.Holds) == 0 {
			return nil, nil
		}
	}
	if c.Save == nil {
		return nil, nil
	}
	extras := slices.ContainsFunc(listOf(doc["buffers"]), func(b any) bool { return treeOf(b)["extras"] != nil })
	delete(doc, "buffers") // with their embedded data; layViews makes a new one
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

func listOf(v any) []any { l, _ := v.([]any); return l }

// numberOf returns an index in the document; false if it is not one.
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

// eachPrimitive calls do for every primitive of a document.
func eachPrimitive(doc gltfTree, do func(primitive gltfTree)) {
	for _, mesh := range listOf(doc["meshes"]) {
		for _, p := range listOf(treeOf(mesh)["primitives"]) {
			do(treeOf(p))
		}
	}
}

// HoldsAttributes begins the element of GLTFCopy.Holds about attributes, which Formats.Looks reads.
const HoldsAttributes = "attributes "

// gltfHolds lists the contents of a document that a Scene does not hold.
func gltfHolds(doc gltfTree) (list []string) {
	attributes, targets := map[string]bool{}, false
	eachPrimitive(doc, func(p gltfTree) {
		for name := range treeOf(p["attributes"]) {
			attributes[name] = name != "POSITION" && name != "NORMAL"
		}
		targets = targets || len(listOf(p["targets"])) > 0
	})
	var names []string
	for name, further := range attributes {
		if further {
			names = append(names, CleanName(name))
		}
	}
	slices.Sort(names)
	if len(names) > 0 {
		list = append(list, HoldsAttributes+strings.Join(names, " "))
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
