package geometry

import (
	"errors"
	"fmt"
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
	Missing int    // vertices of the pool that the file gives no value: those have 0, 0, 0, 1
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
	Attribute int                 // of Scene.Attributes; FromPositions or FromNormals for the scene's own pools
	Format    vertexformat.Format // to read the attribute's elements in, of the same size; 0 is its own
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
	FetchedImage            // or a buffer of texels: module.ImageHead bytes with width and height, then texels of four numbers of 32 bits, row after row
)

// ShaderBlock is a buffer of values that a vertex shader reads.
type ShaderBlock struct {
	Kind         BlockKind
	Set, Binding uint32
	Element      uint32 // of an array of blocks; 0 where it is none
}

// DrawShading is how one draw is shaded.
type DrawShading struct {
	Program int    // of Shading.Programs; -1: by none, so that the draw's Transform places it
	Why     string // by none, and why
	Values  []int  // by ShaderProgram.Blocks, of Shading.Values

	// What the built-in variables say. VertexIndex is id + BaseVertex, where id is what
	// the draw's indices name, and InstanceIndex is Instance, which includes BaseInstance.
	BaseVertex, BaseInstance, Instance, DrawIndex int32

	// Clip turns the shader's clip coordinates into ours: y down, depth 0 to w. It is
	// the identity for Vulkan.
	Clip mgl32.Mat4
}

// validateShading checks the attributes, and the shading where there is one.
func (s *Scene) validateShading() error {
	for i := range s.Attributes {
		if err := s.validateAttribute(i); err != nil {
			return err
		}
	}
	if s.Shading == nil {
		return nil
	}
	return s.Shading.Validate(s)
}

// validateAttribute checks that an attribute is as long as what it belongs to.
func (s *Scene) validateAttribute(i int) error {
	a := &s.Attributes[i]
	n, what := len(s.Positions), "vertices"
	if a.PerDraw {
		n, what = len(s.Draws), "draws"
	}
	if !a.Format.Known() {
		return fmt.Errorf("attribute %d (%q): %v is not known", i, a.Name, a.Format)
	}
	if want := n * a.Format.Size(); len(a.Data) != want {
		return fmt.Errorf("attribute %d (%q): %d bytes for %d %s of %d bytes each", i, a.Name, len(a.Data), n, what, a.Format.Size())
	}
	return nil
}

// Validate checks that the shading names what there is, in itself and in the scene that it
// shades, and that the attributes that it reads are complete.
func (sh *Shading) Validate(s *Scene) error {
	for i := range sh.Programs {
		for _, in := range sh.Programs[i].Inputs {
			if err := s.validateInput(in); err != nil {
				return fmt.Errorf("vertex shader %d (%q): location %d: %w", i, sh.Programs[i].Name, in.Location, err)
			}
		}
	}
	if len(sh.Draws) != len(s.Draws) {
		return fmt.Errorf("vertex shaders for %d draws, but there are %d", len(sh.Draws), len(s.Draws))
	}
	for i := range sh.Draws {
		if err := sh.validateDraw(&sh.Draws[i]); err != nil {
			return fmt.Errorf("draw %d (%q): %w", i, s.Draws[i].Name, err)
		}
	}
	return nil
}

// validateInput checks an input and the data that it reads.
func (s *Scene) validateInput(in ShaderInput) error {
	switch n := len(s.Attributes); {
	case in.Attribute == FromPositions || in.Attribute == FromNormals:
		return nil
	case in.Attribute < 0 || in.Attribute >= n:
		return fmt.Errorf("reads attribute %d, but there are %d", in.Attribute, n)
	}
	if err := s.validateAttribute(in.Attribute); err != nil {
		return err
	}
	if a := &s.Attributes[in.Attribute]; in.Format != 0 && in.Format.Size() != a.Format.Size() {
		return fmt.Errorf("attribute %s of %s is read as %s", a.Name, a.Format, in.Format)
	}
	return nil
}

func (sh *Shading) validateDraw(d *DrawShading) error {
	switch {
	case d.Program == -1:
		return nil
	case d.Program < -1 || d.Program >= len(sh.Programs):
		return fmt.Errorf("vertex shader is %d, but there are %d", d.Program, len(sh.Programs))
	case len(d.Values) != len(sh.Programs[d.Program].Blocks):
		return fmt.Errorf("values for %d blocks, but its vertex shader has %d", len(d.Values), len(sh.Programs[d.Program].Blocks))
	}
	for _, v := range d.Values {
		if v < 0 || v >= len(sh.Values) {
			return fmt.Errorf("values are %d, but there are %d", v, len(sh.Values))
		}
	}
	for _, f := range d.Clip {
		if !finite(f) {
			return errors.New("clip matrix is not finite")
		}
	}
	return nil
}

// Element is element i of the data.
func (a *Attribute) Element(i int) []byte {
	size := a.Format.Size()
	return a.Data[i*size:][:size:size]
}

// ShadeDraws gives the scene the attributes and the shading of another scene, of which
// its draws are some, in the given order; its vertices are the same.
func (s *Scene) ShadeDraws(of *Scene, draws []int) {
	s.Attributes = slices.Clone(of.Attributes)
	for i := range s.Attributes {
		if a := &s.Attributes[i]; a.PerDraw {
			a.Data = make([]byte, 0, a.Format.Size()*len(draws))
			for _, d := range draws {
				a.Data = append(a.Data, of.Attributes[i].Element(d)...)
			}
		}
	}
	if of.Shading != nil {
		shading := *of.Shading
		shading.Draws = make([]DrawShading, len(draws))
		for i, d := range draws {
			shading.Draws[i] = of.Shading.Draws[d]
		}
		s.Shading = &shading
	}
}
