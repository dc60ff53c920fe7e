package soft

import (
	"sync/atomic"

	"github.com/shadeonce/shadeonce/internal/base/cores"
)

// parallel calls work(0..n-1), each once, on at most threads goroutines, and
// returns when all are done.
func parallel(n, threads int, work func(i int)) {
	threads = min(threads, n)
	if threads <= 1 {
		for i := range n {
			work(i)
		}
		return
	}
	var next atomic.Int64
	cores.OnThreads(threads, func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			work(i)
		}
	})
}
