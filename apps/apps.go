// Package apps holds what the paper's three applications share (section 6): the mesh that they
// process, its edges, passes over index streams on the CPU, and runs by several strategies with a
// row of measurements for each. The applications are the subpackages subdivide, envelope and
// walk. Each has the reference in Go, the same on a device, and a Driver that runs both and
// writes the results.
//
// A reference uses the names of its shader's functions and computes the same sums, in float32
// without fused multiply-adds or in whole numbers, so that both sides have the same bits. The
// package has no flags and prints nothing. Files and folders are written whole or not at all.
package apps

import (
	"context"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// None means no vertex, edge or triangle.
const None = ^uint32(0)

// grain returns how many of n elements a core takes at a time: enough to make taking them cheap,
// and few enough that all cores end at about the same time even if some elements are expensive.
func grain(n int) int { return min(max(n>>8, 1<<5), 1<<12) }

// OnAll calls do for parts of 0..n-1 on all cores. The only error is the context's cause.
func OnAll(ctx context.Context, n int, do func(from, to int)) error {
	_, err := geometry.FirstBad(ctx, n, grain(n), func(from, to int) int {
		do(from, to)
		return -1
	})
	return err
}

// OnEach calls do for 0 to n-1 on all cores. The only error is the context's cause.
func OnEach(ctx context.Context, n int, do func(i int)) error {
	return OnAll(ctx, n, func(from, to int) {
		for i := from; i < to; i++ {
			do(i)
		}
	})
}

// Share returns the context for step i of n equal steps, which together are the work from share
// `from` to its end.
func Share(ctx context.Context, from float64, i, n int) context.Context {
	step := (1 - from) / float64(n)
	return progress.Part(ctx, from+float64(i)*step, from+float64(i+1)*step)
}
