// Package link turns vertex shaders, as compilers write them for Vulkan, into functions
// and joins them with the module of a pass, which is the host. The host calls
//
//	vec4 custom_vertex(uint draw, uint vertex, uint id, out vec4 shown)
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
//
// The package is pure Go and knows no Vulkan device.
package link

import (
	"github.com/shadeonce/shadeonce/shaders/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// Where the words of a draw's record in Shadings lie.
const (
	RecordProgram      = 0 // of the programs that Join was given
	RecordBaseVertex   = 1
	RecordBaseInstance = 2
	RecordInstance     = 3 // includes BaseInstance
	RecordDrawIndex    = 4
	RecordClip         = 8  // 16 floats, column after column: what positions are multiplied by
	RecordSlots        = 24 // a word per block that has several copies
)

// Layout says how the host's buffers are laid out.
type Layout struct {
	Words int  // of a draw's record: RecordSlots and a word per slot
	Clip  bool // positions are multiplied by the record's matrix; else it is not read
	// Precise keeps drivers from fusing products and sums of programs, which they may do
	// differently from pipeline to pipeline. Programs with an invariant output have it anyway.
	Precise bool
}

// Program is a vertex shader and where it finds what it reads.
type Program struct {
	Vertex *module.Vertex
	Inputs map[uint32]InputLayout // by location; a matrix or an array reads several
	Blocks []BlockLayout          // by Vertex.Blocks
	// Shown is the output of Vertex.Outputs that shown receives; 0 where there is none of the
	// name. Where it is empty, shown is the sum of all outputs, so that drivers leave no work
	// for them out where it is used.
	Shown string
}

// Source is where an input's data come from.
type Source uint8

// Sources.
const (
	Attributes Source = iota // custom_fetch
	Positions
	Normals
)

// InputLayout says what a location reads.
type InputLayout struct {
	Source    Source
	Format    vertexformat.Format // Attributes
	FirstByte uint32              // Attributes: of element 0
	PerDraw   bool                // Attributes: an element per draw; else one per vertex of the pool
}

// BlockLayout says where a block's contents are.
type BlockLayout struct {
	// Copies lie side by side in Values, module.Block.Stride bytes apart, from byte Base on,
	// a multiple of module.Block.Align. The draw's record says which one at word Slot; 0
	// where all draws read the first.
	Base uint32
	Slot int
	// Copies that lie in Uniforms instead, where devices read faster, have a number: Copies.
	// It is 0 of those in Values. All uniform blocks of a program are in one of the two, and
	// so are all push constants. InUniforms says which may lie there.
	Copies int
	// Blocks that end in an array without a length (module.Block.Open) are read from a
	// binding of their own, in the set of Values, which holds so many elements of the array.
	Binding  uint32
	Elements int
	// Images (module.FetchedImage) lie in Values too, each as long as it is. Where the head
	// of a draw's image is, in units of 16 bytes, is the word Slot of its record; where that
	// is 0, byte Base is where it is for all draws.
}
