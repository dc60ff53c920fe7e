// Package cores runs work on several cores.
package cores

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Count returns how many threads keep all cores busy.
func Count() int { return runtime.GOMAXPROCS(0) - room }

// OnAll calls `work` once on each core, but at most `most` times: see OnThreads.
func OnAll(most int, work func()) { OnThreads(min(Count(), most), work) }

var room int // number of goroutines that may run in addition to Count threads

// LeaveRoom makes Go run twice as many goroutines at once, without changing Count. A frame loop
// that returns from a call of C then continues at once; otherwise it would wait up to 10 ms until
// background work on all cores is interrupted. The operating system divides the cores among the threads.
func LeaveRoom() {
	room = runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(2 * room)
}

// OnThreads calls `work` once in each of a number of goroutines, and returns when every call has ended. If a call
// panics, OnThreads panics. A fault in mapped memory also becomes a panic; in any other goroutine it would end the
// process.
func OnThreads(workers int, work func()) {
	if workers <= 1 {
		PanicOnFault(work)
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
			PanicOnFault(work)
		})
	}
	wait.Wait()
	if p := fault.Load(); p != nil {
		panic(*p)
	}
}

// PanicOnFault runs `work` on this goroutine and turns faults in mapped memory into panics.
func PanicOnFault(work func()) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	work()
}
