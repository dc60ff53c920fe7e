// Package plan turns a renderer.Frame into a Plan: plain data that says which passes
// run over which buffers, in order. A Backend executes it.
//
// A plan can be printed, tested and compared before any device is touched. The
// package knows no Vulkan and no files.
package plan

import (
	"time"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// listPasses lists the passes of the whole frame; `shadeonce render --plan` prints its result. The
// counts view colours a vertex by how often the whole scene shaded it, so with several chunks, or a
// mesh shader, a first round counts all chunks. The last round draws.
func (p *planner) listPasses() {
	if blocks := p.cleared(); len(blocks) > 0 {
		p.then(p.clear(target{}, blocks...))
	}
	p.plugs.residency.begin(p)
	for _, t := range p.rounds() {
		if t.once {
			p.then(p.clear(t, Counts))
		}
		for t.window = range max(1, len(p.Windows)) {
			t := p.plugs.residency.enter(p, t) // upload, camera:clips
			if t.ahead {
				p.countChunks(t)
			} else {
				p.drawChunks(t)
			}
			p.plugs.residency.leave(p, t) // counts:fetch
		}
	}
}

// countChunks runs the geometry stage of a window's chunks for its counts, without
// drawing.
func (p *planner) countChunks(t target) {
	for _, t := range p.chunksOf(t) {
		p.then(p.plugs.sink.passes(p, t)...)
	}
	p.clearCounted(t)
}

// drawChunks fills the queues with each chunk of a window and draws it. With two halves, the next
// chunk's geometry begins in the same step as the first pass that draws this chunk. This chunk's last pass
// runs in the same step as the next chunk's first raster pass, unless the next chunk's geometry ends later.
func (p *planner) drawChunks(t target) {
	chunks := p.chunksOf(t)
	step := p.place(len(p.steps), p.plugs.sink.passes(p, chunks[0])) // first step of drawing
	for i, t := range chunks {
		end := p.place(step, p.plugs.raster.passes(p, t))
		if i+1 == len(chunks) {
			break
		}
		fill := end
		if p.Halves == 2 {
			fill = step + drawingBegins
		}
		step = max(end-1, p.place(fill, p.plugs.sink.passes(p, chunks[i+1])))
	}
}

// Plan is a frame as plain data: buffers, and passes in the order in which they
// run. A backend records it once and executes it for many cameras.
type Plan struct {
	Frame    renderer.Frame
	Recipe   Recipe
	plugs    plugs
	own      []*shaders.Shader // shaders of a caller's function
	Batches  []reuse.Batch     // nil if windows have their own
	Meshlets reuse.Meshlets    // of Batches, if the strategy has meshlets; each FirstVertex is relative to the chunk's first
	Chunks   []Chunk
	Windows  []Window // nil if the device holds the whole scene
	Buffers  []Buffer
	Passes   []Pass

	VertexCapacity   int     // of the vertex queue, in vertices
	TriangleCapacity int     // of the triangle queue, in triangles
	VertexShare      float64 // share of the worst case that the vertex queue holds
	Choice           Choice
	Batching         time.Duration // the host's time for cutting the batches of the whole stream, and for making their meshlets
	FittedTo         int           // number of multiprocessors that the batch size was chosen for; 0 if the user gave the size
	Numbered         int           // triangle numbers that fused passes set aside for each batch (see numbers); 0: a triangle's number is its position in the stream
	Native           bool          // whether lanes run on the device's own subgroups
	Halves           int           // 2 if one half of the queues is filled while the other is drawn, else 1
	Narrow           bool          // whether the visibility buffer avoids 64-bit atomics
	Sole             bool          // whether a lean plan's scene has one draw, whose indices begin the pool: SOLE in the shaders
	TriangleLanes    uint32        // invocations that draw a triangle in the fused pass; 0 if there is none
	Lean             bool          // whether passes leave the visibility buffer zero for the next frame, and the host fills small buffers (lean.go)

	Gathered    bool  // whether windows have their own pools
	BatchCount  int   // of the whole stream
	WindowBytes int64 // most bytes that a window's data takes
	FetchBytes  int64 // size of the buffer through which the host reads the counts of windows
}
