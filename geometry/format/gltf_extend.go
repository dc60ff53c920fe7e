package format

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// GLTFExtension reads what glTF documents of one program hold beside the
// geometry. It sees a document that has been checked, before its buffers are read,
// and returns nil for documents of other programs. Else what it returns is called
// with the scene, which it may change as it likes.
type GLTFExtension func(doc *GLTF) (finish func(ctx context.Context, scene *geometry.Scene) error, err error)

// GLTF is a glTF document as an extension sees it.
type GLTF struct {
	text   []byte
	plan   *gltfPlan
	source *gltfSource
}

// GLTFDraw is where a draw of the scene comes from in the document.
type GLTFDraw struct {
	Name            string // of the node, else of the mesh
	Mesh, Primitive int
}

// Place names the draw's primitive, for errors.
func (d GLTFDraw) Place() string { return gltfPrimitivePlace(d.Mesh, d.Primitive) }

// Text is the document's JSON. It must not be changed.
func (g *GLTF) Text() []byte { return g.text }

// Decode decodes members of the document, each to where a pointer of its name points, and
// books the memory that takes. Lists that may be long are of type GLTFList.
func (g *GLTF) Decode(members map[string]any) (err error) {
	defer must.Catch(&err)
	gltfUnmarshal(g.text, g.source.budget, members)
	return nil
}

// Draws lists where the scene's draws come from, in their order.
func (g *GLTF) Draws() (draws []GLTFDraw, err error) {
	defer must.Catch(&err)
	const drawBytes = 32
	g.source.budget.charge(g.plan.drawCount, drawBytes, "draws")
	draws = make([]GLTFDraw, 0, g.plan.drawCount)
	for _, inst := range g.plan.instances {
		for _, part := range g.plan.parts[inst.mesh] {
			draws = append(draws, GLTFDraw{Name: inst.drawName(), Mesh: inst.mesh, Primitive: part.number})
		}
	}
	return draws, nil
}

// Charge books count elements of size bytes that are about to be allocated for
// place, or refuses.
func (g *GLTF) Charge(count, size int64, place string) (err error) {
	defer must.Catch(&err)
	g.source.budget.charge(count, size, place)
	return nil
}

// Work books steps of about a nanosecond each that are about to be done for place, or
// refuses. It fails when the context of Open ends.
func (g *GLTF) Work(steps int64, place string) (err error) {
	defer must.Catch(&err)
	gltfMust(place, g.source.budget.Work(steps))
	return nil
}

// Bad is an error about the document.
func (g *GLTF) Bad(place, cause string, args ...any) error { return gltfBad(place, cause, args...) }

// GLTFAccessor describes an array of the document.
type GLTFAccessor struct {
	Type          string // "VEC4"
	ComponentType int64  // 5126 for float
	Count         int64  // elements
	Sparse        bool
}

// Accessors lists the arrays of the document.
func (g *GLTF) Accessors() []GLTFAccessor {
	list := make([]GLTFAccessor, len(g.plan.doc.Accessors))
	for i := range list {
		a := &g.plan.doc.Accessors[i]
		list[i] = GLTFAccessor{a.Type, a.ComponentType.n, a.Count.n, a.Sparse != nil}
	}
	return list
}

// Vec4 reads an accessor of vectors of four floats that is not sparse. It refuses
// what is not finite.
func (g *GLTF) Vec4(accessor int) (out [][4]float32, err error) {
	defer must.Catch(&err)
	s, place := g.source, gltfPlace("accessor", accessor)
	e := s.elements(accessor)
	s.budget.charge(int64(e.count), 16, place)
	defer s.budget.Free(16 * int64(e.count))
	out = make([][4]float32, e.count)
	for k := range out {
		if e.data == nil {
			break // all are zero
		}
		p := e.data[k*e.stride:]
		for c := range out[k] {
			out[k][c] = math.Float32frombits(binary.LittleEndian.Uint32(p[4*c:]))
		}
		if !gltfFinite(out[k][:]) {
			gltfFail(place, "element %d is not finite: %v", k, out[k])
		}
	}
	return out, nil
}
