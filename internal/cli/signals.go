package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interrupted is the signal by which the user ended the program.
type interrupted struct{ signal syscall.Signal }

func (e interrupted) Error() string { return e.signal.String() }

// status is the exit status that a shell reports for a program ended by the
// signal.
func (e interrupted) status() int { return 128 + int(e.signal) }

// onSignal calls end, once, when a signal asks the program to end. A second
// signal then ends it at once. stop stops listening.
func onSignal(end func(interrupted)) (stop func()) {
	signals, done := make(chan os.Signal, 1), make(chan struct{})
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // as under nohup
			signal.Notify(signals, s)
		}
	}
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			end(interrupted{s.(syscall.Signal)})
		case <-done:
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}

// UntilInterrupted runs work whose files must be cleaned up, and cancels its
// context when the user interrupts the program. It listens before the work
// begins, so that no file is left behind by an early signal.
func UntilInterrupted(work func(context.Context) error) error {
	return untilInterrupted(context.Background(), work)
}

// untilInterrupted is UntilInterrupted with what a context carries.
func untilInterrupted(ctx context.Context, work func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer onSignal(func(s interrupted) { cancel(s) })()
	if err := work(ctx); err != nil {
		return err
	}
	return context.Cause(ctx)
}
