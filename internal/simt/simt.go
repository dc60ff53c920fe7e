// Package simt provides subgroup operations on slices of lanes, so that a CPU reference reads
// like the shader it mirrors: a value per lane is a slice, and a subgroup operation is a function
// of slices.
//
// Lane counts are 1 to 64; masks are 64 bits wide with lane 0 in bit 0. The package knows nothing
// of meshes or strategies.
package simt

import "math/bits"

// Mask has one bit per lane, lane 0 lowest.
type Mask uint64

// Ballot returns the mask of lanes whose predicate is true (GLSL subgroupBallot).
func Ballot(predicate []bool) Mask {
	var m Mask
	for lane, p := range predicate {
		if p {
			m |= 1 << lane
		}
	}
	return m
}

// BallotEqual returns the mask of lanes where valid[lane] && values[lane] == want: the vote of the
// paper's Algorithm 1. Unlike Ballot it needs no slice of predicates.
func BallotEqual(values []uint32, valid []bool, want uint32) Mask {
	var m Mask
	for lane, v := range values {
		if v == want && valid[lane] {
			m |= 1 << lane
		}
	}
	return m
}

// FindFirst returns the lowest set lane, or the lane count `lanes` if the mask is empty.
func FindFirst(m Mask, lanes int) int {
	if m == 0 {
		return lanes
	}
	return bits.TrailingZeros64(uint64(m))
}
