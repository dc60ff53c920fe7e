// Package cli is the command line that shadeonce and the viewer share: flags and their parsers,
// scenes opened by name, signals, exit statuses, manual pages, and tables.
//
// It opens backends and scenes, and does not know what a command does with them.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/names"
)

// Exit statuses. Scripts depend on them.
const (
	ExitFailure = 1
	ExitUsage   = 2
	ExitLimit   = 3
)

// LimitError is the error of a run that succeeded, but whose results miss a limit that the user
// set.
type LimitError struct{ Text string }

func (e LimitError) Error() string { return e.Text }

// UsageError is the error of a command line that cannot work, whatever its files contain.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }
func (e UsageError) Unwrap() error { return e.Err }

// Usagef formats a UsageError.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// AsUsage wraps an error in a UsageError; nil stays nil.
func AsUsage(err error) error {
	if err == nil {
		return nil
	}
	return UsageError{Err: err}
}

// Status returns the exit status for an error: 0 for nil.
func Status(err error) int {
	var signal interrupted
	switch {
	case err == nil:
		return 0
	case errors.As(err, new(LimitError)):
		return ExitLimit
	case errors.As(err, new(UsageError)):
		return ExitUsage
	case errors.As(err, &signal):
		return signal.status()
	}
	return ExitFailure
}

// Program is the name that notices begin with. The viewer sets its own.
var Program = "shadeonce"

// Tell prints a notice, if there is one.
func Tell(stderr io.Writer, notice string) {
	if notice != "" {
		NewMeter(stderr).Wipe() // clears the line of a running meter
		fmt.Fprintf(stderr, "%s: %s\n", Program, names.Printable(notice))
	}
}

// Failures are the errors of several files that could not be processed. Run prints a line for each.
type Failures []error

func (f Failures) Error() string {
	return strings.Join(names.Of(f, error.Error), "; ")
}

// Unwrap returns the errors.
func (f Failures) Unwrap() []error { return f }

// Err returns nil if there are no failures, a single failure as it is, and otherwise all of them.
func (f Failures) Err() error {
	switch len(f) {
	case 0:
		return nil
	case 1:
		return f[0]
	}
	return f
}

// Add records the failure of one of the files. It returns an error if the command should end: after
// an interrupt, or if all files have failed.
func (f *Failures) Add(err error, files int) error {
	*f = append(*f, err)
	switch {
	case errors.As(err, new(interrupted)):
		return err
	case len(*f) == files:
		return f.Err()
	}
	return nil
}

// interrupted is the error of work ended by a signal.
type interrupted struct{ signal syscall.Signal }

func (e interrupted) Error() string {
	if e.signal == syscall.SIGINT {
		return "interrupted"
	}
	return e.signal.String()
}

// status returns the exit status that a shell reports for a program ended by the
// signal.
func (e interrupted) status() int { return 128 + int(e.signal) }

// notify returns a channel of the signals that ask the program to end.
func notify() chan os.Signal {
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // as under nohup
			signal.Notify(signals, s)
		}
	}
	return signals
}

const patience = 400 * time.Millisecond // how long work may go on after a signal, to clean up

// EndOnSignal makes signals end the program: after the time `patience`, or at once after a second
// signal. Work on a device cannot be cancelled, and not all other work watches a context.
// Unfinished output files are removed.
func EndOnSignal(program string, stderr io.Writer) {
	signals := notify()
	go func() {
		first := interrupted{(<-signals).(syscall.Signal)}
		select {
		case <-signals:
		case <-time.After(patience):
		}
		atomicfile.Abandon()
		NewMeter(stderr).Wipe()
		fmt.Fprintf(stderr, "%s: %s\n", program, first)
		os.Exit(first.status())
	}()
}

// onSignal calls `end`, once, when a signal asks the program to end. Without EndOnSignal, a second
// signal then ends the program at once. `stop` ends the wait for signals.
func onSignal(end func(interrupted)) (stop func()) {
	signals, done := notify(), make(chan struct{})
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

// UntilInterrupted runs work whose files must be cleaned up, and cancels its context when the user
// interrupts the program. It returns the work's error, or the interrupt if the work returned none. It
// watches for signals before the work begins, so that an early one leaves no file behind.
func UntilInterrupted(work func(context.Context) error) error {
	return untilInterrupted(context.Background(), work)
}

// untilInterrupted is UntilInterrupted within a context.
func untilInterrupted(ctx context.Context, work func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer onSignal(func(s interrupted) { cancel(s) })()
	if err := work(ctx); err != nil {
		return err
	}
	return context.Cause(ctx)
}
