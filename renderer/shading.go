package renderer

import (
	"errors"
	"fmt"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
)

// Shading is the vertex shaders of a frame that are not ours: a file of the user's for
// all draws, or those of a captured frame. Its draws are the scene's. Nothing in it
// changes while plans use it.
type Shading struct {
	*geometry.Shading
	Name   string   // for titles and tables: the shader's file, or "captured"
	Filled []Filled // values that follow camera and draw, written before each picture
	Shown  string   // the output that the varying view shows; empty: none

	// Captured takes world space to the clip space that the shaders' own values place
	// vertices in, after DrawShading.Clip. With another camera than the captured one,
	// positions are taken back by it. Nil where Filled makes positions follow the camera.
	Captured *mgl32.Mat4
}

// Filled is a place in a block whose value follows the camera or the draw.
type Filled struct {
	Program, Block int // into Shading.Programs and its Blocks
	Offset         int // bytes, in the block
	What           WellKnown

	// The member's type: Rows components of Columns columns, 32-bit floats. What has
	// more is cut, so that a 3x3 matrix takes the upper left of a 4x4 one.
	Columns, Rows int
	MatrixStride  int // bytes between columns, or rows where RowMajor
	RowMajor      bool
}

// WellKnown is a value that the frame knows. Matrices take column vectors, as GLSL
// writes m*v. Clip space is Vulkan's: y down, depth 0 to w.
type WellKnown uint8

// The well-known values.
const (
	ModelMatrix                      WellKnown = iota // the draw's Transform: model to world
	ViewMatrix                                        // world to eye: x right, y up, looking along -z
	ProjectionMatrix                                  // eye to clip
	ViewProjectionMatrix                              // world to clip
	ModelViewMatrix                                   // model to eye
	ModelViewProjectionMatrix                         // model to clip; the bits are those that our own vertex shaders use
	NormalMatrix                                      // inverse transpose of ModelViewMatrix
	ModelNormalMatrix                                 // inverse transpose of ModelMatrix
	InverseModelMatrix                                // world to model
	InverseViewMatrix                                 // eye to world
	InverseProjectionMatrix                           // clip to eye
	InverseViewProjectionMatrix                       // clip to world
	InverseModelViewMatrix                            // eye to model
	InverseModelViewProjectionMatrix                  // clip to model
	CameraPosition                                    // of the eye in world space: x, y, z, 1
	ViewDirection                                     // the unit direction of view in world space: x, y, z, 0
	Time                                              // Camera.Time
	Viewport                                          // width and height of the picture in pixels, and 1 divided by each
)

// WellKnownNames are the names of the well-known values, in value order.
var WellKnownNames = []string{
	"model", "view", "projection", "viewProjection", "modelView", "modelViewProjection", "normalMatrix", "modelNormalMatrix",
	"inverseModel", "inverseView", "inverseProjection", "inverseViewProjection", "inverseModelView", "inverseModelViewProjection",
	"cameraPosition", "viewDirection", "time", "viewport",
}

func (w WellKnown) String() string { return nameOf(WellKnownNames, uint32(w)) }

// PerDraw says whether the value differs between draws.
func (w WellKnown) PerDraw() bool {
	switch w {
	case ModelMatrix, ModelViewMatrix, ModelViewProjectionMatrix, NormalMatrix, ModelNormalMatrix, InverseModelMatrix, InverseModelViewMatrix, InverseModelViewProjectionMatrix:
		return true
	}
	return false
}

// Shape is the value's own columns and rows: 4 and 4, 3 and 3, or 1 column.
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

// checkShading refuses vertex shaders that do not fit the frame.
func (f *Frame) checkShading() error {
	s := f.Shading
	switch {
	case s == nil && f.View == Varying:
		return errors.New("the varying view shows an output of a vertex shader that is given as a file, and there is none")
	case s == nil:
		return nil
	case f.View == Varying && s.Shown == "":
		return errors.New("the varying view shows an output of the vertex shader, and none is named")
	case f.Scene.Computed != nil:
		return fmt.Errorf("vertex shader %s is given vertices of stored meshes, not of one that is subdivided while it is drawn", s.Name)
	case f.VertexShader != Transform:
		return fmt.Errorf("vertex shaders %s and %s at once", f.VertexShader, s.Name)
	case s.Shading == nil:
		return fmt.Errorf("vertex shader %s without programs and draws", s.Name)
	}
	if err := s.Validate(f.Scene); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	for _, p := range s.Filled {
		if p.Program < 0 || p.Program >= len(s.Programs) || p.Block < 0 || p.Block >= len(s.Programs[p.Program].Blocks) || p.Offset < 0 || p.MatrixStride < 0 {
			return fmt.Errorf("vertex shader %s: %s has no place", s.Name, p.What)
		}
	}
	return nil
}
