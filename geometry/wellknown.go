package geometry

import "fmt"

// Filled is a place in a block whose value follows the camera or the draw.
type Filled struct {
	Program, Block int // indices into Shading.Programs and the program's Blocks
	Offset         int // in the block, in bytes
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
	switch w {
	case ModelMatrix, ModelViewMatrix, ModelViewProjectionMatrix, NormalMatrix, ModelNormalMatrix, InverseModelMatrix, InverseModelViewMatrix, InverseModelViewProjectionMatrix:
		return true
	}
	return false
}

// Shape returns the value's own columns and rows: 4 and 4, or 3 and 3; a vector has 1 column.
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
