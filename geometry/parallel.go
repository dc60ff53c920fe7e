package geometry

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// FirstBad is the lowest of 0..n-1 that is bad, or -1 where none is. bad looks
// at from..to-1 and tells the lowest bad one there, or -1. It is called on all
// cores, for parts of at most grain, and no more once one is found below them.
//
// A part of a file that cannot be read where a pool lies in it (Backing) is a
// panic of the caller's goroutine.
func FirstBad(n, grain int, bad func(from, to int) int) int {
	workers := min(runtime.GOMAXPROCS(0), (n+grain-1)/grain)
	if workers <= 1 {
		return firstBadPart(0, n, bad)
	}
	var next, lowest atomic.Int64
	lowest.Store(int64(n))
	var fault atomic.Value
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					fault.CompareAndSwap(nil, &panicked{p})
				}
			}()
			for fault.Load() == nil {
				from := next.Add(int64(grain)) - int64(grain)
				if from >= lowest.Load() {
					return
				}
				at := firstBadPart(int(from), min(int(from)+grain, n), bad)
				for old := lowest.Load(); at >= 0 && int64(at) < old; old = lowest.Load() {
					lowest.CompareAndSwap(old, int64(at))
				}
			}
		})
	}
	wait.Wait()
	if p, ok := fault.Load().(*panicked); ok {
		panic(p.value)
	}
	if at := lowest.Load(); at < int64(n) {
		return int(at)
	}
	return -1
}

type panicked struct{ value any }

// firstBadPart turns a fault in mapped memory, which would end the process, into
// a panic.
func firstBadPart(from, to int, bad func(from, to int) int) int {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	return bad(from, to)
}
