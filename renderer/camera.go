package renderer

import (
	"errors"
	"fmt"
	"image"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
)

// Camera looks at a scene. Angles are in degrees, lengths in scene units.
type Camera struct {
	Target       mgl32.Vec3
	Azimuth      float32 // about Up, which is +Y by default; at 0 it looks along -Z, from +Z
	Elevation    float32 // angle above the horizon, -90..90
	Distance     float32 // from eye to target
	FovY         float32 // vertical field of view
	Near, Far    float32 // distances of the clip planes
	NearMost     float32 // in perspective, the largest distance at which SetPlanes puts the near plane; 0 means no bound
	Orthographic bool    // parallel projection that shows at every distance what FovY shows at Distance
	Up           UpAxis
	Center       mgl32.Vec2 // position of the target in the picture, as in Part
	Time         float32    // seconds, for vertex shaders that move with time
}

// fitMargin scales the distance at which the box just fits the picture.
const fitMargin = 1.06

// FitCamera returns a camera that shows the box from azimuth 30, elevation 20.
func FitCamera(box geometry.Box, aspect float32) Camera {
	c := Camera{Azimuth: 30, Elevation: 20, FovY: 35}
	c.Fit(box, aspect)
	return c
}

// CountCamera returns a camera for work whose result does not depend on the camera: that of
// FitCamera, or any other if the box is too large to be drawn.
func CountCamera(box geometry.Box) Camera {
	if c := FitCamera(box, 1); c.Check() == nil {
		return c
	}
	return FitCamera(geometry.Box{Max: mgl32.Vec3{1, 1, 1}}, 1)
}

// Fit aims the camera, without turning it, at the part of the box that it should show (Box.Shown). It sets
// the distance at which that part fills the picture, except for a small margin.
func (c *Camera) Fit(box geometry.Box, aspect float32) { c.FitInto(box, aspect, Part{}) }

// FitInto is Fit for a part of the picture.
func (c *Camera) FitInto(box geometry.Box, aspect float32, part Part) {
	whole := box
	box = box.Shown()
	c.Target, c.Center = box.Center(), part.Center
	half := part.half()
	right, up := c.Basis()
	forward := c.Forward()
	tan := float32(math.Tan(radians(c.FovY) / 2))
	c.Distance = 0
	for i := range 8 {
		corner := box.Min
		for axis := range 3 {
			if i>>axis&1 == 1 {
				corner[axis] = box.Max[axis]
			}
		}
		p := corner.Sub(c.Target)
		x, y, z := abs(p.Dot(right))/(aspect*half[0]), abs(p.Dot(up))/half[1], p.Dot(forward)
		need := max(x, y) / tan
		if !c.Orthographic {
			need -= z
		}
		c.Distance = max(c.Distance, need)
	}
	c.Distance = max(c.Distance*fitMargin, 1e-20)
	c.SetPlanes(whole)
}

func abs(x float32) float32 { return max(x, -x) }

// SetPlanes puts the clip planes around the box; call it after every move. The near plane is in
// front of the box's shown part, so that a sky dome does not hide that part from outside. In
// perspective the near plane stays in front of the eye, however close the eye is to the box; a
// parallel projection also shows what is behind the eye.
func (c *Camera) SetPlanes(box geometry.Box) {
	c.Far = c.Distance + 1.1*c.reach(box)
	c.Near = c.Distance - 1.1*c.reach(box.Shown())
	if !c.Orthographic {
		c.Near = max(c.Near, c.Far*1e-3)
		if c.NearMost > 0 {
			c.Near = min(c.Near, c.NearMost)
		}
	}
}

// reach returns an upper bound of the distance from the target to any point of the box.
func (c *Camera) reach(box geometry.Box) float32 {
	return max(box.Radius(), 1e-20) + c.Target.Sub(box.Center()).Len()
}

// Zoom moves the eye towards the target by a factor: 2 halves the distance.
func (c *Camera) Zoom(factor float32, box geometry.Box) {
	c.Distance /= factor
	c.SetPlanes(box)
}

// Eye returns the camera's position.
func (c Camera) Eye() mgl32.Vec3 { return c.Target.Sub(c.Forward().Mul(c.Distance)) }

// Forward returns the unit direction of view.
func (c Camera) Forward() mgl32.Vec3 {
	az, el := radians(c.Azimuth), radians(c.Elevation)
	return c.Up.turn(mgl32.Vec3{
		float32(-math.Sin(az) * math.Cos(el)),
		float32(-math.Sin(el)),
		float32(-math.Cos(az) * math.Cos(el)),
	})
}

// Basis returns the camera's directions to the right and up, as unit vectors in world space.
func (c Camera) Basis() (right, up mgl32.Vec3) {
	az, el := radians(c.Azimuth), radians(c.Elevation)
	right = mgl32.Vec3{float32(math.Cos(az)), 0, float32(-math.Sin(az))}
	up = mgl32.Vec3{
		float32(-math.Sin(az) * math.Sin(el)),
		float32(math.Cos(el)),
		float32(-math.Cos(az) * math.Sin(el)),
	}
	return c.Up.turn(right), c.Up.turn(up)
}

func radians(degrees float32) float64 { return float64(degrees) * math.Pi / 180 }

// ViewProj maps world space to Vulkan's clip space: y down, z from 0 at the near plane to w at
// the far plane.
func (c Camera) ViewProj(aspect float32) mgl32.Mat4 {
	right, up := c.Basis()
	forward, eye := c.Forward(), c.Eye()
	view := mgl32.Mat4FromRows(
		right.Vec4(-right.Dot(eye)),
		up.Mul(-1).Vec4(up.Dot(eye)),
		forward.Vec4(-forward.Dot(eye)),
		mgl32.Vec4{0, 0, 0, 1},
	)
	return c.projection(aspect).Mul4(view)
}

// View maps world space to eye space: x to the right, y up, looking along -z.
func (c Camera) View() mgl32.Mat4 {
	right, up := c.Basis()
	back, eye := c.Forward().Mul(-1), c.Eye()
	return mgl32.Mat4FromRows(right.Vec4(-right.Dot(eye)), up.Vec4(-up.Dot(eye)), back.Vec4(-back.Dot(eye)), mgl32.Vec4{0, 0, 0, 1})
}

// Projection maps eye space to Vulkan's clip space.
func (c Camera) Projection(aspect float32) mgl32.Mat4 {
	return c.projection(aspect).Mul4(mgl32.Diag4(mgl32.Vec4{1, -1, -1, 1}))
}

func (c Camera) projection(aspect float32) mgl32.Mat4 {
	scale := float32(1 / math.Tan(radians(c.FovY)/2))
	depth := c.Far - c.Near
	if c.Orthographic {
		scale /= c.Distance
		return mgl32.Mat4FromRows(
			mgl32.Vec4{scale / aspect, 0, 0, c.Center[0]},
			mgl32.Vec4{0, scale, 0, c.Center[1]},
			mgl32.Vec4{0, 0, 1 / depth, -c.Near / depth},
			mgl32.Vec4{0, 0, 0, 1},
		)
	}
	return mgl32.Mat4FromRows(
		mgl32.Vec4{scale / aspect, 0, c.Center[0], 0},
		mgl32.Vec4{0, scale, c.Center[1], 0},
		mgl32.Vec4{0, 0, c.Far / depth, -c.Near * c.Far / depth},
		mgl32.Vec4{0, 0, 1, 0},
	)
}

// Check returns an error for a camera that cannot project.
func (c Camera) Check() error { return c.CheckFor(1) }

// CheckFor is Check for a picture with the given aspect ratio.
func (c Camera) CheckFor(aspect float32) error {
	if c == (Camera{}) {
		return errors.New("the camera is the zero value, which sees nothing: FitCamera makes one")
	}
	for _, f := range c.ViewProj(aspect) {
		if math.IsNaN(float64(f)) || math.IsInf(float64(f), 0) {
			return errors.New("the camera's matrix is not finite: the scene is too large or too far away to be drawn in single precision")
		}
	}
	if !((c.Near > 0 || c.Orthographic) && c.Far > c.Near && c.Distance > 0 && c.FovY > 0 && c.FovY < 180) {
		return fmt.Errorf("camera with distance %g, planes %g to %g, field of view %g",
			c.Distance, c.Near, c.Far, c.FovY)
	}
	return nil
}

const (
	// ZoomStep is the factor of one notch of a mouse wheel.
	ZoomStep = 1.15
	// FurthestTarget bounds how far the target is from the scene's centre, in radii of the scene.
	// The eye is bounded too, since float32 is not precise enough beyond.
	FurthestTarget          = 1e2
	nearestEye, furthestEye = 2e-3, 1e3 // bounds of the eye's distance from the target after Dolly, in radii of the scene
	// orbitDegrees and lookDegrees are the turns for a drag over the whole height of a window.
	orbitDegrees, lookDegrees = 240, 120
)

// Isometric is the elevation from which a cube's edges appear equally long.
var Isometric = mgl32.RadToDeg(float32(math.Atan(math.Sqrt2 / 2)))

// WrapDegrees wraps an angle to -180..180.
func WrapDegrees(a float64) float32 { return float32(math.Remainder(a, 360)) }

// turn adds to the angles, in degrees. The elevation stops at the poles.
func (c *Camera) turn(azimuth, elevation float64) {
	c.Azimuth = WrapDegrees(float64(c.Azimuth) + azimuth)
	c.Elevation = float32(min(max(float64(c.Elevation)+elevation, -90), 90))
}

// Orbit turns the camera about its target for a drag, given in window heights.
func (c *Camera) Orbit(dx, dy float64) { c.turn(-dx*orbitDegrees, dy*orbitDegrees) }

// LookFrom turns the camera about its target, to look from a direction. The azimuth stays if the
// direction is along the up axis.
func (c *Camera) LookFrom(direction mgl32.Vec3) {
	d := c.Up.back(direction.Normalize())
	c.Elevation = mgl32.RadToDeg(float32(math.Asin(float64(min(max(d[1], -1), 1)))))
	if d[0] != 0 || d[2] != 0 {
		c.Azimuth = mgl32.RadToDeg(float32(math.Atan2(float64(d[0]), float64(d[2]))))
	}
}

// TurnAbout makes a point the target, or the nearest one that nearTo allows. Angles and distance stay, so the eye moves too.
func (c *Camera) TurnAbout(box geometry.Box, pivot mgl32.Vec3) {
	c.Target = nearTo(box, pivot)
	c.SetPlanes(box)
}

// LookAround turns the view about the eye for a drag, given in window heights.
func (c *Camera) LookAround(box geometry.Box, dx, dy float64) {
	eye := c.Eye()
	c.turn(-dx*lookDegrees, dy*lookDegrees)
	c.TurnAbout(box, eye.Add(c.Forward().Mul(c.Distance)))
}

// Pan moves the target so that the scene follows a drag, given in window heights.
func (c *Camera) Pan(box geometry.Box, dx, dy float64) {
	visible := 2 * float64(c.Distance) * math.Tan(float64(c.FovY)*math.Pi/360)
	c.Move(box, mgl32.Vec3{float32(-dx * visible), float32(dy * visible), 0})
}

// Move moves eye and target by by[0] to the right, by[1] up and by[2] forward, in scene units.
func (c *Camera) Move(box geometry.Box, by mgl32.Vec3) {
	right, up := c.Basis()
	c.TurnAbout(box, c.Target.Add(right.Mul(by[0])).Add(up.Mul(by[1])).Add(c.Forward().Mul(by[2])))
}

// Dolly moves the eye towards the target by a number of notches of a mouse wheel.
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

// Part is a rectangle of a picture into which a scene is fitted, from -1 to 1 in both directions,
// y down. The zero value is the whole picture.
type Part struct{ Center, Half mgl32.Vec2 }

// PartOf converts a rectangle, in pixels, of a picture of the given size. An empty rectangle becomes the whole picture.
func PartOf(r image.Rectangle, size image.Point) Part {
	if r.Empty() || r == (image.Rectangle{Max: size}) {
		return Part{}
	}
	return Part{
		Center: mgl32.Vec2{float32(r.Min.X+r.Max.X)/float32(size.X) - 1, float32(r.Min.Y+r.Max.Y)/float32(size.Y) - 1},
		Half:   mgl32.Vec2{float32(r.Dx()) / float32(size.X), float32(r.Dy()) / float32(size.Y)},
	}
}

// half returns half the size of the part: Half, or {1, 1} if it is zero.
func (p Part) half() mgl32.Vec2 {
	if p.Half == (mgl32.Vec2{}) {
		return mgl32.Vec2{1, 1}
	}
	return p.Half
}

// UpAxis is the axis of the scene that points up in pictures.
type UpAxis uint32

// The axes.
const (
	UpY UpAxis = iota
	UpZ
	UpX
	DownY
	DownZ
	DownX
)

// UpAxisNames are the names of the axes, as flags spell them, in the order of the constants.
var UpAxisNames = []string{"y", "z", "x", "-y", "-z", "-x"}

func (u UpAxis) String() string { return UpAxisNames[u] }

// turn converts a direction of a scene with Y up to this scene's axes.
func (u UpAxis) turn(v mgl32.Vec3) mgl32.Vec3 {
	x, y, z := v[0], v[1], v[2]
	switch u {
	case UpZ:
		return mgl32.Vec3{x, -z, y}
	case UpX:
		return mgl32.Vec3{y, -x, z}
	case DownY:
		return mgl32.Vec3{x, -y, -z}
	case DownZ:
		return mgl32.Vec3{x, z, -y}
	case DownX:
		return mgl32.Vec3{-y, x, z}
	}
	return v
}

// back converts a direction of this scene to one of a scene with Y up.
func (u UpAxis) back(v mgl32.Vec3) mgl32.Vec3 {
	return mgl32.Vec3{u.turn(mgl32.Vec3{1, 0, 0}).Dot(v), u.turn(mgl32.Vec3{0, 1, 0}).Dot(v), u.turn(mgl32.Vec3{0, 0, 1}).Dot(v)}
}
