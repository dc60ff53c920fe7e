// Package link turns vertex shaders, as compilers write them for Vulkan, into functions
// and joins them with the module of a pass, which is the host. The host calls
//
//	vec4 custom_vertex(uint draw, uint vertex, uint id, mat4 clip, out vec4 shown)
//
// whose body Join replaces: the new one looks up which program shades the draw, fetches
// the program's inputs, calls its entry point and returns the position that it wrote.
// docs/design/vertex-shaders.md says how.
//
// What the host has to declare, by name:
//
//   - uvec4 custom_fetch(uint format, uint firstByte, uint element): the bits of the four
//     components of an attribute's element
//   - buffer Positions { float positions[]; } and Normals: three floats per vertex of the
//     pool
//   - buffer Shadings { uint shadings[]; }: a record per draw
//   - buffer Values: contents of blocks, which Join declares again at the same binding
//   - uniform Uniforms, where a block lies in it: the same
//   - buffer Skin { uvec2 skin[]; }, where an input reads it: an element per vertex of the pool
//
// Functions that the entry point does not reach any more are left out.
//
// The package is pure Go and knows no Vulkan device.
package link

import (
	"slices"

	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// Positions of the words of a draw's record in Shadings.
const (
	RecordProgram      = 0 // index into the programs of Join
	RecordBaseVertex   = 1
	RecordBaseInstance = 2
	RecordInstance     = 3 // includes BaseInstance
	RecordDrawIndex    = 4
	RecordDistances    = 5  // where those of the draw's vertex 0 begin in Layout.Stored
	RecordClip         = 8  // 16 floats, column by column: the matrix by which positions are multiplied
	RecordSlots        = 24 // one word per block that has several copies
)

// HostBuffers are the buffers of a host that trusted programs do not read.
var HostBuffers = []string{"AttributeWords", "Shadings", "Values", "Uniforms"}

// Layout describes the host's buffers.
type Layout struct {
	Words int  // of a draw's record: RecordSlots and one word per slot
	Clip  bool // whether positions are multiplied by the record's matrix; otherwise it is not read
	// Precise keeps drivers from fusing products and sums of programs, which they may do
	// differently in each pipeline. Programs with an invariant output always get this.
	Precise bool
	// Trusted is for a program whose data come from the host's own author. There are no records,
	// indices are not held within bounds, and specialization constants stay.
	Trusted bool
	// Shown is the output that shown receives; it receives 0 from programs without such an output.
	// If Shown is empty, shown is the sum of all outputs, so that drivers do not optimize any of
	// them away.
	Shown string
	// LoopEnds is the binding, in the set of Values, of a buffer of one uint. It receives a number
	// above 0 if a program's loops had to end: its index and 1. 0 means that there is no such buffer.
	LoopEnds uint32
	// Distances are the most that programs write. Where the host is a vertex shader, they are its
	// outputs; in others they go to the buffer at binding Stored, in the set of Values: so many floats
	// for each vertex of a draw, clip distances first.
	Distances module.Distances
	Stored    uint32
	// Unless Scale is 0, what is shown is multiplied by Scale, and Offset is added.
	Scale, Offset float32
}

// Program is a decoded vertex shader and what its inputs read. The reader of the file makes it,
// and scenes, plans and Join hand it on. Several programs may share one Vertex.
type Program struct {
	Name   string // for messages: a file, or a pipeline of the game
	Vertex *module.Vertex
	Source string        // the GLSL that a captured frame has of it, or empty
	Inputs []Input       // a matrix or an array reads several locations
	Blocks []BlockLayout // by Vertex.Blocks; the host's planner sets it
}

// Input says what a location reads.
type Input struct {
	Location  uint32
	Attribute int                 // its number, not below 0; or one of the host's buffers
	Format    vertexformat.Format // in which elements are read, of the attribute's size; for scenes 0 means the attribute's own

	Value [4]uint32 // bits of the components, of FromConstant

	// The host's planner sets these, for attributes.
	FirstByte uint32 // of element 0
	PerDraw   bool   // one element per draw; otherwise per vertex of the pool
}

// Values of Input.Attribute for what is no attribute.
const (
	FromPositions = -1 - iota // the pool: three floats per vertex
	FromNormals               // the same
	FromSkin                  // the host's buffer Skin: two numbers
	FromClip                  // what custom_vertex has as clip, for a matrix: model to clip space
	FromConstant              // Input.Value, for all vertices
)

// input returns what a location reads: the last of Inputs counts.
func (p *Program) input(location uint32) (Input, bool) {
	for _, in := range slices.Backward(p.Inputs) {
		if in.Location == location {
			return in, true
		}
	}
	return Input{}, false
}

// BlockLayout says where a block's contents are.
type BlockLayout struct {
	// Copies are contiguous in Values, module.Block.Stride bytes apart, from byte Base on, which
	// is a multiple of module.Block.Align. Word Slot of the draw's record selects the copy; Slot 0
	// means that all draws read the first.
	Base uint32
	Slot int
	// Copies is the number of copies if they are in Uniforms instead, where devices read faster.
	// It is 0 for those in Values. All uniform blocks of a program must be in the same place, and
	// so must all push constants. InUniforms reports which may be there.
	Copies int
	// Blocks that end in a runtime array (module.Block.Open) are read from their own
	// binding, in the set of Values. It holds that many elements of the array.
	Binding  uint32
	Elements int
	// Images (module.FetchedImage) are in Values too, each as long as necessary. Word Slot of the
	// draw's record is the position of the image's header, in units of 16 bytes; if Slot is 0, the
	// header is at byte Base for all draws.
}
