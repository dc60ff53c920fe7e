package plan

import (
	"slices"

	"github.com/shadeonce/shadeonce/internal/shaders"
)

// Pass is one operation of a frame, with the buffers that it uses.
type Pass struct {
	Name   string // in timings and debug labels; the times of passes with one name add up
	Chunk  int    // the chunk whose queues it uses; NoChunk if it concerns the whole frame or a window
	Beside bool   // belongs to the step of the previous pass: passes of a step may run at the same time
	Rare   bool   // draws lists that are empty in most frames: see Plan.Short
	Once   bool   // gives the same result for every camera, so a backend may keep it
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
	Bound  Access = iota // none: the shaders declare the block, so it must be bound
	Read                 // only reads
	Write                // writes, and may read
	Update               // writes only by atomics whose order does not matter, so passes of a step may share it
)

// Op is what a pass does: *Clear, *Dispatch, *Draw, *Mesh, *Direct, *Upload or *Fetch.
type Op interface {
	kind() string // its name in a printed plan
}

// Clear fills the buffers that the pass writes with zeros.
type Clear struct{}

// Pipeline is the shaders of a pass and their specialization constants by name.
type Pipeline struct {
	Shaders []string // registry names: a compute shader; or a vertex or mesh shader and, if pixels are coloured, a fragment shader
	Spec    map[string]uint32
}

// Dispatch runs a compute shader.
type Dispatch struct {
	Pipeline
	Push     shaders.ChunkPush
	Raster   *shaders.RasterPush // push constants of shaders that set up triangles, instead of Push
	Sort     *shaders.SortPush   // push constants of shaders/sort, instead of Push
	Groups   [2]uint32           // workgroups; with Indirect, at most this many
	Indirect *Indirect           // nil if Groups is the number of workgroups
}

// Indirect locates a VkDispatchIndirectCommand.
type Indirect struct {
	Buffer BufferID
	Offset int64 // bytes
}

// Draw draws a chunk's triangles from the queue with the graphics pipeline.
type Draw struct {
	Pipeline
	Push  shaders.ChunkPush
	First bool   // clear the picture before drawing
	Range [2]int // first and count of the queue's triangles; count 0 means as many as the queue's state says
}

// Mesh runs a strategy over a chunk's batches as a mesh shader, whose triangles the graphics
// pipeline draws; without a fragment shader it discards them.
type Mesh struct {
	Pipeline
	Push   shaders.ChunkPush
	Groups [2]uint32 // workgroups
	First  bool      // clear the picture before drawing
}

// Direct draws the scene itself, one indexed draw per draw, into a cleared picture.
type Direct struct{ Pipeline }

// Upload fills the buffers of a window from the host.
type Upload struct {
	Window  int  // index into Plan.Windows
	Slot    int  // copy of the window's buffers
	Counted bool // with the counts of the whole scene instead of zeros
}

// Fetch adds a window's counts to the scene's, on the host.
type Fetch struct{ Window, Slot int }

func (*Clear) kind() string    { return "clear" }
func (*Dispatch) kind() string { return "dispatch" }
func (*Draw) kind() string     { return "raster" }
func (*Mesh) kind() string     { return "mesh" }
func (*Direct) kind() string   { return "direct" }
func (*Upload) kind() string   { return "upload" }
func (*Fetch) kind() string    { return "fetch" }

// Pipeline returns the pass's shaders; nil for an operation without shaders.
func (pass *Pass) Pipeline() *Pipeline {
	switch op := pass.Op.(type) {
	case *Dispatch:
		return &op.Pipeline
	case *Draw:
		return &op.Pipeline
	case *Mesh:
		return &op.Pipeline
	case *Direct:
		return &op.Pipeline
	}
	return nil
}

// Buffer returns the buffer that a pass binds to a block; NoBuffer if there is none.
func (pass *Pass) Buffer(b Block) BufferID {
	for _, u := range pass.Uses {
		if u.Block == b {
			return u.Buffer
		}
	}
	return NoBuffer
}

// Updates reports whether the pass shares a buffer with others of its step.
func (pass *Pass) Updates() bool {
	return slices.ContainsFunc(pass.Uses, func(u Use) bool { return u.Access == Update })
}

// Steps groups passes by step, with those of later chunks first, so that passes that fill queues
// come before those that drain them. An H200 then draws while the last batches of the new chunk
// end, and small chunks cost less.
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
