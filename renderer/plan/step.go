package plan

import (
	"slices"

	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders"
)

// Where a scene takes several chunks the queues exist twice, and a chunk's
// geometry fills the one half while the chunk before is drawn from the other.
// Passes say so by steps: those of one step may run at the same time, and none
// touches what another of them writes.

// step is passes that may run at the same time.
type step []Pass

// target is what passes are listed for.
type target struct {
	chunk  int
	half   int // of the queues
	window int
	slot   int  // the copy of the buffers that hold the window
	ahead  bool // the round that counts all chunks before the first is drawn
	once   bool // what the passes leave is the same for every camera
}

// halvedBlocks have a buffer for each half of the queues.
var halvedBlocks = []Block{VertexPositions, VertexAttributes, Triangles, Corners, QueueStates, RasterLists, RasterTriangles}

// drawingBegins is the step of a chunk's drawing that is the first to read the vertex
// queue at length: the one before it only counts or sorts triangles.
const drawingBegins = 1

// rounds are the targets that the stream is taken for, in turn.
func (p *planner) rounds() []target {
	if !p.countsAhead() {
		return []target{{}}
	}
	return []target{{ahead: true, once: !p.Frame.Cull && !p.Windowed()}, {}}
}

// countsAhead says whether all chunks are counted before the first is drawn.
func (p *planner) countsAhead() bool {
	f := &p.Frame
	return f.View == renderer.Counts && !f.NoRaster && len(p.Chunks) > 1 && f.Shown == nil
}

// counting says whether a round counts shadings.
func (p *planner) counting(t target) bool {
	f := &p.Frame
	return t.ahead || !p.countsAhead() && !f.NoCounts && f.Shown == nil
}

// chunksOf are the chunks of a target's window.
func (p *planner) chunksOf(t target) []target {
	first, end := 0, len(p.Chunks)
	if p.Windowed() {
		first, end = p.Windows[t.window].FirstChunk, p.Windows[t.window].EndChunk
	}
	list := make([]target, end-first)
	for i := range list {
		t.chunk = first + i
		if !t.once { // passes that run once write no queue
			t.half = p.Half(t.chunk)
		}
		list[i] = t
	}
	return list
}

// then adds steps behind all others.
func (p *planner) then(steps ...step) { p.place(len(p.steps), steps) }

// place adds steps beside those that there are, from one on, and returns the one behind
// the last.
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

// enter begins a target's window, in the copy of its buffers that is free.
func (p *planner) enter(t target) target {
	if !p.Windowed() {
		return t
	}
	t.slot = p.uploads % 2
	p.uploads++
	counted := !t.ahead && (p.countsAhead() || p.Frame.Shown != nil)
	p.then(step{{
		Name: "upload", Chunk: NoChunk, Uses: p.uses(t, nil, touched{writes: p.windowed()}),
		Op: &Upload{Window: t.window, Slot: t.slot, Counted: counted},
	}}, p.clips(t))
	return t
}

// leave ends a window.
func (p *planner) leave(t target) {
	if p.Windowed() && p.counting(t) {
		p.then(step{{
			Name: "counts:fetch", Chunk: NoChunk, Uses: p.uses(t, nil, touched{reads: []Block{Counts}}), Op: &Fetch{Window: t.window, Slot: t.slot},
		}})
	}
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

// clips joins the camera with the draws that there are.
func (p *planner) clips(t target) step {
	pass := p.dispatch(t, "camera:clips", "camera/clips", nil, p.groups((p.drawCount()+63)/64), touched{
		reads: []Block{Draws, Cameras}, writes: []Block{Clips},
	})
	pass.Chunk = NoChunk
	return step{pass}
}

// touched is what a pass does with blocks. It stands in one list each.
type touched struct{ reads, writes, updates []Block }

// dispatch is a pass of a compute shader.
func (p *planner) dispatch(t target, name, shader string, spec map[string]uint32, groups [2]uint32, x touched) Pass {
	program := Program{[]string{shader}, spec}
	return Pass{
		Name: name, Chunk: t.chunk, Once: t.once, Uses: p.uses(t, program.Shaders, x),
		Op: &Dispatch{Program: program, Push: p.push(t.chunk), Groups: groups},
	}
}

// uses binds what a pass touches, and what its shaders declare beyond that.
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
		s, err := shaders.Find(name)
		if err != nil {
			continue // checkShaders says so
		}
		for i := range s.Bindings {
			b := Block(s.Bindings[i].Name)
			if !slices.ContainsFunc(uses, func(u Use) bool { return u.Block == b }) {
				uses = append(uses, Use{b, p.untouched(&s.Bindings[i], t), Bound})
			}
		}
	}
	return uses
}

// buffer is the copy of a block's buffer that passes for a target work on.
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

// untouched is what a binding gets that a pass does not touch.
func (p *planner) untouched(b *shaders.Binding, t target) BufferID {
	if Block(b.Name) == Counts && p.Halves == 2 {
		if b.ReadOnly {
			return p.ids[countsUnread][0]
		}
		return p.ids[countsUnwritten][0]
	}
	return p.buffer(Block(b.Name), t)
}

// groups lays n workgroups out so that no dimension has too many.
func (p *planner) groups(n int) [2]uint32 {
	return Groups(n, &p.limits)
}

// groupsOf is the workgroups, at least one, that take n things, each so many.
func (p *planner) groupsOf(n, each int) [2]uint32 { return p.groups(max(1, (n+each-1)/each)) }

func (p *planner) push(chunk int) shaders.ChunkPush {
	c := p.Chunks[chunk]
	return shaders.ChunkPush{
		Chunk: uint32(chunk), FirstBatch: uint32(c.FirstBatch), BatchCount: uint32(c.BatchCount),
		FirstTriangle: uint32(c.FirstTriangle), TriangleCount: uint32(c.TriangleCount),
		TriangleCapacity: uint32(p.TriangleCapacity), VertexCapacity: uint32(p.VertexCapacity), Multiplier: p.multiplier,
		BatchNumber: p.batchNumber(chunk), VertexPlaces: uint32(p.places()), Arguments: p.surfaceArguments(),
		Width: uint32(p.Frame.Width), Height: uint32(p.Frame.Height),
	}
}
