// Package progress lets long work be given up, and tells how far it has come.
//
// Both travel in a context: its end says that the work is not wanted any more, and
// With adds whom to tell. Work that nobody asks about pays for neither. The package
// knows nothing of what the work is.
package progress

import "context"

// teller is who is told: that a part of the way from from to to is done.
type teller struct {
	tell     func(done float64)
	from, to float64
}

type key struct{}

// With is a context whose work tells how much of it is done, from 0 to 1. It is told
// from any goroutine, also from several at once, and often: tell must be quick.
// What it hears may stand still, or fall a little where several cores work.
func With(ctx context.Context, tell func(done float64)) context.Context {
	return context.WithValue(ctx, key{}, teller{tell, 0, 1})
}

// Part is the context for a part of the work, which leads from one share of the
// whole to another.
func Part(ctx context.Context, from, to float64) context.Context {
	t, told := ctx.Value(key{}).(teller)
	if !told {
		return ctx
	}
	wide := t.to - t.from
	return context.WithValue(ctx, key{}, teller{t.tell, t.from + from*wide, t.from + to*wide})
}

// Silent is the context for work whose share of the whole is not known.
func Silent(ctx context.Context) context.Context {
	if _, told := ctx.Value(key{}).(teller); !told {
		return ctx
	}
	return context.WithValue(ctx, key{}, nil)
}

// Tell tells how much of the work of a context is done, from 0 to 1.
func Tell(ctx context.Context, done float64) {
	if t, told := ctx.Value(key{}).(teller); told {
		t.tell(t.from + done*(t.to-t.from))
	}
}

// Elements that long work takes between two looks at its context. To look takes as
// long as some hundred instructions.
const (
	grain     = 1 << 8  // of work on single elements: tens of nanoseconds each at least
	eachGrain = 1 << 12 // of work on many at a time: a nanosecond each at least
)

// Meter is one loop of long work over a number of elements.
type Meter struct {
	ctx    context.Context
	teller teller
	scale  float64
	next   int // element at which to look again
}

// NewMeter is a meter for so many elements.
func NewMeter(ctx context.Context, whole int) Meter {
	m := Meter{ctx: ctx}
	if t, told := ctx.Value(key{}).(teller); told {
		m.teller, m.scale = t, (t.to-t.from)/float64(max(whole, 1))
	}
	return m
}

// At says that so many elements are done, which only rises, and is the cause for
// which the work is to be given up, if it is. It costs a comparison: it looks at the
// context at the first call, and then now and then.
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

// Each calls do for elements 0 to n-1 of a loop, some at a time, and ends with the
// cause for which the work is to be given up, if it is. It is for loops that take
// a few nanoseconds an element.
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
