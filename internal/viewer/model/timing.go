package model

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/renderer"
)

// timedRuns is how often a plan is drawn to be timed, after a first run that prepares it,
// and timedRest is how long all that may take before fewer runs do.
const (
	timedRuns = 5
	timedRest = time.Second
)

// Timing is how long the passes take that draw something.
type Timing struct {
	Look   Look
	Passes []renderer.Timing // of the run that took the median time
	Err    error             // why it cannot be drawn
}

// BeginTiming starts a drawing that times a side without showing it.
func (p *Painter) BeginTiming(l Look, camera renderer.Camera) *Drawing {
	w := &Drawing{Since: time.Now(), What: "timing " + l.Settings.Strategy}
	w.next, _ = iter.Pull(func(yield func(bool) bool) {
		w.yield = yield
		w.Timing = p.Time(l, camera)
		if err := w.Timing.Err; err != nil && p.fatal(err) {
			w.Err = err
		}
	})
	return w
}

// Time times a side. It takes a canvas of its own, until DropSpare.
func (p *Painter) Time(l Look, camera renderer.Camera) *Timing {
	if p.spare == nil {
		p.spare = p.Open()
		p.keep(p.spare, 1)
	}
	t := &Timing{Look: l}
	t.Passes, t.Err = p.time(l, camera)
	return t
}

func (p *Painter) time(l Look, camera renderer.Camera) ([]renderer.Timing, error) {
	p.want = 0
	h, err := p.plan(p.spare, l, camera)
	if err != nil {
		return nil, err
	}
	runs := [][]renderer.Timing{}
	for begin := time.Now(); len(runs) < timedRuns && !*p.Quit; {
		if err := h.exec(p.spare, camera, 0); err != nil {
			return nil, err
		}
		if runs = append(runs, slices.Clone(h.Timings)); time.Since(begin) >= timedRest {
			break
		}
	}
	if len(runs) == 0 {
		return h.Timings, nil
	}
	return medianRun(runs), nil
}

// medianRun is the run that took the median time. It sorts runs.
func medianRun(runs [][]renderer.Timing) []renderer.Timing {
	slices.SortFunc(runs, func(a, b []renderer.Timing) int {
		return cmp.Compare(inspect.SumTimings(a), inspect.SumTimings(b))
	})
	return runs[len(runs)/2]
}

// DropSpare frees the canvas for timing.
func (p *Painter) DropSpare() {
	if p.spare != nil && !p.lost() {
		p.spare.Close()
	}
	p.spare = nil
}
