package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// Meter is one line on a terminal: what is being done, how much is done and how long the rest
// will take. If standard error is not a terminal, it prints nothing.
type Meter struct {
	w io.Writer // nil if nothing is printed

	lock  sync.Mutex // of the rest
	stage string
	done  float64
	began time.Time
	next  time.Time   // when the line may change
	tick  *time.Timer // shows the line where the work reports nothing; nil once it is wiped
}

// A meter appears late and changes seldom: short work needs no line, and a line that changes too
// often cannot be read. Work that reports nothing still has a line.
const (
	meterAfter = time.Second / 2
	meterEvery = time.Second / 10
	wipeLine   = "\r\x1b[K"
)

// NewMeter starts a meter.
func NewMeter(stderr io.Writer) *Meter {
	if file, ok := stderr.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return startMeter(stderr, meterAfter)
	}
	return &Meter{}
}

// startMeter starts a meter that appears after some time.
func startMeter(w io.Writer, after time.Duration) *Meter {
	m := &Meter{w: w, began: time.Now()}
	m.next = m.began.Add(after)
	m.lock.Lock()
	defer m.lock.Unlock()
	m.tick = time.AfterFunc(after, func() {
		m.show(func() {
			if m.tick != nil {
				m.tick.Reset(after)
			}
		})
	})
	return m
}

// Stage says what is done from now on, between two shares of the whole. The work reports its
// progress to the context.
func (m *Meter) Stage(from, to float64, format string, args ...any) context.Context {
	ctx := m.part(context.Background(), from, to)
	m.lock.Lock()
	m.stage = fmt.Sprintf(format, args...)
	m.lock.Unlock()
	progress.Tell(ctx, 0)
	return ctx
}

func (m *Meter) part(ctx context.Context, from, to float64) context.Context {
	if m.w == nil {
		return ctx
	}
	return progress.Part(progress.With(ctx, func(done float64) { m.show(func() { m.done = done }) }), from, to)
}

// show makes a change, and shows which share of the whole is done.
func (m *Meter) show(change func()) {
	m.lock.Lock()
	defer m.lock.Unlock()
	change()
	if now := time.Now(); m.tick != nil && !now.Before(m.next) && m.stage != "" {
		m.next = now.Add(meterEvery)
		fmt.Fprint(m.w, wipeLine, names.Printable(meterText(m.stage, m.done, now.Sub(m.began))))
	}
}

// Wipe clears the line, and ends the meter.
func (m *Meter) Wipe() {
	if m.w == nil {
		return
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.tick != nil {
		m.tick.Stop()
		m.tick = nil
	}
	fmt.Fprint(m.w, wipeLine)
}

// meterText returns the line after some time. While almost nothing is done, it does not estimate
// the time left.
func meterText(stage string, done float64, took time.Duration) string {
	const least = .005
	if done < least {
		return stage
	}
	left := time.Duration(float64(took) * (1 - done) / done)
	return fmt.Sprintf("%s: %.0f %%, %s left", stage, 100*done, left.Round(time.Second))
}

// WithProgress does work until it is interrupted, and shows its progress.
func WithProgress(stderr io.Writer, what string, work func(context.Context) error) error {
	m := NewMeter(stderr)
	defer m.Wipe()
	m.stage = what // nothing runs yet that reads it
	return UntilInterrupted(func(ctx context.Context) error { return work(m.part(ctx, 0, 1)) })
}
