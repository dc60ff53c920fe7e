package plan

import (
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
)

// Backend executes plans. It keeps what it made for the last plan, so that executing the same
// plan again needs no set-up.
type Backend interface {
	Info() Info
	// Limits returns what plans must respect now; free memory is part of it.
	Limits() renderer.Limits
	// Set replaces the options. A new backend has the zero Options.
	Set(Options)
	// Exec runs the plan for a camera and reads back what want asks for. If queues were too small,
	// the error is an *OverflowError.
	Exec(p *Plan, camera renderer.Camera, want renderer.Want) (*renderer.Output, error)
	Close()
}

// Info describes a backend, and holds further functions of some backends; a function is nil if
// the backend does not have it.
type Info struct {
	Name     string // "gpu" or "cpu": the flag value
	Device   string // the device's own name
	Driver   string // name and version; of the CPU backend, Go's version
	Subgroup int    // lanes of the device's subgroups; 0 without subgroups
	Software bool   // whether it is a GPU backend whose device is a CPU

	// Key identifies device and driver, for what is kept about them.
	Key string
	// SetCosts sets the Costs of the backend's limits, and of those of its device's other backends.
	SetCosts func(*renderer.Costs)

	// Aside runs host work while the backend serves its user. It returns when the work is done.
	Aside func(work func())
	// Messages returns what the validation layer has reported, also after Close.
	Messages func() []string
	// CopyBandwidth measures how fast the device copies memory, in bytes read plus bytes written
	// per second.
	CopyBandwidth func() (float64, error)
	// HardwareCounts draws a scene with the graphics pipeline. It returns how often the vertex
	// shader ran: for each (draw, vertex) pair, laid out as by reuse.Analyze, and in all, from the
	// pipeline's statistics. A number that the device cannot count is nil or 0.
	HardwareCounts func(s *geometry.Scene) (counts []uint32, invocations uint64, err error)
	// HardwareLacks says in a line what HardwareCounts cannot count; empty if nothing.
	HardwareLacks string
}

// Options change how a backend executes plans. A backend ignores options that do not
// concern it.
type Options struct {
	Keep int // number of plans that stay recorded, each with its own queues, so that several can be used in turn; 0 means 1

	// Progress is called by Exec with 0 before it compiles a pipeline, and after each part with the
	// share that is done. If it returns an error, Exec cancels the rest, waits for what was
	// submitted, and returns that error. May be nil.
	Progress func(done float64) error

	// Stepwise submits a plan step by step, so that other submissions need not wait for all of it;
	// a plan in windows is always submitted by window. It affects plans that are recorded from
	// then on.
	Stepwise bool

	// KeepOnce runs the passes of a kept plan that give the same result for every camera only at
	// its first Exec. Only that output has their timings and counts of cooperation.
	KeepOnce bool
}

// Tell reports progress: done of `of` parts. Its error cancels the other parts.
func (o *Options) Tell(done, of int) error {
	if o.Progress == nil {
		return nil
	}
	return o.Progress(float64(done) / float64(of))
}
