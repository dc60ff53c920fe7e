package assets

import (
	"github.com/go-gl/mathgl/mgl32"
	"github.com/shadeonce/shadeonce/geometry"
)

// knotShape is a tube along a torus knot. The curve goes p times round the axis of its torus and
// q times round the ring of the torus; p and q have no common divisor.
type knotShape struct {
	p, q         int
	rings, sides int     // of the tube, each at least 3
	major, minor float64 // radii of the torus that the curve lies on
	tube         float64 // radius of the tube
}

// knot is the trefoil with a tube of n sides and 16 n rings: 32 n^2 triangles over 16 n^2
// vertices, ring by ring.
func knot(n int) *geometry.Scene {
	return torusKnot(knotShape{p: 2, q: 3, rings: 16 * n, sides: n, major: 2, minor: 0.8, tube: 0.36})
}

func torusKnot(k knotShape) *geometry.Scene {
	count := k.rings * k.sides
	b := newBuilder(count, 6*count)
	for ring := range k.rings {
		center, tangent, out := k.frame(float64(ring) / float64(k.rings))
		across := tangent.Cross(out)
		for side := range k.sides {
			sin, cos := sincos(float64(side) / float64(k.sides))
			normal := out.Scale(cos).Add(across.Scale(sin)).Unit()
			b.vertex(center.Add(normal.Scale(k.tube)), normal)
		}
	}
	sides := uint32(k.sides)
	for ring := range uint32(k.rings) {
		next := (ring + 1) % uint32(k.rings)
		b.band(ring*sides, next*sides, sides)
	}
	b.draw("knot", mgl32.Vec4{0.80, 0.35, 0.30, 1})
	return b.scene
}

// frame returns the point of the curve at t in [0, 1), its unit tangent and the torus's normal
// there. The curve lies on the torus, so the two are perpendicular everywhere, and the frame
// closes after one round without twist.
func (k knotShape) frame(t float64) (center, tangent, out vec) {
	p, q := float64(k.p), float64(k.q)
	sinU, cosU := sincos(float64(p * t))
	sinV, cosV := sincos(float64(q * t))
	radius := k.major + float64(k.minor*cosV)
	center = vec{float64(radius * cosU), float64(k.minor * sinV), float64(-radius * sinU)}
	around := vec{-sinU, 0, -cosU}
	radial := vec{cosU, 0, -sinU}
	up := vec{0, 1, 0}
	ringwise := radial.Scale(-sinV).Add(up.Scale(cosV))
	tangent = around.Scale(float64(radius * p)).Add(ringwise.Scale(float64(k.minor * q))).Unit()
	out = radial.Scale(cosV).Add(up.Scale(sinV))
	return center, tangent, out
}
