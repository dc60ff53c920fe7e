package plan

import (
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
)

// drawsSink fills the queues with whole draws (reuse.Strategy.WholeDraws). One
// chunk takes the whole scene, regardless of the queue budget; only the device's limits can refuse it.
// The table of batches holds the chunk's batches of triangles, followed by its batches of vertices. Both
// queues have exactly the size needed, so nothing overflows, and the sink's passes do not write QueueStates.
type drawsSink struct{ queueSink }

const assembleSuffix = "-assemble"

// toDraws names a triangle's vertices by number for every rasterizer, since the 10-bit slots of
// triangle records cannot number the vertices of whole draws.
var toDraws = drawsSink{queueSink{kept{name: "draws", batchless: "whole draws are shaded", turns: true, corners: true, always: true,
	buffers: func(vertices, triangles int64) []int64 {
		return []int64{positionBytes * vertices, attributeBytes * vertices, 3 * cornerBytes * triangles}
	}}}}

func (drawsSink) cutAll(p *planner) error {
	s := p.Frame.Scene
	c := Chunk{BatchCount: len(p.Batches), TriangleCount: s.Triangles(), WorstVertices: s.DrawVertices()}
	if p.Frame.Queue == renderer.Expanded {
		c.WorstVertices = 3 * c.TriangleCount
	}
	p.Batches = append(p.Batches, reuse.VertexBatches(s, p.Frame.Reuse)...)
	p.Chunks = []Chunk{c}
	p.VertexCapacity, p.TriangleCapacity = c.WorstVertices, c.TriangleCount
	return nil
}

// batch returns the number of indices of the largest batch of triangles. It is less than the strategy
// allows if all draws are small; each invocation then processes fewer indices. That is possible since
// batches only distribute the work here.
func (drawsSink) batch(p *planner) uint32 {
	most := uint32(3)
	for _, b := range p.Batches[:p.Chunks[0].BatchCount] {
		most = max(most, b.IndexCount)
	}
	return most
}

// even returns false: shaders cannot compute the batches of a chunk from its first one, since that is a batch of
// triangles and the chunk also has batches of vertices.
func (drawsSink) even(*planner, int) bool { return false }

func (s drawsSink) buffers(p *planner) {
	geometry := p.geometryName()
	assembly, positions, attributes := geometry+assembleSuffix, 0, 0
	vertices := geometry
	if p.Frame.Queue == renderer.Expanded {
		vertices, positions = assembly, p.Frame.Scene.DrawVertices() // vertices that wait for assembly
		if p.hasAttributes() {
			attributes = positions
		}
	}
	p.queueBuffers(vertices)
	p.add(ScratchPositions, ByPasses, geometry, "vec4 posClip", positions, positionBytes)
	p.add(ScratchAttributes, ByPasses, geometry, "uint2 attributes", attributes, attributeBytes)
	p.cornerBuffer(assembly)
}

// passes returns one pass over all vertices and one over all triangles. In the indexed form the
// second needs nothing from the first, and a GPU may overlap them.
func (drawsSink) passes(p *planner, t target) []step {
	name := p.Frame.Reuse.Strategy.Name
	spec := p.geometrySpec(t, 1)
	triangles, vertices := p.push(0), p.push(0)
	vertices.FirstBatch, vertices.BatchCount = triangles.BatchCount, uint32(len(p.Batches))-triangles.BatchCount
	positions, attributes, assembled, shader := VertexPositions, VertexAttributes, []Block{Corners}, "queue/assemble"
	reads := []Block{Indices, Draws, Batches}
	if p.Frame.Queue == renderer.Expanded {
		assembled, shader = []Block{positions, attributes}, "geometry/"+name+"-expand"
		positions, attributes = ScratchPositions, ScratchAttributes
		reads = append(reads, positions, attributes)
	}
	shade := p.shadingPass(t, t.stage("geometry", name), "geometry/"+name, spec, p.groups(int(vertices.BatchCount)), touched{
		reads: except(shadingBlocks, Indices), writes: p.withCounts(t, positions, attributes),
	})
	shade.Op.(*Dispatch).Push = vertices
	assemble := p.shadingPass(t, t.stage("geometry", name+assembleSuffix), shader, spec, p.groups(int(triangles.BatchCount)), touched{
		reads: reads, writes: assembled,
	})
	return append([]step{{shade}, {assemble}}, p.cullPasses(t)...)
}

// written counts each vertex, in the expanded form, as written once, then read and written again for each corner.
func (s drawsSink) written(p *Plan, shaded, triangles int64) int64 {
	if p.Frame.Queue == renderer.Expanded {
		return (shaded + 6*triangles) * int64(p.vertexBytes())
	}
	return s.queueSink.written(p, shaded, triangles)
}

func (drawsSink) sample(s *geometry.Scene, _ reuse.Config) sample {
	share := float64(s.DrawVertices()) / float64(s.IndexStreamLen())
	return sample{share, share, 1}
}
