package plan

import (
	"fmt"
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

// Access says how a pass uses a buffer.
type Access int

// The accesses.
const (
	Bound  Access = iota // no access; the shaders declare the block, so a buffer must be bound
	Read                 // only reads
	Write                // writes, and may read
	Update               // writes only by atomics whose order does not matter, so passes of a step may share it
)

// Op is the operation of a pass: *Clear, *Dispatch, *Draw, *Mesh, *Direct, *Upload or *Fetch.
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

// Draw draws a chunk's triangles from the queue with the graphics pipeline or, on the CPU backend, in Go.
type Draw struct {
	Pipeline
	Push  shaders.ChunkPush
	First bool   // clear the picture before drawing
	Range [2]int // first and count of the queue's triangles; count 0 means as many as the queue's state says
}

// Mesh runs a strategy over a chunk's batches as a mesh shader. The graphics pipeline draws the shader's
// triangles or, without a fragment shader, discards them.
type Mesh struct {
	Pipeline
	Push   shaders.ChunkPush
	Groups [2]uint32 // workgroups
	First  bool      // clear the picture before drawing
}

// Direct draws the scene's own index stream with the graphics pipeline, into a cleared picture.
type Direct struct{ Pipeline }

// Upload fills the buffers of a window from the host.
type Upload struct {
	Window  int  // index into Plan.Windows
	Slot    int  // which copy of the window's buffers to fill, 0 or 1
	Counted bool // whether to fill Counts with the counts of the whole scene instead of zeros
}

// Fetch adds a window's counts to the scene's, on the host.
type Fetch struct{ Window, Slot int }

// windowed is an operation of the host on a window.
type windowed interface{ of() (window int) }

func (u *Upload) of() int { return u.Window }
func (f *Fetch) of() int  { return f.Window }

func (*Clear) kind() string    { return "clear" }
func (*Dispatch) kind() string { return "dispatch" }
func (*Draw) kind() string     { return "raster" }
func (*Mesh) kind() string     { return "mesh" }
func (*Direct) kind() string   { return "direct" }
func (*Upload) kind() string   { return "upload" }
func (*Fetch) kind() string    { return "fetch" }

func (p *Pipeline) pipeline() *Pipeline { return p }

// Pipeline returns the pass's shaders; nil for an operation without shaders.
func (pass *Pass) Pipeline() *Pipeline {
	if op, ok := pass.Op.(interface{ pipeline() *Pipeline }); ok {
		return op.pipeline()
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

// Updates reports whether the pass accesses a buffer by Update, so that passes of its step may share the buffer.
func (pass *Pass) Updates() bool {
	return slices.ContainsFunc(pass.Uses, func(u Use) bool { return u.Access == Update })
}

// Steps groups passes by step. Within a step, passes of later chunks come first, so that passes that
// fill queues precede passes that drain them. An H200 then starts drawing while the last batches of
// the new chunk still run, so that small chunks cost less.
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

// Block names the contents of a buffer; it is the name of the buffer's block in the shaders.
type Block string

// The blocks.
const (
	Positions         Block = "Positions"         // the scene's pools
	Normals           Block = "Normals"           //
	Indices           Block = "Indices"           //
	Draws             Block = "Draws"             // the draw table
	Batches           Block = "Batches"           //
	Meshlets          Block = "Meshlets"          // one record per batch: where its lists are in MeshletWords
	MeshletWords      Block = "MeshletWords"      // by batch: its unique ids, then the slots of its triangles
	Cameras           Block = "Cameras"           //
	Clips             Block = "Clips"             // one matrix per draw, from model to clip space
	Counts            Block = "Counts"            // shadings of each (draw, vertex) pair
	Skin              Block = "Skin"              //
	Bones             Block = "Bones"             //
	VertexPositions   Block = "VertexPositions"   // the vertex queue
	VertexAttributes  Block = "VertexAttributes"  //
	Triangles         Block = "Triangles"         // the triangle queue: records of the indexed form
	Corners           Block = "Corners"           // the triangle queue of whole draws and of the graphics pipeline
	QueueStates       Block = "QueueStates"       // one per chunk
	Spilled           Block = "Spilled"           // vertices that the fused pass does not hold in shared memory
	ScratchPositions  Block = "ScratchPositions"  // vertices of whole draws that await assembly
	ScratchAttributes Block = "ScratchAttributes" // and, by the fused rasterizer, places and depths of all vertices
	CullCounts        Block = "CullCounts"        //
	VertexMarks       Block = "VertexMarks"       // marks vertices that culling leaves
	RasterLists       Block = "RasterLists"       // the compute rasterizer's lists
	RasterTriangles   Block = "RasterTriangles"   //
	Visible           Block = "Visible"           // the visibility buffer
	VisibleDepths     Block = "VisibleDepths"     // the visibility buffer in 32-bit words
	VisibleTriangles  Block = "VisibleTriangles"  //
	VisibleBefore     Block = "VisibleBefore"     //
	TileMarks         Block = "TileMarks"         //
	Sifted            Block = "Sifted"            // one bit per triangle: whether the fused pass leaves it to raster:sifted
	PictureColor      Block = "PictureColor"      //
	TexCoords         Block = "TexCoords"         // texture coordinates of the pool's vertices
	Materials         Block = "Materials"         //
	Texels            Block = "Texels"            // of all textures
	Distances         Block = "Distances"         // clip and cull distances of vertices

	AttributeWords Block = "AttributeWords" // attributes that a user's or a capture's vertex shaders read
	Shadings       Block = "Shadings"       // one record per draw for a user's or a capture's vertex shaders
	Values         Block = "Values"         // values of the blocks of a user's or a capture's vertex shaders
	Uniforms       Block = "Uniforms"       // values of blocks that fit a uniform buffer
	LoopEnds       Block = "LoopEnds"       // 1 plus the index of a vertex shader whose loops had to be ended; 0 if there is none (link.Layout)

	TriangleEdges Block = "TriangleEdges" // tables of a subdivided mesh
	EdgeCorners   Block = "EdgeCorners"   //

	// Dummy buffers bound for Counts by passes that do not access it. With two halves of queues, such
	// passes then need not wait for passes that access Counts.
	countsUnwritten Block = "CountsUnwritten" // if shaders may write the block
	countsUnread    Block = "CountsUnread"    // if shaders only read it
)

// openBlock names the buffer for a block that ends in a runtime array.
func openBlock(i int) Block { return Block(fmt.Sprintf("OpenValues%d", i)) }

// BufferID is a buffer's index in Plan.Buffers.
type BufferID int

// NoBuffer is the id of no buffer.
const NoBuffer BufferID = -1

// Buffer is device memory that passes use.
type Buffer struct {
	Name     string // the block's name; a second copy has "#2" at the end
	Block    Block
	Copy     int    // 1 for the second half of the queues or the second window, else 0
	Shape    string // what an element is and how many there are, for people
	Bytes    int64
	Followed int64  // with ByCamera, the number of leading bytes that the host writes every frame
	From     string // who writes it: "scene", "frame" or a pass; for people
	Filled   Filler
	Usage    Usage
}

// Filler says who fills a buffer.
type Filler int

// The fillers.
const (
	ByPasses Filler = iota // the device
	ByScene                // the host, from the scene's pools, which plans of one scene share
	ByPlan                 // the host, once per plan or, if it holds a window, with each upload
	ByCamera               // the host, every frame
	ByNobody               // a dummy: bound, but never accessed
)

// Usage is a buffer's use besides storage.
type Usage int

// The usages.
const (
	Storage  Usage = iota
	Uniform        // a uniform block
	Commands       // indirect dispatches and draws take their arguments from it
	Indexes        // indexed draws take their indices from it
)

// secondCopy is the suffix of second copies' names.
const secondCopy = "#2"

// Find returns copy number `copied` of a block's buffer; NoBuffer if the plan has no such copy.
func (p *Plan) Find(b Block, copied int) BufferID {
	for i := range p.Buffers {
		if x := &p.Buffers[i]; x.Block == b && x.Copy == copied {
			return BufferID(i)
		}
	}
	return NoBuffer
}

// Buffer returns the first copy of a block's buffer; nil if the plan has none.
func (p *Plan) Buffer(b Block) *Buffer {
	if id := p.Find(b, 0); id != NoBuffer {
		return &p.Buffers[id]
	}
	return nil
}

// Fills reports whether passes of the plan fill a block's buffer.
func (p *Plan) Fills(b Block) bool {
	x := p.Buffer(b)
	return x != nil && x.Filled == ByPasses
}

// add adds a buffer of `count` elements of `size` bytes each, which `by` fills. It has room for one element at
// least, so that it can be bound.
func (p *planner) add(b Block, by Filler, from, shape string, count, size int) *Buffer {
	p.ids[b] = [2]BufferID{BufferID(len(p.Buffers)), BufferID(len(p.Buffers))}
	p.Buffers = append(p.Buffers, Buffer{
		Name: string(b), Block: b, Bytes: int64(max(count, 1)) * int64(size), Shape: fmt.Sprintf("%d x %s", count, shape), From: from, Filled: by,
	})
	made := &p.Buffers[len(p.Buffers)-1]
	if by == ByCamera {
		made.Followed = made.Bytes
	}
	return made
}

// has reports whether a buffer has been added for a block so far.
func (p *planner) has(b Block) bool {
	_, ok := p.ids[b]
	return ok
}

// double adds second copies of the plan's buffers of these blocks.
func (p *planner) double(blocks []Block) {
	for _, b := range blocks {
		if ids, ok := p.ids[b]; ok {
			second := p.Buffers[ids[0]]
			second.Name, second.Copy = second.Name+secondCopy, 1
			p.ids[b] = [2]BufferID{ids[0], BufferID(len(p.Buffers))}
			p.Buffers = append(p.Buffers, second)
		}
	}
}
