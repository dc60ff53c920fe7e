package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interrupted is the signal by which the user ended the program.
type interrupted struct{ signal syscall.Signal }

func (e interrupted) Error() string { return e.signal.String() }

// status is the exit status that a shell gives a program which the signal ended.
func (e interrupted) status() int { return 128 + int(e.signal) }

// untilInterrupted runs work that leaves something to be cleared away, and ends its
// context when the user interrupts the program. Signals are taken before the work
// begins: nothing may lie there that nobody would clear away. A second signal ends
// the program at once.
func untilInterrupted(work func(context.Context) error) error {
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // as under nohup
			signal.Notify(signals, s)
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	defer signal.Stop(signals)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(interrupted{s.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	if err := work(ctx); err != nil {
		return err
	}
	return context.Cause(ctx)
}
