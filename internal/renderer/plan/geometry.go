package plan

import (
	"maps"

	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// geometryName is the name of the pass that shades.
func (p *planner) geometryName() string { return "geometry:" + p.Frame.Reuse.Strategy.Name }

// stage returns the name of a pass of the geometry stage: stage:name, or count:name in a round that only counts.
func (t target) stage(stage, name string) string {
	if t.ahead {
		stage = "count"
	}
	return stage + ":" + name
}

// shadingBlocks are the blocks through which a pass finds and reads the vertices to shade.
var shadingBlocks = []Block{Positions, Normals, Indices, Draws, Batches, Cameras, Clips, Skin, Bones}

// strategyBlocks returns the blocks that a strategy over batches reads. Meshlets, if the strategy
// has them, replace the indices.
func (p *planner) strategyBlocks() []Block {
	if p.Meshlets.Table == nil {
		return shadingBlocks
	}
	return append(except(shadingBlocks, Indices), Meshlets, MeshletWords)
}

// geometrySpec returns the specialization of a geometry pass, with the constants of all
// strategies.
func (p *planner) geometrySpec(t target, subgroups int) map[string]uint32 {
	f := &p.Frame
	spec := p.kernel.Spec(p.largestBatch(), subgroups)
	maps.Copy(spec, map[string]uint32{
		"VIEW": shadedView(f), "QUEUE": uint32(f.Queue), "LOAD": uint32(f.Load),
		"CORNERS": flag(p.Cornered()), "EVEN": flag(p.plugs.sink.even(p, t.chunk)),
	})
	p.cullSpec(t, spec)
	return p.vertexSpec(spec)
}

// shadedView returns the constant VIEW for a pass that shades attributes. The Shaded and the Counts view
// have the same attributes, so they get the same value and share a pipeline.
func shadedView(f *renderer.Frame) uint32 {
	if f.View == renderer.Shaded {
		return uint32(renderer.Counts)
	}
	return uint32(f.View)
}

// placedView returns the constant VIEW for a pass that shades no attributes, but may store a vertex's batch.
func placedView(f *renderer.Frame) uint32 {
	if f.View == renderer.Batches {
		return uint32(renderer.Batches)
	}
	return uint32(renderer.Counts)
}

// largestBatch returns the constant BATCH of the shaders: the most indices of a batch.
func (p *planner) largestBatch() uint32 { return p.plugs.sink.batch(p) }

// Cornered reports whether the triangle queue has three vertex numbers per triangle (Corners) instead
// of a record (Triangles).
func (p *Plan) Cornered() bool {
	x := p.parts()
	k := x.sink.about()
	return p.Frame.Queue == renderer.Indexed && k.corners && (k.always || x.raster.about().corners)
}

func (p *Plan) triangleBytes() int64 {
	switch {
	case p.Frame.Queue == renderer.Expanded:
		return 0
	case p.Cornered():
		return 3 * cornerBytes
	}
	return recordBytes
}

// hasAttributes reports whether the vertex queue holds attributes: HAS_ATTRIBUTES in the shaders.
func (p *Plan) hasAttributes() bool {
	f := &p.Frame
	return f.View != renderer.NoView || p.parts().shade.outputs() != shaders.OutputsNone || p.placesOnly()
}

// AttributeCount returns the number of elements of VertexAttributes.
func (p *Plan) AttributeCount() int {
	if p.hasAttributes() {
		return p.VertexCapacity
	}
	return 0
}
