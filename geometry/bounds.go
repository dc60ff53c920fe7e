package geometry

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"
)

// Box is an axis-aligned box.
type Box struct{ Min, Max mgl32.Vec3 }

// Center is the middle of the box.
func (b Box) Center() mgl32.Vec3 { return b.Min.Mul(0.5).Add(b.Max.Mul(0.5)) }

// Radius is the distance from the centre to a corner.
func (b Box) Radius() float32 { return b.Max.Mul(0.5).Sub(b.Min.Mul(0.5)).Len() }

// instances says whether two draws name the same vertices by the same indices.
func (d *Draw) instances(other *Draw) bool {
	return d.FirstIndex == other.FirstIndex && d.IndexCount == other.IndexCount &&
		d.VertexOffset == other.VertexOffset && d.VertexCount == other.VertexCount
}

// Bounds is the world-space box of all vertices that a draw names by an index.
// Vertices that no index names do not count, so that a stray one cannot move
// the camera away from what is seen.
func (s *Scene) Bounds() Box {
	inf := float32(math.Inf(1))
	box := Box{mgl32.Vec3{inf, inf, inf}, mgl32.Vec3{-inf, -inf, -inf}}
	var named []uint32 // what draw i names, each once where it is an instance of the draw before it
	for i := range s.Draws {
		d := &s.Draws[i]
		pool := s.Positions[d.VertexOffset : d.VertexOffset+d.VertexCount]
		identity := d.Transform == mgl32.Ident4()
		switch {
		case i == 0 || !d.instances(&s.Draws[i-1]):
			named = s.DrawIndices(i)
		case i == 1 || !s.Draws[i-1].instances(&s.Draws[i-2]):
			named = slices.Compact(slices.Sorted(slices.Values(named)))
		}
		for _, id := range named {
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
