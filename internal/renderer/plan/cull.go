package plan

import (
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// Culling (Frame.Cull). The geometry pass of a chunk then only positions vertices. cull:triangles drops the
// triangles that would show nothing and marks the vertices of the others; cull:shade shades the attributes of
// marked vertices. A dropped triangle keeps its place in the queue as one corner three times, so rasterization
// need not know of culling. If the geometry pass itself draws, it also does the culling.

const (
	markBytes = 4 // the mark of a slot of the vertex queue
	// hardwareSlack is how far apart a device's rasterizer and ours may place a corner, in subpixels of ours.
	hardwareSlack = 1
)

// culling adds what culling requires of a device, whether or not a picture is drawn.
func (n *Needs) culling(f *renderer.Frame) {
	if f.Cull {
		n.Picture, n.Shaders = &[2]int{f.Width, f.Height}, append(n.Shaders, "cull/triangles")
	}
}

// cullingMesh adds what culling requires of a mesh shader, which holds vertices until it has tested their triangles.
func (n *Needs) cullingMesh(f *renderer.Frame) {
	if n.culling(f); f.Cull {
		n.Kernel.Tests, n.Kernel.Held = true, meshHeld
	}
}

// CullingText describes the culling of a frame, after a comma; empty without culling.
func CullingText(f *renderer.Frame) string {
	if !f.Cull {
		return ""
	}
	return ", culled, back faces: " + f.CullFaces.String()
}

// cullBuffers adds the buffers of culling. All shaders that shade bind CullCounts, so a frame
// without culling has a dummy.
func (p *planner) cullBuffers() {
	if !p.Frame.Cull {
		p.add(CullCounts, ByNobody, "cull:triangles", "uint count", 0, 4)
		return
	}
	p.add(CullCounts, ByPasses, "cull:triangles", "uint count", renderer.CullCounts, 4)
	if p.has(VertexPositions) {
		p.add(VertexMarks, ByPasses, "cull:triangles", "uint mark", p.VertexCapacity, markBytes)
	}
}

// cullRasterBuffer adds a dummy RasterTriangles, which cull:triangles binds, if the rasterizer has none.
func (p *planner) cullRasterBuffer() {
	if p.Frame.Cull && !p.has(RasterTriangles) {
		p.add(RasterTriangles, ByNobody, "no one", "uint triangle", 0, 4)
	}
}

// cullCleared lists the culling blocks that a frame clears first.
func (p *planner) cullCleared() []Block {
	switch {
	case !p.Frame.Cull:
		return nil
	case p.has(VertexMarks):
		return []Block{CullCounts, VertexMarks}
	}
	return []Block{CullCounts}
}

// Counting describes a plan's counts.
type Counting struct {
	What          string // text before "shaded": "attributes ", or empty for vertices
	FollowsCamera bool   // whether counts change with the camera; then only a backend knows them
}

// Counting describes the plan's counts: with culling they count the attributes of visible
// vertices.
func (p *Plan) Counting() Counting {
	if p.Frame.Cull {
		return Counting{"attributes ", true}
	}
	return Counting{}
}

// leftText returns the legend's note that the statistics count only triangles left by culling; "" without culling.
func (p *Plan) leftText(triangles int) string {
	if !p.Frame.Cull {
		return ""
	}
	return ", of " + names.Count(triangles, "triangle") + " left by culling"
}

// placesOnly reports whether the geometry pass only positions vertices, and leaves their attributes to cull:shade.
func (p *Plan) placesOnly() bool { return p.Frame.Cull }

// countsOnce reports whether counts are the same for every camera.
func (p *planner) countsOnce() bool { return !p.Frame.Cull }

// clearCounted clears the queue states after culling's counting round, since the queues are
// filled again. This hides no overflow: a queue that overflowed will overflow again.
func (p *planner) clearCounted(t target) {
	if p.Frame.Cull && t.window == max(1, len(p.Windows))-1 {
		p.then(p.clear(t, QueueStates))
	}
}

// withCounts adds Counts to the blocks that a geometry pass writes, if it counts shadings.
// With culling, cull:shade counts them.
func (p *planner) withCounts(t target, blocks ...Block) []Block {
	if p.counting(t) && !p.Frame.Cull {
		return append(blocks, Counts)
	}
	return blocks
}

// writesQueues reports whether a geometry pass fills queues. Culling needs them even in the
// counting round, to find the visible triangles.
func (p *planner) writesQueues(t target) bool { return !t.ahead || p.Frame.Cull }

// cullSpec sets the constants of a geometry pass that culling changes. With culling, the pass's
// counter counts positioned vertices, not shaded ones.
func (p *planner) cullSpec(t target, spec map[string]uint32) {
	spec["COUNT"], spec["WRITE"], spec["CULL"], spec["TALLY"] = flag(p.counting(t)), flag(p.writesQueues(t)), 0, 0
	if p.Frame.Cull {
		spec["VIEW"], spec["COUNT"], spec["CULL"], spec["TALLY"] = placedView(&p.Frame), p.tally(t), 1, p.tally(t)
	}
}

// cullDrawn makes a geometry pass that draws also cull: it positions all vertices, and shades only
// vertices of surviving triangles.
func (p *planner) cullDrawn(t target, x *touched, spec map[string]uint32) {
	if p.Frame.Cull {
		x.writes = append(x.writes, CullCounts)
		spec["COUNT"], spec["FACES"], spec["PHASE"] = flag(p.counting(t)), uint32(p.Frame.CullFaces), flag(!t.ahead)
	}
}

// cullPasses returns the steps that follow a geometry pass that fills queues; nil without culling.
func (p *planner) cullPasses(t target) []step {
	if !p.Frame.Cull {
		return nil
	}
	return []step{{p.cullTriangles(t)}, {p.cullShade(t)}}
}

// cullTriangles returns the pass that drops those triangles of a chunk that show nothing. It adds to
// CullCounts when the chunk is drawn, not in a counting round.
func (p *planner) cullTriangles(t target) Pass {
	f := &p.Frame
	slack := uint32(0)
	if f.Raster == renderer.HardwareRaster {
		slack = hardwareSlack
	}
	spec := map[string]uint32{
		"VIEW": placedView(f), "QUEUE": uint32(f.Queue), "CORNERS": flag(p.Cornered()),
		"FACES": uint32(f.CullFaces), "SLACK": slack, "PHASE": flag(!t.ahead), "TALLY": p.tally(t),
	}
	pass := p.dispatch(t, t.stage("cull", "triangles"), "cull/triangles", spec, p.groupsOf(p.Chunks[t.chunk].TriangleCount, shaders.CullWorkgroup), touched{
		reads:  []Block{VertexPositions, VertexAttributes, QueueStates, Draws, Batches},
		writes: []Block{Triangles, Corners, VertexMarks, CullCounts},
	})
	pass.Op.(*Dispatch).Raster = p.rasterPush(t.chunk)
	return pass
}

// cullShade returns the pass that shades the attributes of the vertices of surviving triangles.
func (p *planner) cullShade(t target) Pass {
	f, count := &p.Frame, p.counting(t)
	spec := p.vertexSpec(map[string]uint32{
		"VIEW": shadedView(f), "COUNT": flag(count), "LOAD": uint32(f.Load), "CULL": 1, "PHASE": flag(!t.ahead), "TALLY": p.tally(t),
	})
	writes := []Block{VertexAttributes, CullCounts}
	if count {
		writes = append(writes, Counts)
	}
	return p.shadingPass(t, t.stage("cull", "shade"), "cull/shade", spec, p.groupsOf(p.VertexCapacity, shaders.CullShadePlaces), touched{
		reads: append(except(shadingBlocks, Indices), VertexMarks), writes: writes,
	})
}

// tally returns the constant TALLY of the culling passes: whether they add to CullCounts.
func (p *planner) tally(t target) uint32 { return flag(!t.ahead && !p.Frame.NoCounts) }

// drawFlags returns the shaders' DRAW_* flags of a draw. A transform that mirrors makes front faces clockwise, as glTF
// defines; one whose determinant is not positive counts as mirroring.
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
