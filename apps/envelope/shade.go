package envelope

import (
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/exact"
)

// This file and pair.go are the reference of shaders/functions/envelope.glsl and the files beside
// it. They compute the same sums in single precision, so that results have the same bits.

// gap is the distance beyond which boxes count as separate.
const gap = 1. / (1 << 18)

// ShadeVertex moves a vertex to the highest level that it can have. An unreferenced vertex does not
// move.
//
// The level is the minimum of the pairs' levels, so the order of the pairs does not matter. The
// shader uses another order, since with this order its lanes would wait for each other.
func (e *Envelope) ShadeVertex(v uint32) Shaded {
	level := e.Caps[v]
	own := e.around(int(v))
	if len(own) == 0 {
		return Shaded{Position: e.Positions[v]}
	}
	umbrella := e.box(level, own...) // where its triangles may be
	for at := uint32(0); at < uint32(len(e.Nodes)) && level > 0; {
		node := e.Nodes[at]
		if apart(umbrella, geometry.Box{Min: node.Lo, Max: node.Hi}) {
			at = node.Skip
			continue
		}
		at++
		if node.Leaf == 0 {
			continue
		}
		s, before := node.Leaf-1, level
		isOwn := slices.Contains(e.Triangles[s][:], v)
		for _, t := range own {
			if isOwn && t >= s {
				break // a pair of two triangles of the vertex comes up twice; one test is enough
			}
			level = e.pairLevel(min(s, t), max(s, t), level)
		}
		if level < before {
			umbrella = e.box(max(level, 0), own...)
		}
	}
	level = max(level, 0)
	return Shaded{Position: e.moved(v, level), Level: level}
}

// box returns the box of triangles at all levels up to the given one.
func (e *Envelope) box(level int32, triangles ...uint32) geometry.Box {
	box := geometry.BoxOf()
	for _, t := range triangles {
		for _, v := range e.Triangles[t] {
			box.Add(e.Positions[v])
			box.Add(e.moved(v, level))
		}
	}
	return box
}

// moved returns the position of a vertex at a level.
func (e *Envelope) moved(v uint32, level int32) mgl32.Vec3 {
	return exact.Add(e.Positions[v], exact.Scale(e.Steps[v], float32(level)))
}

// apart reports whether two boxes are more than a gap apart.
func apart(a, b geometry.Box) bool {
	c, d := exact.Sub(b.Min, a.Max), exact.Sub(a.Min, b.Max)
	return max(c[0], d[0], c[1], d[1], c[2], d[2]) > gap
}
