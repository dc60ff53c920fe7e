// Package apps holds what the paper's three applications share (section 6): the mesh that
// they work on, its edges, passes over index streams on the CPU, and runs by several
// strategies with a row of measurements for each. The applications are its subpackages:
// subdivide, envelope and walk. Each has the reference in Go, the same on a device, and a
// Driver that runs both and writes what they make.
//
// A reference has the names of its shader's functions and does the shader's sums, in
// float32 without fused multiply-adds or in whole numbers, so that both sides have the same
// bits. The package knows no flags and prints nothing. Files and folders are written whole
// or not at all.
package apps

import (
	"context"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// None stands for no vertex, edge or triangle.
const None = ^uint32(0)

// grain is how many of n elements a core takes at a time: enough that taking them costs
// nothing, and so few that all cores end together where an element is dear.
func grain(n int) int { return min(max(n>>8, 1<<5), 1<<12) }

// OnAll calls do for all of 0 to n-1, parts of them on all cores. The only error is the
// context's cause.
func OnAll(ctx context.Context, n int, do func(from, to int)) error {
	_, err := geometry.FirstBad(ctx, n, grain(n), func(from, to int) int {
		do(from, to)
		return -1
	})
	return err
}

// Share returns the context for step i of n equal steps, which together take the work from
// a share of the whole on to its end.
func Share(ctx context.Context, from float64, i, n int) context.Context {
	step := (1 - from) / float64(n)
	return progress.Part(ctx, from+float64(i)*step, from+float64(i+1)*step)
}
