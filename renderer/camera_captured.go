package renderer

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
)

// CapturedCamera returns the game's own camera. A picture narrower than the game's shows more
// above and below, and no less at the sides. When the camera moves, its near plane stays as close
// as the game's, however large the world is.
func CapturedCamera(v *geometry.View, aspect float32) Camera {
	if v == nil {
		return Camera{}
	}
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
