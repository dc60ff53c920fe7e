package main

import (
	"image"
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
)

// hit is the triangle that a pixel shows, found on the CPU: a viewer at rest asks
// the device for nothing.
type hit struct {
	draw     int       // in Scene.Draws
	triangle int       // of the draw, in its index order
	corners  [3]uint32 // vertices of the draw
	nearest  int       // the corner that lies nearest to the pixel
}

func (h *hit) vertex() uint32 { return h.corners[h.nearest] }

// ray is origin + t direction; t is the depth along the direction of view.
type ray struct{ origin, direction mgl64.Vec3 }

// pixelRay is the ray through the centre of a pixel of a window.
func pixelRay(c renderer.Camera, size, at image.Point) ray {
	tan := math.Tan(float64(c.FovY) * math.Pi / 360)
	x := (2*(float64(at.X)+0.5)/float64(size.X) - 1) * tan * float64(size.X) / float64(size.Y)
	y := (1 - 2*(float64(at.Y)+0.5)/float64(size.Y)) * tan
	right32, up32 := c.Basis()
	right, up, forward, eye := wide(right32), wide(up32), wide(c.Forward()), wide(c.Eye())
	if c.Orthographic {
		d := float64(c.Distance)
		return ray{eye.Add(right.Mul(x * d)).Add(up.Mul(y * d)), forward}
	}
	return ray{eye, forward.Add(right.Mul(x)).Add(up.Mul(y))}
}

func wide(v [3]float32) mgl64.Vec3 {
	return mgl64.Vec3{float64(v[0]), float64(v[1]), float64(v[2])}
}

// picker finds what pixels show of a scene.
type picker struct {
	scene *geometry.Scene
	draws []drawBoxes // of each draw, in its own space
}

// pick is what a pixel of a window shows, between the camera's planes.
func (p *picker) pick(c renderer.Camera, size, at image.Point) (hit, bool) {
	world := pixelRay(c, size, at)
	near, far := float64(c.Near), float64(c.Far)
	best, found := hit{}, false
	for i := range p.scene.Draws {
		d := &p.scene.Draws[i]
		inverse, ok := inverted(d.Transform)
		if !ok || d.IndexCount == 0 {
			continue
		}
		r := ray{inverse.Mul4x1(world.origin.Vec4(1)).Vec3(), inverse.Mul4x1(world.direction.Vec4(0)).Vec3()}
		if !r.meets(p.draws[i].whole, near, far) {
			continue
		}
		pool := p.scene.Positions[d.VertexOffset:]
		indices := p.scene.DrawIndices(i)
		for b, box := range p.draws[i].blocks {
			if !r.meets(box, near, far) {
				continue
			}
			for k := b * blockIndices; k < min((b+1)*blockIndices, len(indices)); k += 3 {
				t, ok := r.triangle(pool[indices[k]], pool[indices[k+1]], pool[indices[k+2]])
				if ok && t >= near && t < far {
					far, found = t, true
					best = hit{draw: i, triangle: k / 3, corners: [3]uint32(indices[k : k+3])}
				}
			}
		}
	}
	if found {
		best.nearest = p.nearest(&best, c, size, at)
	}
	return best, found
}

// inverted is the inverse of a transform; false where that is singular, so that
// nothing with an area is drawn.
func inverted(m [16]float32) (mgl64.Mat4, bool) {
	var d mgl64.Mat4
	for i, x := range m {
		d[i] = float64(x)
	}
	inverse := d.Inv()
	for _, x := range inverse {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return inverse, false
		}
	}
	return inverse, inverse != mgl64.Mat4{}
}

// meets reports whether the ray meets a box between two depths.
func (r ray) meets(box geometry.Box, near, far float64) bool {
	for k := range 3 {
		low, high := float64(box.Min[k])-r.origin[k], float64(box.Max[k])-r.origin[k]
		if r.direction[k] == 0 {
			if low > 0 || high < 0 {
				return false
			}
			continue
		}
		a, b := low/r.direction[k], high/r.direction[k]
		slack := 1e-9 * (math.Abs(a) + math.Abs(b))
		near, far = max(near, min(a, b)-slack), min(far, max(a, b)+slack)
	}
	return near <= far
}

// triangle is where the ray meets a triangle, from either side (Möller and
// Trumbore, 1997).
func (r ray) triangle(a, b, c [3]float32) (t float64, ok bool) {
	origin := wide(a)
	ab, ac := wide(b).Sub(origin), wide(c).Sub(origin)
	p := r.direction.Cross(ac)
	det := ab.Dot(p)
	if det == 0 {
		return 0, false
	}
	s := r.origin.Sub(origin)
	u := s.Dot(p) / det
	if !(u >= 0 && u <= 1) {
		return 0, false
	}
	q := s.Cross(ab)
	v := r.direction.Dot(q) / det
	if !(v >= 0 && u+v <= 1) {
		return 0, false
	}
	return ac.Dot(q) / det, true
}

// nearest is the corner of a hit whose place in the window is nearest.
func (p *picker) nearest(h *hit, c renderer.Camera, size, at image.Point) int {
	best, least := 0, math.Inf(1)
	projection := newProjector(c, p.scene, h.draw, size)
	for i, v := range h.corners {
		if x, y, ok := projection.place(v); ok {
			if d := math.Hypot(float64(x)-float64(at.X), float64(y)-float64(at.Y)); d < least {
				best, least = i, d
			}
		}
	}
	return best
}

// projector takes vertices of one draw to places in a window.
type projector struct {
	matrix [16]float32
	pool   []mgl32.Vec3
	size   image.Point
}

func newProjector(c renderer.Camera, s *geometry.Scene, draw int, size image.Point) projector {
	d := &s.Draws[draw]
	return projector{
		matrix: c.ViewProj(float32(size.X) / float32(size.Y)).Mul4(d.Transform),
		pool:   s.Positions[d.VertexOffset:][:d.VertexCount], size: size,
	}
}

// place is where a vertex lies, in pixels; false where it is behind the eye.
func (p *projector) place(v uint32) (x, y float32, ok bool) {
	m, q := &p.matrix, p.pool[v]
	row := func(i int) float32 { return m[i]*q[0] + m[i+4]*q[1] + m[i+8]*q[2] + m[i+12] }
	w := row(3)
	if !(w > 1e-12) {
		return 0, 0, false
	}
	return (row(0)/w + 1) / 2 * float32(p.size.X), (row(1)/w + 1) / 2 * float32(p.size.Y), true
}
