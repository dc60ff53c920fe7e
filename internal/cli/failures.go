package cli

import (
	"errors"
	"strings"
)

// Failures are the errors of several files of one command line: those that could be read
// are not lost with them. Run prints a line for each.
type Failures []error

func (f Failures) Error() string {
	lines := make([]string, len(f))
	for i, err := range f {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "; ")
}

// Err is what the failures are as an error: nil without any, and a single one itself.
func (f Failures) Err() error {
	switch len(f) {
	case 0:
		return nil
	case 1:
		return f[0]
	}
	return f
}

// Add books the failure of one of so many files. It returns an error where going on makes
// no sense: after an interrupt, and when no file is left.
func (f *Failures) Add(err error, files int) error {
	*f = append(*f, err)
	var signal interrupted
	switch {
	case errors.As(err, &signal):
		return err
	case len(*f) == files:
		return f.Err()
	}
	return nil
}
