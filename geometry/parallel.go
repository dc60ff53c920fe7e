package geometry

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/shadeonce/shadeonce/internal/progress"
)

// OnAllCores runs work on all cores, or on most of them if there are more: see OnThreads.
func OnAllCores(most int, work func()) { OnThreads(min(runtime.GOMAXPROCS(0), most), work) }

// OnThreads runs work on so many threads and returns when every call has ended. If a call
// panics, OnThreads panics. A fault in mapped memory (Backing) becomes a panic, too; in any
// other goroutine it would end the process.
func OnThreads(workers int, work func()) {
	if workers <= 1 {
		withFaults(work)
		return
	}
	var fault atomic.Pointer[any]
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					fault.CompareAndSwap(nil, &p)
				}
			}()
			withFaults(work)
		})
	}
	wait.Wait()
	if p := fault.Load(); p != nil {
		panic(*p)
	}
}

// FirstBad returns the lowest bad element of 0..n-1, or -1 if there is none. bad
// returns the lowest bad element of from..to-1, or -1. It is called on all cores,
// for ranges of at most grain elements, until a bad element below the remaining
// ranges is known. If the context ends first, the error is its cause.
func FirstBad(ctx context.Context, n, grain int, bad func(from, to int) int) (int, error) {
	var next, lowest atomic.Int64
	lowest.Store(int64(n))
	OnAllCores((n+grain-1)/grain, func() {
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
