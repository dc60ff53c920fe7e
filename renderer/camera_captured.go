package renderer

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
)

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
