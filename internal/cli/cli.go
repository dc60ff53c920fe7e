// Package cli is what the commands shadeonce and viewer share of a command
// line: flags and how their values are read, scenes opened by name, signals,
// exit statuses, and text that is safe to print.
//
// Only the commands import it. It opens backends and scenes, and does not know
// what a command does with them.
package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/shadeonce/shadeonce/internal/names"
)

// Exit statuses: other people's scripts tell bad input from bad usage.
const (
	ExitFailure = 1
	ExitUsage   = 2
	ExitLimit   = 3
)

// LimitError is a run in which all went well, whose results miss a limit that the user
// set.
type LimitError struct{ Text string }

func (e LimitError) Error() string { return e.Text }

// UsageError is a command line that cannot work, whatever the files hold.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }
func (e UsageError) Unwrap() error { return e.Err }

// Usagef makes a UsageError.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// AsUsage makes a UsageError of an error, if there is one.
func AsUsage(err error) error {
	if err == nil {
		return nil
	}
	return UsageError{Err: err}
}

// Status is the exit status for an error: 0 without one.
func Status(err error) int {
	var bad UsageError
	var signal interrupted
	var limit LimitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &limit):
		return ExitLimit
	case errors.As(err, &bad):
		return ExitUsage
	case errors.As(err, &signal):
		return signal.status()
	}
	return ExitFailure
}

// Tell prints a notice, if there is one.
func Tell(stderr io.Writer, notice string) {
	if notice != "" {
		fmt.Fprintf(stderr, "shadeonce: %s\n", names.Printable(notice))
	}
}
