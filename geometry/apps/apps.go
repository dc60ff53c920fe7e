// Package apps holds what the three applications of the paper share: the mesh
// that they work on, its edges, and index streams whose shade function is not a
// vertex shader (paper, section 6). The applications are its subpackages:
// subdivide, envelope and walk.
//
// Each application is the reference of a shader: its functions have the shader's
// names and do the shader's sums, in float32 without fused multiply-adds or in
// whole numbers, so that both sides have the same bits. The package knows
// nothing of files, devices or command lines.
package apps

import (
	"context"

	"github.com/shadeonce/shadeonce/geometry"
)

// None stands for no vertex, edge or triangle.
const None = ^uint32(0)

// Stream is an index stream: primitives of one or three corners, each corner the
// id of what is shaded.
type Stream struct {
	Name    string
	Indices []uint32 // a multiple of 3: single corners are padded by Triples
	IDs     int      // every id is below it
}

// Triples pads a list of single corners to whole triples with copies of its last
// one, which a strategy that finds repeated indices shades no further time. The
// strategies never split a triple.
func Triples(ids []uint32) []uint32 {
	for len(ids)%3 != 0 {
		ids = append(ids, ids[len(ids)-1])
	}
	return ids
}

// grain is how many of n elements a core takes at a time: enough that taking them costs
// nothing, and so few that all cores end together where an element is dear.
func grain(n int) int { return min(max(n>>8, 1<<5), 1<<12) }

// OnAll calls do for all of 0 to n-1, parts of them on all cores. The only error
// is the context's cause.
func OnAll(ctx context.Context, n int, do func(from, to int)) error {
	_, err := geometry.FirstBad(ctx, n, grain(n), func(from, to int) int {
		do(from, to)
		return -1
	})
	return err
}
