package progress

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"time"
)

// ErrUnwanted is the cause of work that was cancelled because nobody needs it any more.
var ErrUnwanted = errors.New("not wanted any more")

// Job runs one piece of work at a time in the background, for a loop that is woken when there is
// a result. All methods are called on the goroutine of that loop. The zero Job is idle and cannot
// start work.
type Job[R any] struct {
	Busy    bool // from Start until Take returns the result
	GivenUp bool // GiveUp was called since the last Start

	since   time.Time
	share   *atomic.Uint64 // share of the work that is done, as the bits of a float64
	stop    context.CancelCauseFunc
	results chan R
	wake    func()
}

// NewJob returns a Job that calls wake, on another goroutine, when there is a result.
func NewJob[R any](wake func()) Job[R] { return Job[R]{wake: wake, results: make(chan R, 1)} }

// Start runs the work in the background; the Job must not be busy. It also calls wake once rest
// has passed, so that the loop can show that the work takes long.
func (j *Job[R]) Start(ctx context.Context, rest time.Duration, work func(context.Context) R) {
	share := new(atomic.Uint64)
	j.Busy, j.GivenUp, j.since, j.share = true, false, time.Now(), share
	ctx, j.stop = context.WithCancelCause(ctx)
	ctx = With(ctx, func(done float64) { share.Store(math.Float64bits(done)) })
	time.AfterFunc(rest, j.wake)
	go func() {
		j.results <- work(ctx)
		j.wake()
	}()
}

// Take returns the result of the work, if there is one.
func (j *Job[R]) Take() (result R, taken bool) {
	select {
	case result = <-j.results:
		j.Busy = false
		j.stop(nil)
		return result, true
	default:
		return result, false
	}
}

// Stop cancels the work; its result still comes.
func (j *Job[R]) Stop() { j.stop(ErrUnwanted) }

// GiveUp cancels the work because nobody needs its result. It reports whether there was anything
// to cancel.
func (j *Job[R]) GiveUp() bool {
	if !j.Busy || j.GivenUp {
		return false
	}
	j.GivenUp = true
	j.Stop()
	return true
}

// BusyFor returns how long the work has been running; 0 if there is none, or if it was given up.
func (j *Job[R]) BusyFor() time.Duration {
	if !j.Busy || j.GivenUp {
		return 0
	}
	return time.Since(j.since)
}

// Done returns how much of the work is done, from 0 to 1; 0 if that is not known.
func (j *Job[R]) Done() float64 {
	if j.BusyFor() == 0 {
		return 0
	}
	return min(max(math.Float64frombits(j.share.Load()), 0), 1)
}
