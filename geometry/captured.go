package geometry

import (
	"fmt"

	"github.com/go-gl/mathgl/mgl32"
)

// Capture is what a captured frame has besides the geometry of its scene.
type Capture struct {
	View     *View     // where the game's camera was; nil if the frame does not say
	Placings []Placing // by draw; empty if the frame does not say where the draws are

	Passes []Pass // of the frame, in order; empty as Placings is

	// Clip maps world space to the clip space of the scene's Shading.
	Clip mgl32.Mat4
}

// Pass is a pass of a captured frame: the draws between two changes of the target.
type Pass struct {
	Name      string `json:"pass"` // as in the names of its draws
	Draws     int    `json:"draws"`
	Triangles int    `json:"triangles"`
	Shown     int    `json:"shown"`  // draws that the scene shows
	Camera    bool   `json:"camera"` // whether the scene's camera is the pass's
}

// View returns the game's camera, or nil if it is not known.
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

// drawsText counts the draws; with their instances, each of which is a draw of the scene, if the
// file has fewer draws.
func (s *Scene) drawsText() string {
	draws := 0
	for i := range s.Draws {
		if i == 0 || s.Number(i) != s.Number(i-1) {
			draws++
		}
	}
	if draws == len(s.Draws) {
		return fmt.Sprintf("%d draws", draws)
	}
	return fmt.Sprintf("%d instances of %d draws", len(s.Draws), draws)
}

// PlaceNote says how many draws of a captured frame could not be placed as in the game. It is
// empty if all could be placed.
func (s *Scene) PlaceNote() string {
	switch {
	case s.Capture == nil || len(s.Draws) < 2:
		return ""
	case s.Capture.View == nil:
		return s.drawsText() + ", not placed: the capture does not say where they stand"
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
	return fmt.Sprintf("%d of %s not placed: they are counted, not shown", hidden, s.drawsText())
}

// View is the camera of a game. The camera is held level; angles are in degrees, lengths in scene
// units.
type View struct {
	Eye          mgl32.Vec3
	Azimuth      float32 // about +Y; 0 looks along -Z
	Elevation    float32 // how far the camera looks down
	Distance     float32 // from the eye to the point it looks at
	FovY         float32 // vertical field of view
	Near, Far    float32 // distances of the clip planes
	Aspect       float32 // width by height
	Orthographic bool    // parallel projection that shows at every distance what FovY shows at Distance
}

// Placing says how a draw of a replayed frame was placed.
type Placing struct {
	How Placed

	// Residual is the largest distance between an output of the draw's vertex shader and
	// that of its Transform, relative to the output's distance.
	Residual float32

	// Steps is the mean number of instructions that the draw's vertex shader executes per vertex,
	// or 0 if that is not known.
	Steps float32
}

// Placed is a way to place a draw.
type Placed uint8

// The ways to place a draw.
const (
	AsFile   Placed = iota // as the file says; the scene is not a replayed frame
	Fitted                 // by the linear transform that the vertex shader computes
	Captured               // at the shader's outputs, since they are not a linear transform of its inputs
	Hidden                 // shrunk to a point, so that it is counted but not seen: the draw writes no depth, is seen by another camera, or lies flat on the screen
)

func (p Placed) String() string { return [...]string{"", "fitted", "captured", "hidden"}[p&3] }
