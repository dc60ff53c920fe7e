package plan

import "fmt"

// Block is what a buffer holds, by the name that the shaders give its block.
type Block string

// The blocks.
const (
	Positions         Block = "Positions"         // the scene's pools
	Normals           Block = "Normals"           //
	Indices           Block = "Indices"           //
	Draws             Block = "Draws"             // the draw table
	Batches           Block = "Batches"           //
	Meshlets          Block = "Meshlets"          // locates the lists of batches
	MeshletWords      Block = "MeshletWords"      // the lists
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
	Spilled           Block = "Spilled"           // vertices that the fused pass does not hold
	ScratchPositions  Block = "ScratchPositions"  // vertices of whole draws that await assembly
	ScratchAttributes Block = "ScratchAttributes" //
	CullCounts        Block = "CullCounts"        //
	VertexMarks       Block = "VertexMarks"       // of vertices that culling leaves
	RasterLists       Block = "RasterLists"       // the compute rasterizer's lists
	RasterTriangles   Block = "RasterTriangles"   //
	Visible           Block = "Visible"           // the visibility buffer
	VisibleDepths     Block = "VisibleDepths"     // the same in 32-bit words
	VisibleTriangles  Block = "VisibleTriangles"  //
	VisibleBefore     Block = "VisibleBefore"     //
	TileMarks         Block = "TileMarks"         //
	Sifted            Block = "Sifted"            // which triangles the fused pass has noted
	PictureColor      Block = "PictureColor"      //
	TexCoords         Block = "TexCoords"         // texture coordinates of the pool's vertices
	Materials         Block = "Materials"         //
	Texels            Block = "Texels"            // of all textures
	Distances         Block = "Distances"         // clip and cull distances of vertices

	AttributeWords Block = "AttributeWords" // attributes that a user's or a capture's vertex shaders read
	Shadings       Block = "Shadings"       // their records, one per draw
	Values         Block = "Values"         // the values of their blocks
	Uniforms       Block = "Uniforms"       // values of blocks that fit a uniform buffer
	LoopEnds       Block = "LoopEnds"       // which of them had to end its loops: link.Layout

	TriangleEdges Block = "TriangleEdges" // tables of a subdivided mesh
	EdgeCorners   Block = "EdgeCorners"   //

	// Dummy buffers for Counts, for passes that do not access it. If the queues have two halves,
	// these passes then need not wait for passes that do.
	countsUnwritten Block = "CountsUnwritten" // if shaders may write the block
	countsUnread    Block = "CountsUnread"    // if shaders only read it
)

// openBlock is the buffer with the values of a block that ends in a runtime array.
func openBlock(i int) Block { return Block(fmt.Sprintf("OpenValues%d", i)) }

// BufferID is a buffer's index in Plan.Buffers.
type BufferID int

// NoBuffer is the id of no buffer.
const NoBuffer BufferID = -1

// Buffer is device memory that passes use.
type Buffer struct {
	Name     string // the block's; a second copy has "#2" at the end
	Block    Block
	Copy     int    // 1 for the second half of the queues or the second window, else 0
	Shape    string // what an element is and how many there are, for people
	Bytes    int64
	Followed int64  // of a buffer that is filled ByCamera: how many of its first bytes the host writes every frame
	From     string // who writes it: "scene", "frame" or a pass; for people
	Filled   Filler
	Usage    Usage
}

// Filler is who fills a buffer.
type Filler int

// The fillers.
const (
	ByPasses Filler = iota // the device
	ByScene                // the host, from the scene's pools, which plans of one scene share
	ByPlan                 // the host, once per plan; for a plan in windows, with each upload
	ByCamera               // the host, every frame
	ByNobody               // a dummy: bound, but never accessed
)

// Usage is what a buffer is used for besides storage.
type Usage int

// The usages.
const (
	Storage  Usage = iota
	Uniform        // a uniform block
	Commands       // indirect dispatches and draws take their arguments from it
	Indexes        // indexed draws take their indices from it
)

// secondCopy ends the names of second copies.
const secondCopy = "#2"

// Find returns a copy of a block's buffer; NoBuffer if the plan has none.
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

// add adds a buffer of count elements of size bytes. It is never empty, so that it can be bound.
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

// has reports whether the plan has a buffer of a block so far.
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
