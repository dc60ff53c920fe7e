package subdivide

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry/apps"
)

// This file is what a shader of the same names computes: every product is rounded
// to float32 before it is added (float32(...) keeps Go from fusing the two), and
// sums run from left to right.

// The kinds of vertices.
const (
	Smooth = 0 // no sharp edge: Loop's weights
	Curve  = 1 // two sharp edges: the curve that they are part of
	Fixed  = 2 // one sharp edge, three or more, or no neighbour: stays
)

// Crease is a vertex's kind, and its two sharp neighbours where that is Curve.
type Crease struct {
	Kind uint32
	Q    [2]uint32
}

// add counts a sharp neighbour: Kind is how many there are, until closed.
func (c *Crease) add(neighbour uint32) {
	if c.Kind < 2 {
		c.Q[c.Kind] = neighbour
	}
	c.Kind++
}

// closed is the crease of a vertex whose sharp neighbours have all been added, of n
// neighbours in all.
func (c Crease) closed(n int) Crease {
	switch {
	case n > 0 && c.Kind == 0:
		return Crease{Kind: Smooth}
	case c.Kind == 2:
		return Crease{Curve, c.Q}
	}
	return Crease{Kind: Fixed}
}

// Weight is how much a smooth vertex of some valence counts beside each of its
// neighbours.
type Weight struct {
	Self float32 // c
	Ring float32 // b
}

// addWeights tabulates Loop's weights up to the largest valence, in double precision,
// rounded once.
func (l *Level) addWeights() {
	most := uint32(0)
	for v := range l.Mesh.Positions {
		most = max(most, l.RingOffset[v+1]-l.RingOffset[v])
	}
	l.Weights = make([]Weight, most+1)
	for n := 1; n <= int(most); n++ {
		valence := float64(n)
		q := 3./8 + math.Cos(2*math.Pi/valence)/4
		b := (5./8 - float64(q*q)) / valence
		l.Weights[n] = Weight{Self: float32(1 - float64(valence*b)), Ring: float32(b)}
	}
}

// ShadeEven moves vertex v of the mesh to where the refined mesh has it.
func (l *Level) ShadeEven(v uint32) mgl32.Vec3 {
	p := l.Mesh.Positions[v]
	crease := l.Creases[v]
	if crease.Kind == Fixed {
		return p
	}
	if crease.Kind == Curve {
		return add(scale(p, 0.75), scale(add(l.Mesh.Positions[crease.Q[0]], l.Mesh.Positions[crease.Q[1]]), 0.125))
	}
	first, end := l.RingOffset[v], l.RingOffset[v+1]
	s := l.Mesh.Positions[l.Ring[first]]
	for k := first + 1; k < end; k++ {
		s = add(s, l.Mesh.Positions[l.Ring[k]])
	}
	weight := l.Weights[end-first]
	return add(scale(p, weight.Self), scale(s, weight.Ring))
}

// ShadeOdd makes the vertex of edge e.
func (l *Level) ShadeOdd(e uint32) mgl32.Vec3 {
	ends, opposite := l.Edges.Ends[e], l.Edges.Opposite[e]
	ab := add(l.Mesh.Positions[ends[0]], l.Mesh.Positions[ends[1]])
	if opposite[0] == apps.None {
		return scale(ab, 0.5)
	}
	cd := add(l.Mesh.Positions[opposite[0]], l.Mesh.Positions[opposite[1]])
	return add(scale(ab, 0.375), scale(cd, 0.125))
}

func add(a, b mgl32.Vec3) mgl32.Vec3 {
	return mgl32.Vec3{float32(a[0] + b[0]), float32(a[1] + b[1]), float32(a[2] + b[2])}
}

func scale(a mgl32.Vec3, s float32) mgl32.Vec3 {
	return mgl32.Vec3{float32(a[0] * s), float32(a[1] * s), float32(a[2] * s)}
}
