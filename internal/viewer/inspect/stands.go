package inspect

import (
	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
)

const (
	// baseHeight is how high a base may be, as a share of the scene's height.
	baseHeight = .03
	// baseShare is the least area of a base, as a share of the floor of the scene's box, and baseLead how many
	// times as large it must be as any other side's.
	baseShare, baseLead = .1, 3
	// baseSamples bounds the triangles that are looked at.
	baseSamples = 1 << 18
)

// Stands guesses which axis of a scene points up, by the flat base that it stands on; false if no side has a
// base, or several have.
func Stands(s *geometry.Scene) (up renderer.UpAxis, found bool) {
	box := s.Bounds()
	size := box.Max.Sub(box.Min)
	step := uint32(s.Triangles()/baseSamples + 1)
	var bases [6]float32 // area by axis, and by its negative
	err := s.Guard(func() error {
		for i := range s.Draws {
			d := &s.Draws[i]
			pool := s.Positions[d.VertexOffset:][:d.VertexCount]
			for k := d.FirstIndex; k+2 < d.FirstIndex+d.IndexCount; k += 3 * step {
				var p [3]mgl32.Vec3
				for c := range p {
					p[c] = d.Transform.Mul4x1(pool[s.Indices[k+uint32(c)]].Vec4(1)).Vec3()
				}
				normal := p[1].Sub(p[0]).Cross(p[2].Sub(p[0])) // twice the area
				middle := p[0].Add(p[1]).Add(p[2]).Mul(1. / 3)
				for axis := range 3 {
					floor := size[(axis+1)%3] * size[(axis+2)%3]
					height := (middle[axis] - box.Min[axis]) / size[axis]
					switch along := normal[axis] / normal.Len(); {
					case along < -.9 && height < baseHeight:
						bases[axis] += normal.Len() / 2 * float32(step) / floor
					case along > .9 && height > 1-baseHeight:
						bases[axis+3] += normal.Len() / 2 * float32(step) / floor
					}
				}
			}
		}
		return nil
	})
	best := 0
	for i := range bases {
		if bases[i] > bases[best] {
			best = i
		}
	}
	for i := range bases {
		if err != nil || !(bases[best] > baseShare) || i != best && bases[i]*baseLead > bases[best] {
			return 0, false
		}
	}
	return [6]renderer.UpAxis{renderer.UpX, renderer.UpY, renderer.UpZ, renderer.DownX, renderer.DownY, renderer.DownZ}[best], true
}
