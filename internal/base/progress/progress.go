// Package progress carries cancellation and progress reports of long work, and runs such work in
// the background (Job).
//
// Both travel in a context: its end cancels the work, and With adds a function that
// receives the progress. Without either, the checks cost almost nothing.
package progress

import (
	"context"
	"math"
	"sync"
)

// teller reports how much is done of the part of the work between from and to.
type teller struct {
	tell     func(done float64)
	from, to float64
}

type key struct{}

// With returns a context whose work calls tell with how much of it is done, from 0 to 1. tell is
// called often and from any goroutine, but never concurrently, so it must be fast. The values
// never decrease, although a core may report late.
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

// Part returns the context for a part of the work, between two shares of the whole.
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

// NewMeter returns a meter for that many elements.
func NewMeter(ctx context.Context, whole int) Meter {
	m := Meter{ctx: ctx}
	if t, told := ctx.Value(key{}).(teller); told {
		m.teller, m.scale = t, (t.to-t.from)/float64(max(whole, 1))
	}
	return m
}

// At reports that `done` elements are done; done must not decrease. If the context has ended, At
// returns its cause. Most calls cost one comparison: it checks the context at the first call, and
// then every grain elements.
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

// Each calls do for elements 0 to n-1, some at a time. If the context ends, it returns its cause.
// It is for loops that take a few nanoseconds per element.
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
