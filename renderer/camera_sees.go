package renderer

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
)

// seesMargin is how far beyond a side of the view a box must be to count as unseen, relative to the sum of
// the absolute values of the terms: far more than the rounding error of single precision.
const seesMargin = 1e-5

// Sees reports whether a camera may see any part of a box that a transform maps to world space; nil is the identity. If it
// returns false, every triangle in the box is beyond one side of the view, so that no rasterizer draws it.
func (c Camera) Sees(box geometry.Box, transform *mgl32.Mat4, aspect float32) bool {
	view := c.ViewProj(aspect)
	if transform == nil {
		transform = new(mgl32.Ident4())
	}
	var beyond [6]int // number of corners beyond each side
	for corner := range 8 {
		at := [4]float64{0, 0, 0, 1}
		for axis := range 3 {
			at[axis] = float64(box.Min[axis])
			if corner>>axis&1 == 1 {
				at[axis] = float64(box.Max[axis])
			}
		}
		// The rounding error of a sum is bounded by the sum of its terms' absolute values.
		world, worldSize := transformed(transform, at, [4]float64{math.Abs(at[0]), math.Abs(at[1]), math.Abs(at[2]), 1})
		clip, size := transformed(&view, world, worldSize)
		x, y, z, w := clip[0], clip[1], clip[2], clip[3]
		for side, distance := range [6]float64{x + w, w - x, y + w, w - y, z, w - z} {
			if distance < -seesMargin*(max(size[0], size[1], size[2])+size[3]) {
				beyond[side]++
			}
		}
	}
	for _, corners := range beyond {
		if corners == 8 {
			return false
		}
	}
	return true
}

// transformed returns m*p, and for each component the sum of its terms' absolute values.
func transformed(m *mgl32.Mat4, p, size [4]float64) (q, sizes [4]float64) {
	for r := range 4 {
		for k := range 4 {
			factor := float64(m[4*k+r])
			q[r] += factor * p[k]
			sizes[r] += math.Abs(factor) * size[k]
		}
	}
	return q, sizes
}

// CapturedCamera returns the camera with which a game drew a captured frame; the zero Camera for nil.
// A picture narrower than the game's shows more above and below, and no less at the sides. When the
// camera moves, its near plane stays as close as the game's, however large the world is.
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
