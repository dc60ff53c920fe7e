package plan

import (
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders"
)

// Culling (Frame.Cull). The geometry pass of a chunk then only places vertices;
// cull:triangles drops the triangles that would show nothing and marks the
// vertices of the others, and cull:shade shades the attributes of those marked.
// Places in the queues stay what they are, so that rasterization knows nothing of
// it: a dropped triangle has one corner three times.

const (
	markBytes = 4 // a place in the vertex queue
	// hardwareSlack is how far a device's rasterizer may place a corner from where
	// ours does, in subpixels of ours.
	hardwareSlack = 1
)

// cullBuffers adds the buffers of culling. The vertex shader binds
// CullCounts in any frame, and all shaders that set triangles up bind RasterTriangles.
func (p *planner) cullBuffers() {
	if !p.Frame.Cull {
		p.add(CullCounts, ByNobody, "cull:triangles", "uint count", 0, 4)
		return
	}
	p.add(CullCounts, ByPasses, "cull:triangles", "uint count", renderer.CullCounts, 4)
	if p.Frame.Fuses() {
		return
	}
	p.add(VertexMarks, ByPasses, "cull:triangles", "uint mark", p.VertexCapacity, markBytes)
	if !p.computes() {
		p.add(RasterTriangles, ByNobody, "no one", "uint triangle", 0, 4)
	}
}

// cullTriangles drops the triangles of a chunk that show nothing. Only a chunk that is
// drawn tallies them.
func (p *planner) cullTriangles(t target) Pass {
	f := &p.Frame
	slack := uint32(0)
	if f.Raster == renderer.HardwareRaster {
		slack = hardwareSlack
	}
	spec := map[string]uint32{
		"VIEW": uint32(f.View), "QUEUE": uint32(f.Queue), "CORNERS": flag(p.Cornered()),
		"FACES": uint32(f.CullFaces), "SLACK": slack, "PHASE": flag(!t.ahead), "TALLY": p.tally(t),
	}
	pass := p.dispatch(t, t.stage("cull", "triangles"), "cull/triangles", spec, p.groupsOf(p.Chunks[t.chunk].TriangleCount, shaders.CullWorkgroup), touched{
		reads:  []Block{VertexPositions, VertexAttributes, QueueStates, Draws, Batches},
		writes: []Block{Triangles, Corners, VertexMarks, CullCounts},
	})
	pass.Op.(*Dispatch).Raster = p.rasterPush(t.chunk)
	return pass
}

// cullShade shades the attributes of the vertices that are left.
func (p *planner) cullShade(t target) Pass {
	f, count := &p.Frame, p.counting(t)
	spec := p.vertexSpec(map[string]uint32{
		"VIEW": uint32(f.View), "COUNT": flag(count), "LOAD": uint32(f.Load), "CULL": 1, "PHASE": flag(!t.ahead), "TALLY": p.tally(t),
	})
	writes := []Block{VertexAttributes, CullCounts}
	if count {
		writes = append(writes, Counts)
	}
	shader, reads := p.variantOf("cull/shade", []Block{Positions, Normals, Draws, Batches, Cameras, Clips, Skin, Bones, VertexMarks})
	return p.dispatch(t, t.stage("cull", "shade"), shader, spec, p.groupsOf(p.VertexCapacity, shaders.CullShadePlaces), touched{
		reads: reads, writes: writes,
	})
}

// tally is TALLY of the passes of culling: whether they add to CullCounts.
func (p *planner) tally(t target) uint32 { return flag(!t.ahead && !p.Frame.NoCounts) }

// drawFlags are the shaders' DRAW_* of a draw. A transform that mirrors turns
// front faces clockwise, as glTF has it: its determinant is not above zero.
func drawFlags(d *geometry.Draw) (flags uint32) {
	if d.OneSided {
		flags |= renderer.DrawOneSided
	}
	m := func(row, column int) float64 { return float64(d.Transform.At(row, column)) }
	minor := func(a, b int) float64 { return m(1, a)*m(2, b) - m(1, b)*m(2, a) }
	if !(m(0, 0)*minor(1, 2)-m(0, 1)*minor(0, 2)+m(0, 2)*minor(0, 1) > 0) {
		flags |= renderer.DrawMirrored
	}
	return flags
}
