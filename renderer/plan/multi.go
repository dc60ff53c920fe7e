package plan

import (
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
)

// A strategy of whole draws (reuse.Strategy.WholeDraws) does not stream: one
// chunk takes all, whatever the queue budget says, and only the device's limits
// refuse it. The table of batches holds those of its triangles, which are the
// chunk's, and behind them those of its vertices. Both queues are exactly as
// large as they must be, so that nothing overflows and no state is kept.

const (
	cornerBytes    = 4 // a place in the vertex queue
	assembleSuffix = "-assemble"
)

// wholeChunk makes the one chunk.
func (p *planner) wholeChunk() {
	s := p.Frame.Scene
	c := Chunk{BatchCount: len(p.Batches), TriangleCount: s.Triangles(), WorstVertices: s.DrawVertices()}
	if p.Frame.Queue == renderer.Expanded {
		c.WorstVertices = 3 * c.TriangleCount
	}
	p.Batches = append(p.Batches, reuse.VertexBatches(s, p.Frame.Reuse)...)
	p.Chunks = []Chunk{c}
	p.VertexCapacity, p.TriangleCapacity = c.WorstVertices, c.TriangleCount
}

// largestBatch is the BATCH that shaders are specialized for. Where the batches
// only deal out work it is no larger than need be: of many small draws, an
// invocation then has fewer indices to take turns with.
func (p *planner) largestBatch() uint32 {
	if !p.Frame.Reuse.Strategy.WholeDraws {
		return uint32(p.Frame.Reuse.Batch)
	}
	most := uint32(3)
	for _, b := range p.Batches[:p.Chunks[0].BatchCount] {
		most = max(most, b.IndexCount)
	}
	return most
}

// wholeDraws is a pass over all vertices and one over all triangles. In the indexed
// form the second needs nothing of the first, and a GPU may overlap them.
func (p *planner) wholeDraws(t target) []step {
	f := &p.Frame
	name := f.Reuse.Strategy.Name
	spec := p.geometrySpec(t, 1)
	triangles, vertices := p.push(0), p.push(0)
	vertices.FirstBatch, vertices.BatchCount = triangles.BatchCount, uint32(len(p.Batches))-triangles.BatchCount
	positions, attributes, assembled, shader := VertexPositions, VertexAttributes, []Block{Corners}, "queue/assemble"
	reads := []Block{Indices, Draws, Batches}
	if f.Queue == renderer.Expanded {
		assembled, shader = []Block{positions, attributes}, "geometry/"+name+"-expand"
		positions, attributes = ScratchPositions, ScratchAttributes
		reads = append(reads, positions, attributes)
	}
	writes := []Block{positions, attributes}
	if p.counting(t) && !f.Cull {
		writes = append(writes, Counts)
	}
	shaded, needed := p.variantOf("geometry/"+name, []Block{Positions, Normals, Draws, Batches, Cameras, Clips, Skin, Bones})
	shade := p.dispatch(t, t.stage("geometry", name), shaded, spec, p.groups(int(vertices.BatchCount)), touched{
		reads: needed, writes: writes,
	})
	shade.Op.(*Dispatch).Push = vertices
	shader, reads = p.variantOf(shader, reads)
	assemble := p.dispatch(t, t.stage("geometry", name+assembleSuffix), shader, spec, p.groups(int(triangles.BatchCount)), touched{
		reads: reads, writes: assembled,
	})
	return []step{{shade}, {assemble}}
}

// Cornered says whether the triangle queue names three vertices per triangle, in place
// of records. Whole draws need it, since slots cannot number them. The graphics
// pipeline takes it as its index buffer.
func (p *Plan) Cornered() bool {
	f := &p.Frame
	return f.Reuse.Strategy != nil && f.Queue == renderer.Indexed && (f.Reuse.Strategy.WholeDraws || !f.NoRaster && f.Raster == renderer.HardwareRaster)
}

// triangleBytes is the bytes of a triangle in the queue.
func (p *Plan) triangleBytes() int64 {
	switch {
	case p.Frame.Queue == renderer.Expanded:
		return 0
	case p.Cornered():
		return 3 * cornerBytes
	}
	return recordBytes
}

// corners is how many places of vertices the triangle queue holds.
func (p *planner) corners() int {
	if !p.Cornered() {
		return 0
	}
	return 3 * p.TriangleCapacity
}

// scratch is the vertices that await assembly: those of the expanded form.
func (p *planner) scratch() (positions, attributes int) {
	if p.Frame.Queue != renderer.Expanded {
		return 0, 0
	}
	positions = p.Frame.Scene.DrawVertices()
	if p.hasAttributes() {
		attributes = positions
	}
	return positions, attributes
}
