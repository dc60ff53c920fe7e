package cli

import (
	"context"
	"io"
	"time"

	"github.com/shadeonce/shadeonce/internal/progress"
)

// WithProgress does work until it is interrupted. On a terminal it says how much of the
// work is done and how long the rest will take.
func WithProgress(stderr io.Writer, what string, work func(context.Context) error) error {
	say, wipe := Progress(stderr)
	defer wipe()
	began := time.Now()
	next := began.Add(time.Second / 2)
	return UntilInterrupted(func(ctx context.Context) error {
		return work(progress.With(ctx, func(done float64) {
			if now := time.Now(); now.After(next) && done > 0 {
				next = now.Add(time.Second / 10)
				left := time.Duration(float64(now.Sub(began)) * (1 - done) / done)
				say("%s: %.0f %%, %s left", what, 100*done, left.Round(time.Second))
			}
		}))
	})
}
