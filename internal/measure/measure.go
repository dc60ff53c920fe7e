// Package measure counts and times: how often strategies and models shade the
// vertices of a scene, verified against the CPU reference, and how long the
// geometry pass and whole frames take.
//
// Count counts a scene in several ways; Geometry, Frames and Repeat time, all by
// the loop in race.go. The results are rows, whose JSON names are a contract:
// commands print them, and reports are made of them.
//
// It runs on any plan.Backend. It knows no flags, files or output.
package measure

import (
	"fmt"
	"runtime"

	"github.com/shadeonce/shadeonce/renderer/plan"
)

// Schema grows when a field of a row changes its meaning.
const Schema = 1

// MaxRuns bounds the runs that are timed, since every time is kept.
const MaxRuns = 100000

// On is the part of a row that says what it was made on.
type On struct {
	Backend  string `json:"backend"`
	Device   string `json:"device"`
	Driver   string `json:"driver"`
	Subgroup int    `json:"subgroup"`
}

// cpu is the name of the backend that needs no device: its results are those of
// the reference.
const cpu = "cpu"

// driven is a backend on a device that has a driver.
type driven interface {
	Driver() string
	Subgroup() int // lanes
}

// OnBackend describes a backend. The CPU's driver is Go's version.
func OnBackend(b plan.Backend) On {
	on := On{Backend: b.Name(), Device: b.Device(), Driver: runtime.Version()}
	if d, ok := b.(driven); ok {
		on.Driver, on.Subgroup = d.Driver(), d.Subgroup()
	}
	return on
}

// Clock says whose milliseconds a row has.
func (on *On) Clock() string {
	if on.Backend == cpu {
		return "CPU"
	}
	return "GPU"
}

// About names what an error is about; nil without an error.
func About(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
