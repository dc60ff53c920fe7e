package envelope

import (
	"math/bits"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/internal/base/exact"
)

// A part is a set of corners of a triangle, one bit per corner: a corner, an edge or all three. A parting
// holds one part of each triangle of a pair. An axis must separate these two parts.
type parting struct{ t, s uint32 }

const whole = 7

// pair is two triangles, the one with the lower number first. Positions are relative to corner 0 of the first triangle.
type pair struct {
	q, d  [6]mgl32.Vec3 // positions of the corners at rest, and their steps
	sum   mgl32.Vec3    // sum of all steps
	parts [4]parting
	count int // number of entries used in parts; 0 if the triangles have three common vertices
}

// pairLevel returns the highest level, at most the given one, at which a pair provably does not intersect.
// It returns -1 if there is no proof even at rest, and the given level if no corner moves. t must be less than s.
func (e *Envelope) pairLevel(t, s uint32, level int32) int32 {
	if e.boxesApart(t, s, level) {
		return level // they have no common vertex
	}
	p := e.newPair(t, s)
	if p.d == ([6]mgl32.Vec3{}) {
		return level
	}
	if p.count == 0 {
		return -1
	}
	waiting := p.waiting(level)
	if waiting == 0 {
		return level
	}
	least := level
	for ; waiting != 0; waiting &= waiting - 1 {
		own := p.highest(p.parts[bits.TrailingZeros32(waiting)], level)
		if p.count == 1 {
			own = max(own, e.boxLevel(t, s, level))
		}
		least = min(least, own)
	}
	return least
}

func (e *Envelope) newPair(t, s uint32) pair {
	var p pair
	corners := [2][3]uint32{e.Triangles[t], e.Triangles[s]}
	origin := e.Positions[corners[0][0]]
	for i := range p.q {
		v := corners[i/3][i%3]
		p.q[i], p.d[i] = exact.Sub(e.Positions[v], origin), e.Steps[v]
	}
	p.sum = exact.Add(exact.Add(exact.Add(exact.Add(exact.Add(p.d[0], p.d[1]), p.d[2]), p.d[3]), p.d[4]), p.d[5])
	p.addParts(corners[0], corners[1])
	return p
}

// addParts lists the parts to separate, depending on the common vertices.
func (p *pair) addParts(t, s [3]uint32) {
	var commonT, commonS uint32 // common corners
	var partner [3]uint32       // by corner of t: the bit of the same vertex's corner in s
	for i := range t {
		for j := range s {
			if t[i] == s[j] {
				commonT, commonS = commonT|1<<i, commonS|1<<j
				partner[i] = 1 << j
			}
		}
	}
	switch bits.OnesCount32(commonT) {
	case 0:
		p.parts, p.count = [4]parting{{whole, whole}}, 1
	case 1:
		p.parts, p.count = [4]parting{{whole &^ commonT, whole}, {whole, whole &^ commonS}}, 2
	case 2:
		a, b := whole&^commonT, whole&^commonS
		u := commonT & -commonT
		v := commonT &^ u
		uS, vS := partner[bits.TrailingZeros32(u)], partner[bits.TrailingZeros32(v)]
		p.parts, p.count = [4]parting{{a, whole}, {whole, b}, {u | a, vS | b}, {v | a, uS | b}}, 4
	}
}

// axes is the number of axes along which a pair is tested for separation.
const axes = 27

// axis returns the n-th axis. Its sign and length do not matter.
func (p *pair) axis(n int) mgl32.Vec3 {
	edge := func(side, i int) mgl32.Vec3 { return exact.Sub(p.q[3*side+(i+1)%3], p.q[3*side+i]) }
	switch {
	case n == 0: // from the middle of one triangle to the middle of the other
		return p.across(exact.Sub(exact.Add(exact.Add(p.q[3], p.q[4]), p.q[5]), exact.Add(exact.Add(p.q[0], p.q[1]), p.q[2])))
	case n < 7: // the normal of the wall that an edge sweeps
		side, i := (n-1)/3, (n-1)%3
		return exact.Cross(edge(side, i), exact.Add(p.d[3*side+i], p.d[3*side+(i+1)%3]))
	case n < 9:
		side := n - 7
		return exact.Cross(edge(side, 0), exact.Sub(p.q[3*side+2], p.q[3*side]))
	case n < 18:
		return exact.Cross(edge(0, (n-9)/3), edge(1, (n-9)%3))
	}
	return p.across(exact.Sub(p.q[3+(n-18)%3], p.q[(n-18)/3]))
}

// across returns the component of w perpendicular to the sum of all steps, times the square of
// that sum.
func (p *pair) across(w mgl32.Vec3) mgl32.Vec3 {
	return exact.Sub(exact.Scale(w, exact.Dot(p.sum, p.sum)), exact.Scale(p.sum, exact.Dot(w, p.sum)))
}

// shadow is the projection of a pair onto an axis.
type shadow struct {
	q, down, up [6]float32 // positions at rest, and the least and greatest moves by one step
	bound       float32    // bound on the rounding of all sums
}

// leastAxis is a bound on the length of axes: an axis of at most this length is too short to use.
const leastAxis = 1. / (1 << 40) / (1 << 40)

// along projects the pair onto an axis; ok is false for an axis that is too short.
func (p *pair) along(x mgl32.Vec3) (h shadow, ok bool) {
	length := exact.Sum1(x)
	if !(length > leastAxis) {
		return h, false
	}
	h.bound = length * rounding
	for i := range p.q {
		h.q[i] = exact.Dot(x, p.q[i])
		step := exact.Dot(x, p.d[i])
		h.down[i], h.up[i] = min(step, 0), max(step, 0)
	}
	return h, true
}

// parts reports whether the axis separates two parts at a level, whichever of them comes first along it.
func (h *shadow) parts(part parting, level int32) bool {
	k := float32(level)
	const far = 3e38
	loT, hiT, loS, hiS := float32(far), float32(-far), float32(far), float32(-far)
	for i := range 3 {
		if part.t>>i&1 != 0 {
			loT = min(loT, h.q[i]+float32(k*h.down[i]))
			hiT = max(hiT, h.q[i]+float32(k*h.up[i]))
		}
		if part.s>>i&1 != 0 {
			loS = min(loS, h.q[3+i]+float32(k*h.down[3+i]))
			hiS = max(hiS, h.q[3+i]+float32(k*h.up[3+i]))
		}
	}
	return max(loS-hiT, loT-hiS) > h.bound
}

// waiting returns which entries of p.parts are not separated by any axis at a level, one bit each.
func (p *pair) waiting(level int32) uint32 {
	waiting := uint32(1)<<p.count - 1
	for n := 0; n < axes && waiting != 0; n++ {
		h, ok := p.along(p.axis(n))
		for i := 0; ok && i < p.count; i++ {
			if waiting>>i&1 != 0 && h.parts(p.parts[i], level) {
				waiting &^= 1 << i
			}
		}
	}
	return waiting
}

// highest returns the highest level below the given one at which some axis separates two parts; -1 if
// none does at rest. Parts separated at a level are separated at all lower levels, even with rounding.
func (p *pair) highest(part parting, level int32) int32 {
	best := int32(-1)
	for n := 0; n < axes && best < level-1; n++ {
		h, ok := p.along(p.axis(n))
		if ok && h.parts(part, best+1) {
			best = highestLevel(best+1, level-1, func(level int32) bool { return h.parts(part, level) })
		}
	}
	return best
}

// boxesApart reports whether the boxes of two triangles are separate at a level.
func (e *Envelope) boxesApart(t, s uint32, level int32) bool {
	return apart(e.box(level, t), e.box(level, s))
}

// boxLevel returns the highest level below the given one at which the boxes of two triangles are
// separate; -1 if there is none.
func (e *Envelope) boxLevel(t, s uint32, level int32) int32 {
	return highestLevel(-1, level-1, func(level int32) bool { return e.boxesApart(t, s, level) })
}
