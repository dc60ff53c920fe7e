package geometry

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// Box is an axis-aligned box.
type Box struct{ Min, Max mgl32.Vec3 }

// Center is the middle of the box.
func (b Box) Center() mgl32.Vec3 { return b.Min.Mul(0.5).Add(b.Max.Mul(0.5)) }

// Radius is the distance from the centre to a corner.
func (b Box) Radius() float32 { return b.Max.Mul(0.5).Sub(b.Min.Mul(0.5)).Len() }

// Bounds is the world-space box of all vertices that a draw names by an index.
// Vertices that no index names do not count, so that a stray one cannot move
// the camera away from what is seen.
func (s *Scene) Bounds() Box {
	inf := float32(math.Inf(1))
	box := Box{mgl32.Vec3{inf, inf, inf}, mgl32.Vec3{-inf, -inf, -inf}}
	for i := range s.Draws {
		d := &s.Draws[i]
		pool := s.Positions[d.VertexOffset : d.VertexOffset+d.VertexCount]
		identity := d.Transform == mgl32.Ident4()
		for _, id := range s.DrawIndices(i) {
			p := pool[id]
			if !identity {
				p = d.Transform.Mul4x1(p.Vec4(1)).Vec3()
			}
			for k := range p {
				box.Min[k] = min(box.Min[k], p[k])
				box.Max[k] = max(box.Max[k], p[k])
			}
		}
	}
	return box
}
