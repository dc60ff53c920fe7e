package renderer

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
)

const (
	// ZoomStep is the factor of one notch of a mouse wheel.
	ZoomStep = 1.15
	// FurthestTarget bounds how far the target is from the scene's centre, in radii of the scene.
	// The eye is bounded too, since float32 is not precise enough beyond.
	FurthestTarget          = 1e2
	nearestEye, furthestEye = 2e-3, 1e3 // from the target
	// orbitDegrees and lookDegrees are the turns for a drag over the whole height of a window.
	orbitDegrees, lookDegrees = 240, 120
)

// Isometric is the elevation from which a cube's edges appear equally long.
var Isometric = mgl32.RadToDeg(float32(math.Atan(math.Sqrt2 / 2)))

// WrapDegrees wraps an angle to -180..180.
func WrapDegrees(a float64) float32 { return float32(math.Remainder(a, 360)) }

// turn adds to the angles, and stops at the poles.
func (c *Camera) turn(azimuth, elevation float64) {
	c.Azimuth = WrapDegrees(float64(c.Azimuth) + azimuth)
	c.Elevation = float32(min(max(float64(c.Elevation)+elevation, -90), 90))
}

// Orbit turns the camera about its target for a drag, given in window heights.
func (c *Camera) Orbit(dx, dy float64) { c.turn(-dx*orbitDegrees, dy*orbitDegrees) }

// LookFrom turns the camera about its target, to look from a direction. If that is the up axis,
// the azimuth stays.
func (c *Camera) LookFrom(direction mgl32.Vec3) {
	d := c.Up.back(direction.Normalize())
	c.Elevation = mgl32.RadToDeg(float32(math.Asin(float64(min(max(d[1], -1), 1)))))
	if d[0] != 0 || d[2] != 0 {
		c.Azimuth = mgl32.RadToDeg(float32(math.Atan2(float64(d[0]), float64(d[2]))))
	}
}

// TurnAbout makes a point the target and keeps the distance to the eye.
func (c *Camera) TurnAbout(box geometry.Box, pivot mgl32.Vec3) {
	c.Target = nearTo(box, pivot)
	c.SetPlanes(box)
}

// LookAround turns the view about the eye for a drag, given in window heights.
func (c *Camera) LookAround(box geometry.Box, dx, dy float64) {
	eye := c.Eye()
	c.turn(-dx*lookDegrees, dy*lookDegrees)
	c.Target = nearTo(box, eye.Add(c.Forward().Mul(c.Distance)))
	c.SetPlanes(box)
}

// Pan moves the target so that the scene follows a drag, given in window heights.
func (c *Camera) Pan(box geometry.Box, dx, dy float64) {
	visible := 2 * float64(c.Distance) * math.Tan(float64(c.FovY)*math.Pi/360)
	c.Move(box, mgl32.Vec3{float32(-dx * visible), float32(dy * visible), 0})
}

// Move moves eye and target: to the right, up, and forward.
func (c *Camera) Move(box geometry.Box, by mgl32.Vec3) {
	right, up := c.Basis()
	c.Target = nearTo(box, c.Target.Add(right.Mul(by[0])).Add(up.Mul(by[1])).Add(c.Forward().Mul(by[2])))
	c.SetPlanes(box)
}

// Dolly moves the eye towards the target by notches of a mouse wheel.
func (c *Camera) Dolly(box geometry.Box, notches float64) {
	distance := float64(c.Distance) / math.Pow(ZoomStep, min(max(notches, -50), 50))
	r := float64(max(box.Radius(), 1e-20))
	distance = min(max(distance, nearestEye*r), furthestEye*r)
	c.Zoom(float32(float64(c.Distance)/distance), box)
}

// nearTo clamps a target to the range where float32 is precise enough.
func nearTo(box geometry.Box, target mgl32.Vec3) mgl32.Vec3 {
	offset := target.Sub(box.Center())
	if length, most := offset.Len(), FurthestTarget*max(box.Radius(), 1e-20); length > most {
		offset = offset.Mul(most / length)
	}
	return box.Center().Add(offset)
}
