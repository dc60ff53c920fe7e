// Package simt gives subgroup operations on slices of lanes, so that a CPU
// reference reads like the shader it mirrors: a value per lane is a slice, and
// an operation over the subgroup is a function of slices.
//
// Lane counts are 1 to 64; masks are 64 bits wide with lane 0 in bit 0. The
// package knows nothing of meshes or strategies.
package simt

import "math/bits"

// MaxLanes is the widest subgroup that a Mask can describe.
const MaxLanes = 64

// Mask has a bit per lane, lane 0 lowest.
type Mask uint64

// Ballot gathers one predicate per lane (GLSL subgroupBallot).
func Ballot(predicate []bool) Mask {
	var m Mask
	for lane, p := range predicate {
		if p {
			m |= 1 << lane
		}
	}
	return m
}

// BallotEqual is Ballot(valid[lane] && values[lane] == want), without the
// intermediate slice: the vote of the paper's Algorithm 1.
func BallotEqual(values []uint32, valid []bool, want uint32) Mask {
	var m Mask
	for lane, v := range values {
		if v == want && valid[lane] {
			m |= 1 << lane
		}
	}
	return m
}

// FindFirst is the lowest set lane, or lanes when the mask is empty.
func FindFirst(m Mask, lanes int) int {
	if m == 0 {
		return lanes
	}
	return bits.TrailingZeros64(uint64(m))
}
