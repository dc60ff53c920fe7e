package plan

import (
	"slices"

	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// If a scene takes several chunks, there are two halves of the queues, and a chunk's geometry
// fills one half while the previous chunk is drawn from the other. Steps express this: passes of
// one step may run at the same time, and none uses what another of them writes.

// step holds passes that may run at the same time.
type step []Pass

// target is the chunk, window and round for which passes are listed.
type target struct {
	chunk  int
	half   int // which half of the queues: 0 or 1
	window int
	slot   int  // the copy of the buffers that hold the window
	ahead  bool // whether the round counts all chunks before the first is drawn
	once   bool // whether the passes give the same result for every camera
}

// halvedBlocks have a buffer for each half of the queues.
var halvedBlocks = []Block{VertexPositions, VertexAttributes, Triangles, Corners, QueueStates, RasterLists, RasterTriangles, Distances}

// drawingBegins is the index of the first of a chunk's raster steps that draws triangles. The step before
// it only counts or sorts them, which takes less time.
const drawingBegins = 1

// rounds lists the targets of the passes over the stream, in order.
func (p *planner) rounds() []target {
	if !p.countsAhead() {
		return []target{{}}
	}
	return []target{{ahead: true, once: p.countsOnce() && p.plugs.residency.keeps()}, {}}
}

// countsAhead reports whether all chunks are counted before the first is drawn.
func (p *planner) countsAhead() bool {
	f, host := &p.Frame, p.plugs.raster.about()
	return host.draws && f.View == renderer.Counts && (len(p.Chunks) > 1 || host.ahead) && f.Shown == nil
}

func (p *planner) counting(t target) bool {
	f := &p.Frame
	return t.ahead || !p.countsAhead() && !f.NoCounts && f.Shown == nil
}

// chunksOf returns the chunks of a target's window.
func (p *planner) chunksOf(t target) []target {
	chunks := p.plugs.residency.chunks(p.Plan, t.window)
	list := make([]target, chunks[1]-chunks[0])
	for i := range list {
		t.chunk = chunks[0] + i
		if !t.once { // passes that run once write no queue
			t.half = p.Half(t.chunk)
		}
		list[i] = t
	}
	return list
}

// then adds steps after all others.
func (p *planner) then(steps ...step) { p.place(len(p.steps), steps) }

// place merges steps into p.steps by position, from index `at` on, and returns the index after the
// last.
func (p *planner) place(at int, steps []step) (end int) {
	for _, s := range steps {
		if at == len(p.steps) {
			p.steps = append(p.steps, nil)
		}
		p.steps[at] = append(p.steps[at], s...)
		at++
	}
	return at
}

// clear fills all copies of the blocks with zeros.
func (p *planner) clear(t target, blocks ...Block) step {
	uses := make([]Use, 0, 2*len(blocks))
	for i := range 2 {
		for _, b := range blocks {
			if ids := p.ids[b]; i == 0 || ids[1] != ids[0] {
				uses = append(uses, Use{b, ids[i], Write})
			}
		}
	}
	return step{{Name: "clear", Chunk: NoChunk, Once: t.once, Uses: uses, Op: &Clear{}}}
}

// clips multiplies the camera matrix with each draw's transform.
func (p *planner) clips(t target) step {
	pass := p.dispatch(t, "camera:clips", "camera/clips", nil, p.groups((p.plugs.residency.draws(p)+63)/64), touched{
		reads: []Block{Draws, Cameras}, writes: []Block{Clips},
	})
	pass.Chunk = NoChunk
	return step{pass}
}

// touched lists the blocks that a pass accesses, by kind of access. A block appears in exactly one list.
type touched struct{ reads, writes, updates []Block }

// dispatch returns a pass that runs a compute shader.
func (p *planner) dispatch(t target, name, shader string, spec map[string]uint32, groups [2]uint32, x touched) Pass {
	pipeline := Pipeline{[]string{shader}, spec}
	return Pass{
		Name: name, Chunk: t.chunk, Once: t.once, Uses: p.uses(t, pipeline.Shaders, x),
		Op: &Dispatch{Pipeline: pipeline, Push: p.push(t.chunk), Groups: groups},
	}
}

// shadingPass is dispatch for a shader that reads vertices or indices. It picks the shader's variant for the frame's
// source and shade.
func (p *planner) shadingPass(t target, name, shader string, spec map[string]uint32, groups [2]uint32, x touched) Pass {
	shader, x.reads = p.plugs.source.variant(p, shader, x.reads)
	return p.dispatch(t, name, shader, spec, groups, x)
}

// uses binds the blocks that a pass accesses, and the others that its shaders declare.
func (p *planner) uses(t target, programs []string, x touched) []Use {
	uses := make([]Use, 0, 16)
	add := func(blocks []Block, a Access) {
		for _, b := range blocks {
			uses = append(uses, Use{b, p.buffer(b, t), a})
		}
	}
	add(x.reads, Read)
	add(x.writes, Write)
	add(x.updates, Update)
	for _, name := range programs {
		for _, binding := range p.bindings(shaders.Must(name)) {
			b := Block(binding.Name)
			if !slices.ContainsFunc(uses, func(u Use) bool { return u.Block == b }) {
				access := Bound
				if b == LoopEnds || b == Distances && !binding.ReadOnly {
					access = Update
				}
				uses = append(uses, Use{b, p.untouched(&binding, t), access})
			}
		}
	}
	return uses
}

// buffer returns the copy of a block's buffer that a target's passes use.
func (p *planner) buffer(b Block, t target) BufferID {
	ids, ok := p.ids[b]
	switch {
	case !ok:
		return NoBuffer
	case slices.Contains(halvedBlocks, b):
		return ids[t.half]
	}
	return ids[t.slot]
}

// untouched returns the buffer for a binding that a pass does not access.
func (p *planner) untouched(b *shaders.Binding, t target) BufferID {
	if Block(b.Name) == Counts && p.Halves == 2 {
		if b.ReadOnly {
			return p.ids[countsUnread][0]
		}
		return p.ids[countsUnwritten][0]
	}
	return p.buffer(Block(b.Name), t)
}

// groups returns Groups for the planner's limits.
func (p *planner) groups(n int) [2]uint32 {
	return Groups(n, &p.limits)
}

// groupsOf lays out n/each workgroups, rounded up, and at least one.
func (p *planner) groupsOf(n, each int) [2]uint32 { return p.groups(max(1, (n+each-1)/each)) }

func (p *planner) push(chunk int) shaders.ChunkPush {
	c, n := p.Chunks[chunk], p.numbers(chunk)
	return shaders.ChunkPush{
		Chunk: uint32(chunk), FirstBatch: uint32(c.FirstBatch), BatchCount: uint32(c.BatchCount),
		FirstTriangle: uint32(n.first), TriangleCount: uint32(n.count),
		TriangleCapacity: uint32(p.TriangleCapacity), VertexCapacity: uint32(p.VertexCapacity), Multiplier: p.multiplier,
		BatchNumber: p.batchNumber(chunk), VertexPlaces: uint32(p.places()), Arguments: p.plugs.source.arguments(),
		Width: uint32(p.Frame.Width), Height: uint32(p.Frame.Height),
	}
}
