package model

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/renderer"
)

// Drawing is a job, timing or task under way. It is a coroutine of the frame loop, on the same thread. Instead of waiting for
// the device or for planning it yields, so that the loop handles events and shows panels over the old picture.
type Drawing struct {
	next   func() (submitted, more bool)
	yield  func(submitted bool) bool
	Out    Outcome // a job's outcome
	Timing *Timing // nil unless BeginTiming made the drawing
	Task   bool    // it is work other than a job or timing, and has no outcome
	Err    error

	Since   time.Time
	What    string  // the step under way, in words
	Share   float64 // share of the step that is done, 0 to 1; also 0 if it is unknown
	Plain   bool    // the job only draws for another camera
	GivenUp bool    // cancelled: it ends when it next reports progress, and shows nothing
}

// Begin returns a drawing of a job, which Advance runs.
func (p *Painter) Begin(j Job) *Drawing {
	w := &Drawing{Since: time.Now(), Plain: j.step(&j.from) == stepDraw}
	w.run(func() { w.Out, w.Err = p.Draw(j) })
	return w
}

// run makes `work` the coroutine of the drawing.
func (w *Drawing) run(work func()) {
	w.next, _ = iter.Pull(func(yield func(bool) bool) {
		w.yield = yield
		work()
	})
}

// BeginTask returns a drawing that runs other cancellable work with the device. `what` names the work for the progress bar.
func (p *Painter) BeginTask(what string, work func() error) *Drawing {
	w := &Drawing{Since: time.Now(), What: what, Task: true}
	w.run(func() {
		if err := work(); err != nil && (p.unwanted() == nil || p.fatal(err)) {
			w.Err = err
		}
	})
	return w
}

// Advance continues a drawing. `done` reports whether the drawing has ended. If not, `submitted`
// reports whether it has submitted work to the device.
func (p *Painter) Advance(w *Drawing) (done, submitted bool) {
	p.drawing = w
	p.Device.Idle = func(submitted bool) { w.yield(submitted) }
	submitted, more := w.next()
	p.Device.Idle = nil
	p.drawing = nil
	return !more, submitted
}

// Finish ends a drawing, if there is one: it cancels a job or timing, and runs a task, such as saving a picture,
// to its end. It returns an error only if the device is unusable.
func (p *Painter) Finish(w *Drawing) error {
	if p.drawing = w; w != nil {
		w.GivenUp = !w.Task
	}
	for more := w != nil; more; {
		_, more = w.next()
	}
	p.Device.Idle, p.drawing = nil, nil
	if w != nil && w.Err != nil && p.fatal(w.Err) {
		return w.Err
	}
	return nil
}

// progress records the progress of a step, and cancels the rest of a drawing that was given up.
func (p *Painter) progress(done float64) error {
	if p.drawing != nil {
		p.drawing.Share = done
	}
	return p.unwanted()
}

// unwanted returns an error if the drawing under way was given up.
func (p *Painter) unwanted() error {
	if p.drawing != nil && p.drawing.GivenUp {
		return progress.ErrUnwanted
	}
	return nil
}

// begin records what a drawing does next, for the progress bar.
func (p *Painter) begin(what string) {
	if p.drawing != nil {
		p.drawing.What, p.drawing.Share = what, 0
	}
}

// giveUp returns the outcome of a cancelled job: the window keeps its old picture, and the canvases
// draw that picture again only when the camera moves.
func (p *Painter) giveUp(j Job) (out Outcome, err error) {
	out = Outcome{Job: j, shown: j.from, GivenUp: true}
	now := &out.shown
	now.Left.Rerun, now.Right.Rerun = false, false
	p.keep(p.Left, now.plans())
	if d := &now.Difference; d.Plan != nil && d.Plan.Counting().FollowsCamera {
		err = p.reshow(now)
	}
	if now.Right.Plan == nil {
		p.DropRight()
	}
	return out, err
}

// doing returns the progress bar's words for a look.
func (l Look) doing() string {
	return fmt.Sprintf("drawing %s by %s in %s order", l.Source.Name, l.Settings.Strategy, l.Order)
}

// back sets the user's request back to what the window shows, after a cancelled job.
func (v *Views) back(w *Asked, s *Wanted) {
	l, r := &v.Shown.Left, &v.Shown.Right
	if l.Plan == nil {
		return
	}
	if w.Size != l.Size {
		v.Stuck, v.unsized = w.Size, true
	}
	s.Want, s.Turned, s.IndexOrder, s.Alone, s.Compare = l.Settings, nil, l.Order, l.Alone, v.Shown.Compare
	s.Pose, s.Clip = l.Pose, l.Clip
	s.Camera, s.Time = l.Camera, l.Camera.Time
	s.Camera.Time = 0
	if r.Plan != nil {
		s.Other = r.other()
	}
	switch made := cmp.Or(l.Applied, r.Applied); {
	case made != nil:
		s.Doing = made.Choice
	case s.OnMesh():
		s.Doing.App = results.None
	}
}

// timedRuns is how often a plan is drawn to be timed, after a first run that prepares it. timedRest
// bounds the total time of these runs; slow plans get fewer runs.
const (
	timedRuns = 5
	timedRest = time.Second
)

// Timing holds the times of the passes that draw a look.
type Timing struct {
	Look   Look
	Passes []renderer.Timing // of the run that took the median time
	Err    error             // why the look cannot be drawn
}

// BeginTiming returns a drawing that times a look without showing it.
func (p *Painter) BeginTiming(l Look, camera renderer.Camera) *Drawing {
	w := &Drawing{Since: time.Now(), What: "timing " + l.Settings.Strategy}
	w.run(func() {
		w.Timing = p.Time(l, camera)
		if err := w.Timing.Err; err != nil && p.fatal(err) {
			w.Err = err
		}
	})
	return w
}

// Time draws a look several times on the spare canvas, which it keeps until DropSpare. It returns the median run's times.
func (p *Painter) Time(l Look, camera renderer.Camera) (t *Timing) {
	if p.spare == nil {
		p.spare = p.Open()
		p.keep(p.spare, 1)
	}
	t = &Timing{Look: l}
	defer must.Catch(&t.Err)
	p.want = 0
	h := must.Get(p.plan(p.spare, l, camera))
	var runs [][]renderer.Timing
	for begin := time.Now(); len(runs) < timedRuns && !*p.Quit && (runs == nil || time.Since(begin) < timedRest); {
		must.OK(h.exec(p.spare, camera, 0))
		runs = append(runs, slices.Clone(h.Timings))
	}
	if t.Passes = h.Timings; runs != nil {
		t.Passes = medianRun(runs)
	}
	return t
}

// medianRun returns the run with the median time. It sorts runs.
func medianRun(runs [][]renderer.Timing) []renderer.Timing {
	slices.SortFunc(runs, func(a, b []renderer.Timing) int {
		return cmp.Compare(inspect.SumTimings(a), inspect.SumTimings(b))
	})
	return runs[len(runs)/2]
}

// DropSpare frees the canvas that was used for timing, DropRight the right side's canvas.
func (p *Painter) DropSpare() { p.drop(&p.spare) }
func (p *Painter) DropRight() { p.drop(&p.Right) }

func (p *Painter) drop(c *Canvas) {
	if *c != nil && !p.lost() {
		(*c).Close()
	}
	*c = nil
}
