package geometry

import (
	"fmt"

	"github.com/go-gl/mathgl/mgl32"
)

// Capture is what a scene that is a captured frame has besides its geometry.
type Capture struct {
	View     *View     // where the game saw it from; nil where the frame does not tell
	Placings []Placing // by draw; empty where the frame does not tell where they stand

	// Clip takes world space to the clip space that the scene's Shading leads to.
	Clip mgl32.Mat4
}

// View is where the game saw a captured frame from; nil where the scene does not
// tell.
func (s *Scene) View() *View {
	if s.Capture == nil {
		return nil
	}
	return s.Capture.View
}

// Placing says how draw i of a replayed frame came to where it stands. It is zero
// for any other scene.
func (s *Scene) Placing(i int) Placing {
	if s.Capture == nil || len(s.Capture.Placings) == 0 {
		return Placing{}
	}
	return s.Capture.Placings[i]
}

// PlaceNote says which draws of a captured frame do not stand where the game has them;
// empty where all do.
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

	// Residual is how far outputs of the draw's vertex shader are from those of
	// its Transform at most, relative to an output's distance.
	Residual float32

	// Steps is how many instructions its vertex shader takes a vertex, in the mean; 0
	// where that is not known.
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
