package plan

import (
	"strings"

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

// cullBuffers adds what the passes of culling keep. The vertex shader binds
// CullCounts in any frame.
func (p *Plan) cullBuffers() {
	if !p.Frame.Cull {
		p.addBuffer("CullCounts", "cull:triangles", "uint count", 0, 4)
		return
	}
	p.addBuffer("CullCounts", "cull:triangles", "uint count", renderer.CullCounts, 4)
	p.addBuffer("VertexMarks", "cull:triangles", "uint mark", p.VertexCapacity, markBytes)
	if !p.computes() {
		p.addBuffer("RasterTriangles", "no one", "uint triangle", 0, 4) // bound by all shaders that set triangles up
	}
}

// cullClears are the buffers of culling that a frame begins with at zero.
func (p *Plan) cullClears() []string {
	if !p.Frame.Cull {
		return nil
	}
	return []string{"CullCounts", "VertexMarks"}
}

// countsInGeometry is COUNT of the geometry pass that draws. With culling it
// counts the vertices that are placed, and cull:shade those shaded.
func (p *Plan) countsInGeometry(countFirst bool) bool {
	f := &p.Frame
	if f.Cull {
		return !f.NoCounts
	}
	return !countFirst && !f.NoCounts && f.Shown == nil
}

// countChunk adds what counts a chunk ahead of the drawing of the first.
func (p *Plan) countChunk(chunk int, l renderer.Limits) {
	if !p.Frame.Cull {
		p.addGeometry(chunk, true, false, l)
		return
	}
	// What is shaded follows from what is seen: all is done but the drawing.
	first := len(p.Passes)
	p.addGeometry(chunk, false, true, l)
	p.cullChunk(chunk, true, false, l)
	for i := range p.Passes[first:] {
		pass := &p.Passes[first+i]
		_, name, _ := strings.Cut(pass.Name, ":")
		pass.Name = "count:" + name
	}
	if chunk == len(p.Chunks)-1 {
		// The queues are filled again; what overflowed does so then, too.
		p.Passes = append(p.Passes, Pass{Name: "clear", Kind: Clear, Writes: p.withHalves([]string{"QueueStates"})})
	}
}

// addCulling adds the passes of culling behind a chunk's geometry, if the frame
// culls; counted says that countChunk has counted it.
func (p *Plan) addCulling(chunk int, counted bool, l renderer.Limits) {
	if f := &p.Frame; f.Cull {
		p.cullChunk(chunk, !counted && !f.NoCounts && f.Shown == nil, true, l)
	}
}

// cullChunk adds both passes. Only a chunk that is drawn tallies.
func (p *Plan) cullChunk(chunk int, count, draws bool, l renderer.Limits) {
	f, c := &p.Frame, &p.Chunks[chunk]
	dispatch := func(n, each int) [2]uint32 { return groups(max(1, (n+each-1)/each), l) }
	phase, tally := flag(draws), flag(draws && !f.NoCounts)
	slack := uint32(0)
	if f.Raster == renderer.HardwareRaster {
		slack = hardwareSlack
	}
	p.Passes = append(p.Passes, Pass{
		Name: "cull:triangles", Kind: Dispatch, Shaders: []string{"cull/triangles"}, Push: p.push(chunk),
		Raster: &shaders.RasterPush{
			Chunk: uint32(chunk), FirstTriangle: uint32(c.FirstTriangle), TriangleCount: uint32(c.TriangleCount),
			Width: uint32(f.Width), Height: uint32(f.Height),
		},
		Spec: map[string]uint32{
			"VIEW": uint32(f.View), "QUEUE": uint32(f.Queue), "CORNERS": flag(f.Reuse.Strategy.WholeDraws),
			"FACES": uint32(f.CullFaces), "SLACK": slack, "PHASE": phase, "TALLY": tally,
		},
		Groups: dispatch(c.TriangleCount, shaders.CullWorkgroup),
		Reads:  []string{"VertexPositions", "VertexAttributes", "Triangles", "Corners", "QueueStates", "Draws", "Batches"},
		Writes: []string{"Triangles", "Corners", "VertexMarks", "CullCounts"},
	}, Pass{
		Name: "cull:shade", Kind: Dispatch, Shaders: []string{"cull/shade"}, Push: p.push(chunk),
		Spec: p.vertexSpec(map[string]uint32{
			"VIEW": uint32(f.View), "COUNT": flag(count), "LOAD": uint32(f.Load), "CULL": 1, "PHASE": phase, "TALLY": tally,
		}),
		Groups: dispatch(p.VertexCapacity, shaders.CullShadePlaces),
		Reads:  []string{"Positions", "Normals", "Draws", "Batches", "Cameras", "Clips", "Skin", "Bones", "VertexAttributes", "VertexMarks"},
		Writes: []string{"VertexAttributes", "Counts", "CullCounts"},
	})
}

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
