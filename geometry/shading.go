package geometry

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/internal/spirv/interpret"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// Attribute is data that a vertex shader can read besides positions and normals.
type Attribute struct {
	Name    string // as the file names it: "TEXCOORD_0", "_WIND", "confidence"
	Format  vertexformat.Format
	PerDraw bool   // one element per draw of the scene; else one per vertex of the pool
	Data    []byte // elements of Format.Size() bytes without gaps, little endian
	Missing int    // how many vertices of the pool have no value in the file; they get 0, 0, 0, 1
}

// Shading says which vertex shaders shade the draws of a scene, and with which values. The shaders
// are a game's own, or one that the user has named. Shading changes neither the index stream nor
// any count. It must not change while plans use it.
type Shading struct {
	Name     string         // for titles and tables: the shader's file, or "captured"
	Programs []link.Program // Input.Attribute is an index into Scene.Attributes
	Draws    []DrawShading  // by draw of the scene
	Values   [][]byte       // contents of the programs' blocks (module.Block); several draws may share one
	Filled   []Filled       // values that are written into blocks before each picture
	Shown    string         // name of the shaders' output that the varying view shows, or ""
	Notes    []string       // inputs that the scene lacks, and what is read instead, one line each

	// Captured maps world space to the clip space of the captured camera. The shaders, followed by
	// DrawShading.Clip, place vertices there, since they read the captured values. To draw with another
	// camera, the inverse of Captured takes positions back to world space. Captured is nil if Filled makes
	// positions follow the camera, or if no camera was captured.
	Captured *mgl32.Mat4
}

// DrawShading says how one draw is shaded.
type DrawShading struct {
	Program int    // index into Shading.Programs; -1 for none, so that the draw's Transform places it
	Why     string // why the draw has no program
	Values  []int  // index into Shading.Values for each of the program's Vertex.Blocks

	// The values of the built-in variables. VertexIndex is BaseVertex plus the index that the draw
	// reads; InstanceIndex is Instance, which includes BaseInstance.
	BaseVertex, BaseInstance, Instance, DrawIndex int32

	// Clip converts the shader's clip coordinates to ours: y down, depth 0 to w; in a captured frame whose draws are
	// placed, to those of the captured camera. For a shader that the user has named it is the identity, unless the
	// uniforms file sets it.
	Clip mgl32.Mat4

	// Target converts the shader's clip coordinates to Vulkan's clip space for the render target of
	// the captured draw. It is zero if no frame was captured.
	Target mgl32.Mat4
}

// validateShading checks the attributes, and the shading if there is one.
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

// validateAttribute checks that an attribute has as many elements as there are draws or vertices.
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

// Validate checks that every program, attribute, block and value that the shading refers to exists,
// and that the attributes that it reads are complete.
func (sh *Shading) Validate(s *Scene) error {
	if s == nil {
		return errors.New("vertex shaders for no scene")
	}
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
		return fmt.Errorf("vertex shaders for %d draws, but the scene has %d", len(sh.Draws), len(s.Draws))
	}
	for i := range sh.Draws {
		if err := sh.validateDraw(&sh.Draws[i]); err != nil {
			return fmt.Errorf("draw %d (%q): %w", i, s.Draws[i].Name, err)
		}
	}
	for _, x := range sh.Filled {
		if x.Program < 0 || x.Program >= len(sh.Programs) || x.Block < 0 || x.Block >= len(sh.Programs[x.Program].Vertex.Blocks) || x.Offset < 0 || x.MatrixStride < 0 {
			return fmt.Errorf("%s: its program, block or offset does not exist", x.What)
		}
	}
	return nil
}

// validateInput checks an input and the data that it reads.
func (s *Scene) validateInput(in link.Input) error {
	switch n := len(s.Attributes); {
	case in.Attribute == link.FromPositions || in.Attribute == link.FromNormals || in.Attribute == link.FromConstant:
		return nil
	case in.Attribute < 0 || in.Attribute >= n:
		return fmt.Errorf("reads attribute %d, but the scene has %d", in.Attribute, n)
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
		return fmt.Errorf("uses vertex shader %d, but the scene has %d", d.Program, len(sh.Programs))
	case len(d.Values) != len(sh.Programs[d.Program].Vertex.Blocks):
		return fmt.Errorf("has values for %d blocks, but its vertex shader has %d blocks", len(d.Values), len(sh.Programs[d.Program].Vertex.Blocks))
	}
	for _, v := range d.Values {
		if v < 0 || v >= len(sh.Values) {
			return fmt.Errorf("uses values %d, but the scene has %d", v, len(sh.Values))
		}
	}
	if !exact.Finite(d.Clip[:]...) {
		return errors.New("clip matrix is not finite")
	}
	return nil
}

// Element returns element i of the data.
func (a *Attribute) Element(i int) []byte {
	size := a.Format.Size()
	return a.Data[i*size:][:size:size]
}

// ShadeDraws gives the scene the attributes and the shading of another scene. Draw i of this scene
// is draw draws[i] of the other; the vertices are the same.
func (s *Scene) ShadeDraws(of *Scene, draws []int) {
	if of == nil {
		return
	}
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

// PlaceShaded sets the DrawShading.Clip of a draw. It does nothing if the scene has no vertex
// shaders.
func (s *Scene) PlaceShaded(draw int, clip mgl32.Mat4) {
	if s.Shading != nil {
		s.Shading.Draws[draw].Clip = clip
	}
}

// ShaderOfDraw returns the name of the scene's own vertex shader for a draw, or "".
func (s *Scene) ShaderOfDraw(draw int) string {
	if s.Shading == nil || s.Shading.Draws[draw].Program < 0 {
		return ""
	}
	return s.Shading.Programs[s.Shading.Draws[draw].Program].Name
}

// OnlyProgram returns the scene with only one program of its shading, and with only the draws that this
// program shades. If the shading has no such program, the result has no draws.
func (s *Scene) OnlyProgram(program int) *Scene {
	if s.Shading == nil || program < 0 || program >= len(s.Shading.Programs) {
		return s.Only(nil)
	}
	var draws []int
	for i := range s.Shading.Draws {
		if s.Shading.Draws[i].Program == program {
			draws = append(draws, i)
		}
	}
	one := s.Only(draws) // Only copies the shading and its draws, so that they can be changed
	one.Shading.Programs = s.Shading.Programs[program : program+1]
	for i := range one.Shading.Draws {
		one.Shading.Draws[i].Program = 0
	}
	return one
}

// CapturedShading returns the scene's own shading, for a varying view that shows the output named
// `shown`; an error says why the scene has no shading.
func (s *Scene) CapturedShading(shown string) (*Shading, error) {
	if s.Shading == nil {
		var causes []string
		for _, line := range s.Skipped {
			if cause, ok := strings.CutPrefix(line, FromShaders); ok {
				causes = append(causes, cause)
			}
		}
		if len(causes) > 0 {
			return nil, errors.New(strings.Join(causes, "; "))
		}
		return nil, errors.New("the file brings no vertex shaders along: it is no captured frame that holds them")
	}
	own := *s.Shading
	own.Name, own.Shown = "captured", shown
	if s.View() != nil {
		own.Captured = &s.Capture.Clip
	}
	return &own, nil
}

// Reads returns what a draw's vertex shader reads. The draw must have a program, and the shading must be
// valid for the scene. Element i of a per-vertex input belongs to the vertex that the draw's index i references.
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

// shaderInput returns an input of a draw's vertex shader, with the elements that it reads.
func (s *Scene) shaderInput(draw int, in link.Input) interpret.Input {
	d := &s.Draws[draw]
	if in.Attribute == link.FromConstant {
		data, _ := binary.Append(nil, binary.LittleEndian, in.Value) // no error: its size is fixed
		return interpret.Input{Location: in.Location, Format: in.Format, Data: data}
	}
	if in.Attribute < 0 {
		pool := s.Positions
		if in.Attribute == link.FromNormals {
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

// Filled is a value in a program's block. The renderer sets it from the camera or the draw.
type Filled struct {
	Program, Block int // indices into Shading.Programs and the program's Blocks
	Offset         int // offset in the block, in bytes
	What           WellKnown

	// The member's type: Rows components in each of Columns columns, 32-bit floats. A larger value
	// is cut: a 3x3 matrix takes the upper left of a 4x4 one.
	Columns, Rows int
	MatrixStride  int // bytes between columns, or between rows if RowMajor
	RowMajor      bool
}

// WellKnown is a value that the renderer knows. Matrices multiply column vectors (m*v in GLSL).
// Clip space is Vulkan's: y down, depth 0 to w.
type WellKnown uint8

// The well-known values.
const (
	ModelMatrix                      WellKnown = iota // the draw's Transform: model to world
	ViewMatrix                                        // world to eye: x right, y up, looking along -z
	ProjectionMatrix                                  // eye to clip
	ViewProjectionMatrix                              // world to clip
	ModelViewMatrix                                   // model to eye
	ModelViewProjectionMatrix                         // model to clip, bit for bit the matrix that our own vertex shaders use
	NormalMatrix                                      // inverse transpose of ModelViewMatrix
	ModelNormalMatrix                                 // inverse transpose of ModelMatrix
	InverseModelMatrix                                // world to model
	InverseViewMatrix                                 // eye to world
	InverseProjectionMatrix                           // clip to eye
	InverseViewProjectionMatrix                       // clip to world
	InverseModelViewMatrix                            // eye to model
	InverseModelViewProjectionMatrix                  // clip to model
	CameraPosition                                    // the eye in world space: x, y, z, 1
	ViewDirection                                     // the unit direction of view in world space: x, y, z, 0
	Time                                              // the camera's time in seconds
	Viewport                                          // width and height of the picture in pixels, and 1 divided by each
)

// WellKnownNames are the names of the well-known values, in value order.
var WellKnownNames = []string{
	"model", "view", "projection", "viewProjection", "modelView", "modelViewProjection", "normalMatrix", "modelNormalMatrix",
	"inverseModel", "inverseView", "inverseProjection", "inverseViewProjection", "inverseModelView", "inverseModelViewProjection",
	"cameraPosition", "viewDirection", "time", "viewport",
}

func (w WellKnown) String() string {
	if int(w) < len(WellKnownNames) {
		return WellKnownNames[w]
	}
	return fmt.Sprintf("unknown(%d)", w)
}

// PerDraw reports whether the value differs between draws.
func (w WellKnown) PerDraw() bool {
	return slices.Contains([]WellKnown{
		ModelMatrix, ModelViewMatrix, ModelViewProjectionMatrix, NormalMatrix, ModelNormalMatrix, InverseModelMatrix, InverseModelViewMatrix, InverseModelViewProjectionMatrix,
	}, w)
}

// Shape returns the value's numbers of columns and rows. A matrix has 4 and 4, or 3 and 3; a vector has 1 and 4, and Time 1 and 1.
func (w WellKnown) Shape() (columns, rows int) {
	switch w {
	case NormalMatrix, ModelNormalMatrix:
		return 3, 3
	case Time:
		return 1, 1
	case CameraPosition, ViewDirection, Viewport:
		return 1, 4
	}
	return 4, 4
}
