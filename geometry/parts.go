package geometry

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/shadeonce/shadeonce/internal/base/cores"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// FirstBad returns the lowest bad element of 0..n-1, or -1 if there is none. bad returns the
// lowest bad element of from..to-1, or -1. FirstBad calls it on all cores, for ranges of at most
// grain elements, until it knows a bad element below all remaining ranges. If the context ends
// first, FirstBad returns its cause.
func FirstBad(ctx context.Context, n, grain int, bad func(from, to int) int) (int, error) {
	if bad == nil || grain < 1 {
		return -1, fmt.Errorf("geometry: no function to call, or ranges of %d elements", grain)
	}
	var next, lowest atomic.Int64
	lowest.Store(int64(n))
	cores.OnAll((n+grain-1)/grain, func() {
		meter := progress.NewMeter(ctx, n)
		for {
			from := next.Add(int64(grain)) - int64(grain)
			if from >= lowest.Load() || meter.At(int(from)) != nil {
				return
			}
			at := bad(int(from), min(int(from)+grain, n))
			for old := lowest.Load(); at >= 0 && int64(at) < old; old = lowest.Load() {
				lowest.CompareAndSwap(old, int64(at))
			}
		}
	})
	if err := context.Cause(ctx); err != nil {
		return -1, err
	}
	if at := lowest.Load(); at < int64(n) {
		return int(at), nil
	}
	return -1, nil
}

// onParts splits 0..n-1 into parts of at most grain elements, and calls do for each on all cores.
func onParts(n, grain int, do func(from, to int)) {
	var next atomic.Int64
	cores.OnAll((n+grain-1)/grain, func() {
		for from := int(next.Add(int64(grain))) - grain; from < n; from = int(next.Add(int64(grain))) - grain {
			do(from, min(from+grain, n))
		}
	})
}
