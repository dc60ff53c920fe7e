package format

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// GLTFExtension reads what glTF documents of one program contain besides geometry. It gets a
// document that has been checked, before its buffers are read, and returns nil for documents of
// other programs. Otherwise finish is called with the scene, which it may change.
type GLTFExtension func(doc *GLTF) (finish func(ctx context.Context, scene *geometry.Scene) error, err error)

// GLTF is a glTF document as an extension sees it.
type GLTF struct {
	text   []byte
	plan   *gltfPlan
	source *gltfSource
}

// GLTFDraw is the origin of one of the scene's draws in the document.
type GLTFDraw struct {
	Name            string // name of the node, or of the mesh if the node has none
	Mesh, Primitive int
}

// Place describes the draw's primitive in errors.
func (d GLTFDraw) Place() string { return gltfPrimitivePlace(d.Mesh, d.Primitive) }

// Pass is Input.Pass.
func (d *GLTF) Pass() string { return d.source.in.Pass }

// Text is the document's JSON. Do not change it.
func (g *GLTF) Text() []byte { return g.text }

// Decode decodes members of the document into the pointers with their names, and charges the
// memory to the budget. Lists that may be long must be of type GLTFList.
func (g *GLTF) Decode(members map[string]any) (err error) {
	defer must.Catch(&err)
	gltfUnmarshal(g.text, g.source.budget, members)
	return nil
}

// Draws lists the origins of the scene's draws, in the scene's order.
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

// Charge charges count elements of size bytes, about to be allocated for place, to the budget. It
// fails if the budget is exceeded.
func (g *GLTF) Charge(count, size int64, place string) (err error) {
	defer must.Catch(&err)
	g.source.budget.charge(count, size, place)
	return nil
}

// Work charges steps of about a nanosecond each, about to be done for place, to the budget. It
// fails if the budget is exceeded or the context of Open ends.
func (g *GLTF) Work(steps int64, place string) (err error) {
	defer must.Catch(&err)
	gltfMust(place, g.source.budget.Work(steps))
	return nil
}

// Bad returns an error about the document.
func (g *GLTF) Bad(place, cause string, args ...any) error { return gltfBad(place, cause, args...) }

// GLTFAccessor describes an array of the document.
type GLTFAccessor struct {
	Type          string // "VEC4"
	ComponentType int64  // 5126 for float
	Count         int64  // number of elements
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

// Vec4 reads an accessor of vectors of four floats that is not sparse. All values must be finite.
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
