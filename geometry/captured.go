package geometry

import (
	"fmt"

	"github.com/go-gl/mathgl/mgl32"
)

// Capture holds what a captured frame adds to the geometry of its scene.
type Capture struct {
	View     *View     // where the game saw it from; nil where the frame does not tell
	Placings []Placing // by draw; empty where the frame does not tell where they stand

	// Clip takes world space to the clip space that the scene's Shading leads to.
	Clip mgl32.Mat4
}

// View returns where the game saw the frame from, or nil if that is not known.
func (s *Scene) View() *View {
	if s.Capture == nil {
		return nil
	}
	return s.Capture.View
}

// Placing says how draw i of a replayed frame was placed. It is zero for other scenes.
func (s *Scene) Placing(i int) Placing {
	if s.Capture == nil || len(s.Capture.Placings) == 0 {
		return Placing{}
	}
	return s.Capture.Placings[i]
}

// PlaceNote says how many draws of a captured frame could not be placed as in the game. It is
// empty if all could.
func (s *Scene) PlaceNote() string {
	switch {
	case s.Capture == nil || len(s.Draws) < 2:
		return ""
	case s.Capture.View == nil:
		return fmt.Sprintf("%d draws, not placed: the capture does not say where they stand", len(s.Draws))
	}
	hidden := 0
	for _, p := range s.Capture.Placings {
		if p.How == Hidden {
			hidden++
		}
	}
	if hidden == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d draws not placed: they are counted, not shown", hidden, len(s.Draws))
}

// View is where a game saw a frame from. The camera is held level; angles are in
// degrees, lengths in scene units.
type View struct {
	Eye          mgl32.Vec3
	Azimuth      float32 // about +Y; 0 looks along -Z
	Elevation    float32 // by which it looks down
	Distance     float32 // from the eye to what is looked at
	FovY         float32 // vertical field of view
	Near, Far    float32 // distances of the clip planes
	Aspect       float32 // width by height
	Orthographic bool    // parallel projection of what FovY shows at Distance
}

// Placing says how a draw of a replayed frame came to where it stands.
type Placing struct {
	How Placed

	// Residual is the largest distance between an output of the draw's vertex shader and
	// that of its Transform, relative to the output's distance.
	Residual float32

	// Steps is the mean number of instructions that its vertex shader takes per vertex, or 0
	// if that is not known.
	Steps float32
}

// Placed is a way to place a draw.
type Placed uint8

// The ways to place a draw.
const (
	AsFile   Placed = iota // as the file says: no replayed frame
	Fitted                 // by the linear transform that its vertex shader computes
	Captured               // its vertex shader is not linear: its positions are the shader's outputs
	Hidden                 // it writes no depth, is seen by another camera, or lies flat on the screen: shrunk to a point, so that it is counted and not seen
)

func (p Placed) String() string { return [...]string{"", "fitted", "captured", "hidden"}[p&3] }
