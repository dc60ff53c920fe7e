package renderer

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
)

// Captured is the word of CameraHelp for a frame's own view.
const Captured = "captured"

// CapturedCamera sees what the game saw. A picture that is narrower than the
// game's shows more above and below, none less at the sides. Moved about, it
// still sees what is as near as the game did, however large the world.
func CapturedCamera(v *geometry.View, aspect float32) Camera {
	c := Camera{
		Azimuth: v.Azimuth, Elevation: v.Elevation, Distance: v.Distance, FovY: v.FovY,
		Near: v.Near, Far: v.Far, NearMost: v.Near, Orthographic: v.Orthographic,
	}
	c.Target = v.Eye.Add(c.Forward().Mul(c.Distance))
	if aspect < v.Aspect {
		c.FovY = mgl32.RadToDeg(float32(2 * math.Atan(math.Tan(radians(v.FovY)/2)*float64(v.Aspect/aspect))))
	}
	return c
}

// SceneCamera is ParseCamera for a scene that may have a view of its own: that is
// what it sees unless the text says otherwise. view is nil where there is none.
func SceneCamera(text string, box geometry.Box, view *geometry.View, aspect float32) (Camera, error) {
	if text != Captured && (text != "" || view == nil) {
		return ParseCamera(text, box, aspect)
	}
	if view == nil {
		return Camera{}, fmt.Errorf("camera %q: this is no replayed frame: it has no view of its own", text)
	}
	c := CapturedCamera(view, aspect)
	return c, c.Check()
}
