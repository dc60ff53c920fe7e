package envelope

import (
	"slices"

	"github.com/go-gl/mathgl/mgl32"

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
	lo, hi := e.umbrella(v, level)
	for at := uint32(0); at < uint32(len(e.Nodes)) && level > 0; {
		node := e.Nodes[at]
		if apart(lo, hi, node.Lo, node.Hi) {
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
			lo, hi = e.umbrella(v, max(level, 0))
		}
	}
	level = max(level, 0)
	return Shaded{Position: e.moved(v, level), Level: level}
}

// umbrella returns the box of a vertex's triangles at all levels up to the given one.
func (e *Envelope) umbrella(v uint32, level int32) (lo, hi mgl32.Vec3) {
	first := e.First[v]
	lo, hi = e.box(e.Around[first], level)
	for _, t := range e.Around[first+1 : e.First[v+1]] {
		otherLo, otherHi := e.box(t, level)
		lo, hi = minimum(lo, otherLo), maximum(hi, otherHi)
	}
	return lo, hi
}

// box returns the box of a triangle at all levels up to the given one.
func (e *Envelope) box(t uint32, level int32) (lo, hi mgl32.Vec3) {
	c := e.Triangles[t]
	p, m := e.Positions[c[0]], e.moved(c[0], level)
	lo, hi = minimum(p, m), maximum(p, m)
	for i := 1; i < 3; i++ {
		p, m = e.Positions[c[i]], e.moved(c[i], level)
		lo, hi = minimum(lo, minimum(p, m)), maximum(hi, maximum(p, m))
	}
	return lo, hi
}

// moved returns the position of a vertex at a level.
func (e *Envelope) moved(v uint32, level int32) mgl32.Vec3 {
	return exact.Add(e.Positions[v], exact.Scale(e.Steps[v], float32(level)))
}

// apart reports whether two boxes are more than a gap apart.
func apart(lo, hi, otherLo, otherHi mgl32.Vec3) bool {
	a, b := exact.Sub(otherLo, hi), exact.Sub(lo, otherHi)
	return max(max(max(a[0], b[0]), max(a[1], b[1])), max(a[2], b[2])) > gap
}

func minimum(a, b mgl32.Vec3) mgl32.Vec3 {
	return mgl32.Vec3{min(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2])}
}

func maximum(a, b mgl32.Vec3) mgl32.Vec3 {
	return mgl32.Vec3{max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2])}
}
