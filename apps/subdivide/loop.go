package subdivide

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/internal/base/exact"
)

// This file mirrors shaders/include/loop.glsl: every product is rounded to float32 before it is
// added (float32(...) keeps Go from fusing the two), and sums are computed from left to right.

// The kinds of vertices.
const (
	Smooth = 0 // no sharp edge: Loop's weights
	Curve  = 1 // two sharp edges: the weights of the curve that they form
	Fixed  = 2 // one sharp edge, three or more, or no neighbour: the vertex does not move
)

// kindOf returns the kind of a vertex with the given number of neighbours, `sharp` of them connected by sharp edges.
func kindOf(neighbours, sharp int) uint32 {
	switch {
	case neighbours > 0 && sharp == 0:
		return Smooth
	case sharp == 2:
		return Curve
	}
	return Fixed
}

// Kind returns Smooth, Curve or Fixed for a vertex, from the low two bits of RingOffset.
func (l *Level) Kind(v uint32) uint32 { return l.RingOffset[v] & 3 }

// Neighbours returns the vertices that share an edge with a vertex, in the order of Ring.
func (l *Level) Neighbours(v uint32) []uint32 {
	return l.Ring[l.RingOffset[v]>>2 : l.RingOffset[v+1]>>2]
}

// Weight holds the weights of a smooth vertex and of each of its neighbours, for one valence.
type Weight struct {
	Self float32 // of the vertex itself
	Ring float32 // of each neighbour
}

// addWeights tabulates Loop's weights up to the largest valence, computed in double precision and
// rounded once.
func (l *Level) addWeights() {
	most := 0
	for v := range l.Mesh.Positions {
		most = max(most, len(l.Neighbours(uint32(v))))
	}
	l.Weights = make([]Weight, most+1)
	for n := 1; n <= most; n++ {
		valence := float64(n)
		q := 3./8 + math.Cos(2*math.Pi/valence)/4
		b := (5./8 - float64(q*q)) / valence
		l.Weights[n] = Weight{Self: float32(1 - float64(valence*b)), Ring: float32(b)}
	}
}

// ShadeEven returns the position of the mesh's vertex v in the refined mesh.
func (l *Level) ShadeEven(v uint32) mgl32.Vec3 { return l.even(v, l.Mesh.Positions) }

// ShadeOdd returns the position of the vertex that edge e gets in the refined mesh.
func (l *Level) ShadeOdd(e uint32) mgl32.Vec3 { return l.odd(e, l.Mesh.Positions) }

// even returns the value of vertex v in the refined mesh, from the values (positions or normals)
// of the coarse vertices.
func (l *Level) even(v uint32, values []mgl32.Vec3) mgl32.Vec3 {
	own, ring := values[v], l.Neighbours(v)
	switch l.Kind(v) {
	case Fixed:
		return own
	case Curve:
		return exact.Add(exact.Scale(own, 0.75), exact.Scale(exact.Add(values[ring[0]], values[ring[1]]), 0.125))
	}
	sum := values[ring[0]]
	for _, neighbour := range ring[1:] {
		sum = exact.Add(sum, values[neighbour])
	}
	weight := l.Weights[len(ring)]
	return exact.Add(exact.Scale(own, weight.Self), exact.Scale(sum, weight.Ring))
}

// odd returns the value of the vertex that edge e gets in the refined mesh.
func (l *Level) odd(e uint32, values []mgl32.Vec3) mgl32.Vec3 {
	ends, opposite := l.Edges.Ends[e], l.Edges.Opposite[e]
	return odd([4]uint32{ends[0], ends[1], opposite[0], opposite[1]}, values)
}

// odd returns the value of the vertex that an edge gets. `of` holds the edge's two vertices and the
// third vertices of its two triangles; the last entry is None if the edge is sharp.
func odd(of [4]uint32, values []mgl32.Vec3) mgl32.Vec3 {
	near := exact.Add(values[of[0]], values[of[1]])
	if of[3] == apps.None {
		return exact.Scale(near, 0.5)
	}
	far := exact.Add(values[of[2]], values[of[3]])
	return exact.Add(exact.Scale(near, 0.375), exact.Scale(far, 0.125))
}

// vertex returns the value of a vertex of the refined mesh.
func (l *Level) vertex(id uint32, values []mgl32.Vec3) mgl32.Vec3 {
	if vertices := uint32(len(l.Mesh.Positions)); id >= vertices {
		return l.odd(id-vertices, values)
	}
	return l.even(id, values)
}
