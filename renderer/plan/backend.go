package plan

import (
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
)

// Backend executes plans. It keeps what it made for the last plan, so that
// executing the same plan again costs no set-up.
type Backend interface {
	Info() Info
	// Limits is what plans must keep to now: free memory is part of it.
	Limits() renderer.Limits
	// Set replaces the options. A new backend has the zero Options.
	Set(Options)
	// Exec runs the plan for a camera and reads back what is wanted. Queues that
	// were too small are an *OverflowError.
	Exec(p *Plan, camera renderer.Camera, want renderer.Want) (*renderer.Output, error)
	Close()
}

// Info describes a backend, and holds what some backends do beside executing plans:
// functions that are nil where a backend cannot.
type Info struct {
	Name     string // "gpu" or "cpu": the flag value
	Device   string // the device's own name
	Driver   string // name and version; of the CPU backend, Go's version
	Subgroup int    // lanes of the device's subgroups; 0 without subgroups
	Software bool   // a GPU backend whose device is a CPU

	// Aside runs host work while the backend serves its user. It returns when the work is done.
	Aside func(work func())
	// Messages returns what the validation layer has reported, also after Close.
	Messages func() []string
	// CopyBandwidth measures how fast the device copies memory, in bytes read plus bytes
	// written a second.
	CopyBandwidth func() (float64, error)
	// HardwareCounts draws a scene with the graphics pipeline. It returns how often the vertex
	// shader ran: for each (draw, vertex) pair, laid out as by reuse.Analyze, and in all, as
	// the pipeline's statistics say. The one that the device cannot count is nil or 0.
	HardwareCounts func(s *geometry.Scene) (counts []uint32, invocations uint64, err error)
	// HardwareLacks says in a line what HardwareCounts cannot count; empty if nothing.
	HardwareLacks string
}

// Options change how a backend executes plans. A backend ignores options that do not
// concern it.
type Options struct {
	Keep     int                // plans that stay recorded, each with its own queues, so that several can take turns; 0 is 1
	Progress func(done float64) // told by Exec how far it is, 0 to 1; may be nil

	// Stepwise submits a plan step by step, so that other submissions need not wait for all
	// of it; a plan in windows is submitted by window as always. It holds for plans that are
	// recorded from now on.
	Stepwise bool

	// KeepOnce runs those passes of a kept plan that are the same for every camera only at
	// its first Exec, whose output alone has their timings and counts of cooperation.
	KeepOnce bool
}

// Tell reports progress: done of so many parts.
func (o *Options) Tell(done, of int) {
	if o.Progress != nil {
		o.Progress(float64(done) / float64(of))
	}
}
