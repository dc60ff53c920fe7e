// Package progress carries cancellation and progress reports of long work, and runs such work in
// the background (Job).
//
// Both travel in a context: its end cancels the work, and With adds a function that
// receives the progress. Without either, the checks cost almost nothing.
package progress

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// teller reports the progress of a part of the work, which is the share of the whole between `from` and `to`.
type teller struct {
	tell     func(done float64)
	from, to float64
}

type key struct{}

// With returns a context whose work calls `tell` with its progress, from 0 to 1. `tell` is called often and from any
// goroutine, but never concurrently, so it must be fast. The values never decrease, although a core may report late.
func With(ctx context.Context, tell func(done float64)) context.Context {
	var lock sync.Mutex
	last := math.Inf(-1)
	rising := func(done float64) {
		lock.Lock()
		defer lock.Unlock()
		if done >= last {
			last = done
			tell(done)
		}
	}
	return context.WithValue(ctx, key{}, teller{rising, 0, 1})
}

// Part returns the context for a part of the work: its share between `from` and `to`, 0 to 1.
func Part(ctx context.Context, from, to float64) context.Context {
	t, told := ctx.Value(key{}).(teller)
	if !told {
		return ctx
	}
	wide := t.to - t.from
	return context.WithValue(ctx, key{}, teller{t.tell, t.from + from*wide, t.from + to*wide})
}

// Silent returns a context for work that reports no progress.
func Silent(ctx context.Context) context.Context {
	if _, told := ctx.Value(key{}).(teller); !told {
		return ctx
	}
	return context.WithValue(ctx, key{}, nil)
}

// Tell reports how much of the work of a context is done, from 0 to 1.
func Tell(ctx context.Context, done float64) {
	if t, told := ctx.Value(key{}).(teller); told {
		t.tell(t.from + done*(t.to-t.from))
	}
}

// How many elements long work processes between two checks of its context. A check takes some
// hundred instructions.
const (
	grain     = 1 << 8  // for elements that take tens of nanoseconds each
	eachGrain = 1 << 12 // for elements that take a nanosecond each
)

// Meter measures the progress of one loop over a number of elements.
type Meter struct {
	ctx    context.Context
	teller teller
	scale  float64
	next   int // element at which to check again
}

// NewMeter returns a meter for the given number of elements.
func NewMeter(ctx context.Context, whole int) Meter {
	m := Meter{ctx: ctx}
	if t, told := ctx.Value(key{}).(teller); told {
		m.teller, m.scale = t, (t.to-t.from)/float64(max(whole, 1))
	}
	return m
}

// At reports that `done` elements are done; `done` must not decrease. If the context has ended, At
// returns its cause. Most calls cost one comparison: it checks the context at the first call, and
// then every `grain` elements.
func (m *Meter) At(done int) error {
	if done < m.next {
		return nil
	}
	return m.look(done)
}

func (m *Meter) look(done int) error {
	m.next = done + grain
	if m.teller.tell != nil {
		m.teller.tell(m.teller.from + float64(done)*m.scale)
	}
	return context.Cause(m.ctx)
}

// Each calls `do` for consecutive ranges of the elements 0 to n-1. If the context ends, it returns
// the context's cause. It is for loops that take a few nanoseconds per element.
func Each(ctx context.Context, n int, do func(from, to int)) error {
	m := NewMeter(ctx, n)
	for from := 0; from < n; from += eachGrain {
		if err := m.At(from); err != nil {
			return err
		}
		do(from, min(from+eachGrain, n))
	}
	return m.look(n)
}

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

// NewJob returns a Job that calls `wake`, on another goroutine, when there is a result.
func NewJob[R any](wake func()) Job[R] { return Job[R]{wake: wake, results: make(chan R, 1)} }

// Start runs the work in the background; the Job must not be busy. It also calls `wake` once the
// time `rest` has passed, so that the loop can show that the work takes long.
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

// Take returns the result of the work; taken is false if there is none yet.
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

// Stop cancels the work. Take still returns its result.
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
