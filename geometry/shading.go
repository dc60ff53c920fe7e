package geometry

import (
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry/vertexformat"
)

// Attribute is data that a vertex shader can read beside positions and normals.
type Attribute struct {
	Name    string // as the file names it: "TEXCOORD_0", "_WIND", "confidence"
	Format  vertexformat.Format
	PerDraw bool   // one element per draw of the scene; else one per vertex of the pool
	Data    []byte // elements of Format.Size() bytes without gaps, little endian
}

// Shading says by which vertex shaders the draws of a scene are shaded, and with which
// values: a game's own, or one that the user has named. The index stream, and so every
// count, does not depend on it.
type Shading struct {
	Programs []ShaderProgram
	Draws    []DrawShading // by draw of the scene
	Values   [][]byte      // contents of blocks; several draws may share one
}

// ShaderProgram is a vertex shader as Vulkan has it, unmodified, and what it reads.
type ShaderProgram struct {
	Name           string // for messages: a file, or a pipeline of the game
	Code           []uint32
	Entry          string            // entry point, of the vertex stage
	Specialization map[uint32]uint32 // by SpecId, its bits; constants not named keep their defaults
	Inputs         []ShaderInput
	Blocks         []ShaderBlock
}

// ShaderInput says which data an input of a vertex shader reads.
type ShaderInput struct {
	Location  uint32
	Attribute int // of Scene.Attributes; FromPositions or FromNormals for the scene's own pools
}

// ShaderInput.Attribute of inputs that read the scene's pools, three floats a vertex.
const (
	FromPositions = -1
	FromNormals   = -2
)

// BlockKind is how a vertex shader declares a block of values.
type BlockKind uint8

// The kinds of blocks.
const (
	UniformBlock  BlockKind = iota + 1
	StorageBlock            // only read
	PushConstants           // Set and Binding are 0
)

// ShaderBlock is a buffer of values that a vertex shader reads.
type ShaderBlock struct {
	Kind         BlockKind
	Set, Binding uint32
	Element      uint32 // of an array of blocks; 0 where it is none
}

// DrawShading is how one draw is shaded.
type DrawShading struct {
	Program int   // of Shading.Programs; -1: by none, so that the draw's Transform places it
	Values  []int // by ShaderProgram.Blocks, of Shading.Values

	// What the built-in variables say. VertexIndex is id + BaseVertex, where id is what
	// the draw's indices name, and InstanceIndex is Instance, which includes BaseInstance.
	BaseVertex, BaseInstance, Instance, DrawIndex int32

	// Clip turns the shader's clip coordinates into ours: y down, depth 0 to w. It is
	// the identity for Vulkan.
	Clip mgl32.Mat4
}

// OneDraw is a scene of one of the scene's draws, over the same pools. What belongs to each
// draw is that draw's.
func (s *Scene) OneDraw(i int) *Scene {
	one := *s
	one.Draws = s.Draws[i : i+1]
	one.Attributes = slices.Clone(s.Attributes)
	for k := range one.Attributes {
		if a := &one.Attributes[k]; a.PerDraw {
			size := a.Format.Size()
			a.Data = a.Data[i*size : (i+1)*size]
		}
	}
	if s.Shading != nil {
		shading := *s.Shading
		shading.Draws = s.Shading.Draws[i : i+1]
		one.Shading = &shading
	}
	return &one
}
