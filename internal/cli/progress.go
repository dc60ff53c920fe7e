package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// Meter is one line on a terminal: what is being done, how much is done and how long the rest
// will take. If standard error is not a terminal, it prints nothing.
type Meter struct {
	w     io.Writer // nil if nothing is printed
	stage string
	began time.Time
	next  time.Time // when the line may change
}

// A meter appears late and changes seldom: short work needs no line, and a line that changes too
// often cannot be read.
const (
	meterAfter = time.Second / 2
	meterEvery = time.Second / 10
	wipeLine   = "\r\x1b[K"
)

// NewMeter starts a meter.
func NewMeter(stderr io.Writer) *Meter {
	m := &Meter{began: time.Now()}
	m.next = m.began.Add(meterAfter)
	if file, ok := stderr.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		m.w = stderr
	}
	return m
}

// Stage says what is done from now on, between two shares of the whole. The work reports its
// progress to the context.
func (m *Meter) Stage(from, to float64, format string, args ...any) context.Context {
	ctx := m.part(context.Background(), from, to)
	m.stage = fmt.Sprintf(format, args...)
	progress.Tell(ctx, 0)
	return ctx
}

func (m *Meter) part(ctx context.Context, from, to float64) context.Context {
	if m.w == nil {
		return ctx
	}
	return progress.Part(progress.With(ctx, m.tell), from, to)
}

// tell shows which share of the whole is done.
func (m *Meter) tell(done float64) {
	if now := time.Now(); now.After(m.next) {
		m.next = now.Add(meterEvery)
		fmt.Fprint(m.w, wipeLine, names.Printable(meterText(m.stage, done, now.Sub(m.began))))
	}
}

// Wipe clears the line.
func (m *Meter) Wipe() {
	if m.w != nil {
		fmt.Fprint(m.w, wipeLine)
	}
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
	m.stage = what
	return UntilInterrupted(func(ctx context.Context) error { return work(m.part(ctx, 0, 1)) })
}
