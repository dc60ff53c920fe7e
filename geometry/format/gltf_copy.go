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

// GLTFCopy writes glTF files again as GLB with all that they hold, also what a Scene does
// not: further attributes, materials, textures, skins, animations, other scenes, extras.
// Only the order of triangles and vertices may change.
//
// Its Extension is called with a document while the file is read. Documents of our own
// writer hold nothing but a Scene, and are left to it.
type GLTFCopy struct {
	// Reorder returns the scene with its triangles, or vertices too, in another order; the
	// scene itself keeps everything as it is.
	Reorder func(context.Context, *geometry.Scene) (*geometry.Scene, error)
	// Save has write write the file. Without it nothing is written.
	Save func(ctx context.Context, write func(io.Writer) error) error

	Saved   bool     // Save has written a document
	Notices []string // what of it could not be kept as it was
	Holds   []string // what the document holds and a Scene does not
}

// Extension is the copy as an extension of the reader; nil for documents that it does not
// write.
func (c *GLTFCopy) Extension(g *GLTF) (func(context.Context, *geometry.Scene) error, error) {
	doc, err := g.tree()
	if err != nil {
		return nil, err
	}
	if treeOf(doc["asset"])["generator"] == glbGenerator {
		return nil, nil
	}
	if c.Holds = gltfHolds(doc); c.Save == nil {
		return nil, nil
	}
	plan, source := g.plan, g.source
	return func(ctx context.Context, s *geometry.Scene) (err error) {
		defer must.Catch(&err)
		must.OK(s.Validate(ctx))
		w := &gltfRewrite{doc: doc, plan: plan, source: source, fresh: map[int][]byte{}, lists: map[int]int{}, moved: map[[2]int]int{}}
		w.reorder(s, must.Get(c.Reorder(ctx, s)))
		w.embedImages()
		w.dropReplaced()
		w.layViews()
		c.Notices = w.notices
		text := must.Get(json.Marshal(w.doc))
		must.OK(glbFits(w.length + int64(len(text)) + 32))
		c.Saved = true
		return c.Save(ctx, func(out io.Writer) error { return glbWriteFile(out, text, w.length, w.write) })
	}, nil
}

// gltfTree is an object of a document, with everything in it.
type gltfTree = map[string]any

// tree decodes the whole document. Numbers keep their spelling.
func (g *GLTF) tree() (doc gltfTree, err error) {
	defer must.Catch(&err)
	const grown = 4 // maps and interfaces in place of structs
	g.source.budget.charge(gltfDecodedSize(g.text), grown, "JSON")
	g.source.budget.charge(int64(len(g.text)), 1, "JSON")
	d := json.NewDecoder(bytes.NewReader(g.text))
	d.UseNumber()
	err = d.Decode(&doc)
	delete(doc, "buffers") // with what is embedded in them: they are laid out anew
	return doc, err
}

func treeOf(v any) gltfTree { t, _ := v.(gltfTree); return t }

func listOf(v any) []any { l, _ := v.([]any); return l }

// numberOf is an index that a document names; false where it is none.
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

// gltfHolds names what a document holds and a Scene does not.
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
		list = append(list, "attributes "+strings.Join(names, " "))
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
