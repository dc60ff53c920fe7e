package plan

import (
	"slices"

	"github.com/shadeonce/shadeonce/shaders"
)

// Pass is one operation of a frame, with the buffers that it touches.
type Pass struct {
	Name   string // of timings and debug labels; the times of passes with one name add up
	Chunk  int    // whose queues it works on; NoChunk where it is for the whole frame or a window
	Beside bool   // belongs to the step of the pass before it: passes of a step may run at the same time
	Once   bool   // its results are the same for every camera: a backend may keep them
	Uses   []Use
	Op     Op
}

// NoChunk is Pass.Chunk of a pass that belongs to no chunk.
const NoChunk = -1

// Use binds a buffer to a block of the pass's shaders, and says how the pass accesses it.
type Use struct {
	Block  Block
	Buffer BufferID
	Access Access
}

// Access is what a pass does with a buffer.
type Access int

// The accesses.
const (
	Bound  Access = iota // nothing: the shaders declare the block, and it has to be bound
	Read                 // only reads
	Write                // writes, and may read
	Update               // writes only by atomics whose order does not matter: passes of a step may share it
)

// Op is what a pass does: *Clear, *Dispatch, *Draw, *Direct, *Upload or *Fetch.
type Op interface {
	kind() string // as a printed plan calls it
}

// Clear fills the buffers that the pass writes with zeros.
type Clear struct{}

// Program is the shaders of a pass and their specialization constants by name.
type Program struct {
	Shaders []string // registry names: a compute shader; or a vertex shader and, where pixels are coloured, a fragment shader
	Spec    map[string]uint32
}

// Dispatch runs a compute shader.
type Dispatch struct {
	Program
	Push     shaders.ChunkPush
	Raster   *shaders.RasterPush // push constants of shaders that set triangles up, in place of Push
	Sort     *shaders.SortPush   // push constants of shaders/sort, in place of Push
	Groups   [2]uint32           // workgroups; with Indirect, at most
	Indirect *Indirect           // nil where Groups says how many workgroups run
}

// Indirect is where a VkDispatchIndirectCommand lies.
type Indirect struct {
	Buffer BufferID
	Offset int64 // bytes
}

// Draw draws a chunk's triangles from the queue, by the graphics pipeline.
type Draw struct {
	Program
	Push  shaders.ChunkPush
	First bool   // clear the picture before drawing
	Range [2]int // first and count of the queue's triangles; count 0 takes as many as the queue's state says
}

// Direct draws the scene itself, one indexed draw per draw, into a cleared picture.
type Direct struct{ Program }

// Upload fills the buffers of a window, from the host.
type Upload struct {
	Window  int  // into Plan.Windows
	Slot    int  // the copy of the window's buffers
	Counted bool // with the counts of the whole scene, rather than with zeros
}

// Fetch adds a window's counts to the scene's, on the host.
type Fetch struct{ Window, Slot int }

func (*Clear) kind() string    { return "clear" }
func (*Dispatch) kind() string { return "dispatch" }
func (*Draw) kind() string     { return "raster" }
func (*Direct) kind() string   { return "direct" }
func (*Upload) kind() string   { return "upload" }
func (*Fetch) kind() string    { return "fetch" }

// Program is the pass's shaders; nil for an operation without shaders.
func (pass *Pass) Program() *Program {
	switch op := pass.Op.(type) {
	case *Dispatch:
		return &op.Program
	case *Draw:
		return &op.Program
	case *Direct:
		return &op.Program
	}
	return nil
}

// Buffer is the buffer that a pass binds to a block; NoBuffer where it has none.
func (pass *Pass) Buffer(b Block) BufferID {
	for _, u := range pass.Uses {
		if u.Block == b {
			return u.Buffer
		}
	}
	return NoBuffer
}

// Updates says whether the pass shares a buffer with others of its step.
func (pass *Pass) Updates() bool {
	return slices.ContainsFunc(pass.Uses, func(u Use) bool { return u.Access == Update })
}

// Steps groups passes by step, those of later chunks first, so that passes that fill queues
// come before those that drain them. An H200 then draws while the last batches of the new
// chunk end, and small chunks cost less.
func Steps(passes []Pass) [][]*Pass {
	var steps [][]*Pass
	for i := range passes {
		if i == 0 || !passes[i].Beside {
			steps = append(steps, nil)
		}
		step := &steps[len(steps)-1]
		at := len(*step)
		for at > 0 && (*step)[at-1].Chunk < passes[i].Chunk {
			at--
		}
		*step = slices.Insert(*step, at, &passes[i])
	}
	return steps
}
