package geometry

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/shadeonce/shadeonce/internal/progress"
)

// OnAllCores runs work once on each of at most so many cores, and returns when all
// have ended. A panic of one is a panic of the caller. That goes for faults, too:
// a part of a file that cannot be read where a pool lies in it (Backing) ends the
// process elsewhere.
func OnAllCores(most int, work func()) {
	workers := min(runtime.GOMAXPROCS(0), most)
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

// withFaults turns faults in mapped memory into panics.
func withFaults(work func()) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	work()
}

// FirstBad is the lowest of 0..n-1 that is bad, or -1 where none is. bad looks
// at from..to-1 and tells the lowest bad one there, or -1. It is called on all
// cores, for parts of at most grain, and no more once one is found below them, or
// once the context ends: its cause is then the error.
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
