package geometry

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/shaders/interpret"
	"github.com/shadeonce/shadeonce/shaders/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
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
// count, does not depend on it. Nothing in it changes while plans use it.
type Shading struct {
	Name     string // for titles and tables: the shader's file, or "captured"
	Programs []ShaderProgram
	Draws    []DrawShading // by draw of the scene
	Values   [][]byte      // contents of blocks; several draws may share one
	Filled   []Filled      // places in blocks that are written before each picture
	Shown    string        // the output that the varying view shows; empty: none

	// Captured takes world space to the clip space that the shaders' own values place
	// vertices in, after DrawShading.Clip. With another camera than the captured one,
	// positions are taken back by it. Nil where Filled makes positions follow the camera.
	Captured *mgl32.Mat4
}

// ShaderProgram is a vertex shader as Vulkan has it, unmodified, and what its inputs read.
// Several programs may have one Vertex.
type ShaderProgram struct {
	Name   string // for messages: a file, or a pipeline of the game
	Vertex *module.Vertex
	Inputs []ShaderInput
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

// DrawShading is how one draw is shaded.
type DrawShading struct {
	Program int    // of Shading.Programs; -1: by none, so that the draw's Transform places it
	Why     string // by none, and why
	Values  []int  // by Vertex.Blocks of the program, of Shading.Values

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
		if sh.Programs[i].Vertex == nil {
			return fmt.Errorf("vertex shader %d (%q) has no module", i, sh.Programs[i].Name)
		}
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
	for _, x := range sh.Filled {
		if x.Program < 0 || x.Program >= len(sh.Programs) || x.Block < 0 || x.Block >= len(sh.Programs[x.Program].Vertex.Blocks) || x.Offset < 0 || x.MatrixStride < 0 {
			return fmt.Errorf("%s has no place", x.What)
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
	case len(d.Values) != len(sh.Programs[d.Program].Vertex.Blocks):
		return fmt.Errorf("values for %d blocks, but its vertex shader has %d", len(d.Values), len(sh.Programs[d.Program].Vertex.Blocks))
	}
	for _, v := range d.Values {
		if v < 0 || v >= len(sh.Values) {
			return fmt.Errorf("values are %d, but there are %d", v, len(sh.Values))
		}
	}
	if !finite(d.Clip[:]...) {
		return errors.New("clip matrix is not finite")
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

// PlaceShaded sets where the vertex shader of a draw places it (DrawShading.Clip). It does
// nothing where the scene has no vertex shaders.
func (s *Scene) PlaceShaded(draw int, clip mgl32.Mat4) {
	if s.Shading != nil {
		s.Shading.Draws[draw].Clip = clip
	}
}

// ShaderOfDraw is the name of the vertex shader that the scene brings along for a draw; empty
// where there is none.
func (s *Scene) ShaderOfDraw(draw int) string {
	if s.Shading == nil || s.Shading.Draws[draw].Program < 0 {
		return ""
	}
	return s.Shading.Programs[s.Shading.Draws[draw].Program].Name
}

// OnlyProgram is the draws of the scene that a program of its shading shades, with that
// program alone.
func (s *Scene) OnlyProgram(program int) *Scene {
	var draws []int
	for i := range s.Shading.Draws {
		if s.Shading.Draws[i].Program == program {
			draws = append(draws, i)
		}
	}
	one := s.Only(draws) // whose shading and its draws are copies
	one.Shading.Programs = s.Shading.Programs[program : program+1]
	for i := range one.Shading.Draws {
		one.Shading.Draws[i].Program = 0
	}
	return one
}

// CapturedShading is how the scene's own vertex shaders shade it, and shown the output that
// the varying view shows; nil where the scene brings none along.
func (s *Scene) CapturedShading(shown string) *Shading {
	if s.Shading == nil {
		return nil
	}
	own := *s.Shading
	own.Name, own.Shown = "captured", shown
	if s.View() != nil {
		own.Captured = &s.Capture.Clip
	}
	return &own
}

// Reads is what a draw of a scene that the shading is valid for gives its vertex shader.
// Vertex i is what the index i of the draw names. The draw has a program.
func (sh *Shading) Reads(s *Scene, draw int) *interpret.Draw {
	shaded := &sh.Draws[draw]
	d := &interpret.Draw{
		BaseVertex: shaded.BaseVertex, BaseInstance: shaded.BaseInstance, Instance: shaded.Instance, DrawIndex: shaded.DrawIndex,
	}
	for _, in := range sh.Programs[shaded.Program].Inputs {
		d.Inputs = append(d.Inputs, s.shaderInput(draw, in))
	}
	for _, v := range shaded.Values {
		d.Blocks = append(d.Blocks, sh.Values[v])
	}
	return d
}

// shaderInput is where an input of a draw's vertex shader finds its elements.
func (s *Scene) shaderInput(draw int, in ShaderInput) interpret.Input {
	d := &s.Draws[draw]
	if in.Attribute < 0 {
		pool := s.Positions
		if in.Attribute == FromNormals {
			pool = s.Normals
		}
		var data []byte
		if len(pool) > 0 {
			data = make([]byte, 0, 12*int(d.VertexCount))
			for _, v := range pool[d.VertexOffset:][:d.VertexCount] {
				for _, f := range v {
					data = binary.LittleEndian.AppendUint32(data, math.Float32bits(f))
				}
			}
		}
		return interpret.Input{Location: in.Location, Format: vertexformat.R32G32B32_SFLOAT, Data: data, Stride: 12}
	}
	a := &s.Attributes[in.Attribute]
	size, format := a.Format.Size(), cmp.Or(in.Format, a.Format)
	if a.PerDraw {
		return interpret.Input{Location: in.Location, Format: format, Data: a.Element(draw)}
	}
	return interpret.Input{Location: in.Location, Format: format, Data: a.Data[int(d.VertexOffset)*size:][:int(d.VertexCount)*size], Stride: size}
}
