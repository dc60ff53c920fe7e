//go:build !windows

// Package clock measures how long work takes, in steps far below a microsecond. Go's own clock has steps
// of half a millisecond and more on Windows, where a pass over a small mesh then takes no time.
package clock

import "time"

// Start begins a measurement, and returns a function that returns the time since then.
func Start() func() time.Duration {
	began := time.Now()
	return func() time.Duration { return time.Since(began) }
}
