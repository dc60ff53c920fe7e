package app

import (
	"image"
	"time"

	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/renderer"
)

// advance continues what is being drawn, or begins it. done reports that nothing is left to draw,
// drawn that something was drawn for another camera, and submitted that the device has new work.
func (a *App) advance(size image.Point) (drawn, done, submitted bool, err error) {
	if a.Drawing == nil {
		w, err := a.asked(size)
		if err != nil {
			return false, true, false, err
		}
		if j, some := a.Job(w); some {
			a.Drawing = a.painter.Begin(j)
		} else if l, some := a.untimed(); some {
			a.Drawing = a.painter.BeginTiming(l, a.Shown.Left.Camera)
		} else if a.calibrates() {
			a.Drawing = a.painter.BeginTask("calibrating", a.calibrate)
		} else {
			return false, true, false, a.takeSeen()
		}
	}
	d := a.Drawing
	if done, submitted = a.painter.Advance(d); !done {
		return false, false, submitted, nil
	}
	a.Drawing, a.Again = nil, true // its result is not shown yet
	if d.Err != nil {
		return false, true, false, d.Err
	}
	if d.Task {
		if a.Unshown = true; d.GivenUp {
			a.done("gave up " + d.What)
		}
		return false, true, false, nil
	}
	if d.Timing != nil {
		a.takeTimed(d)
		a.Unshown = true
		return false, true, false, nil
	}
	return d.Out.Drew, true, false, a.takeDrawn(d.Out)
}

// asked returns what the state asks for.
func (a *App) asked(size image.Point) (model.Asked, error) {
	left := &a.Shown.Left
	if time.Since(a.resizedAt) >= resizeRest || a.Aspect == 0 {
		a.Frame(renderer.PartOf(a.ui.Free()), float32(size.X)/float32(size.Y))
	}
	w := model.Asked{Wishes: a.Wishes(), Knob: a.Turned, Step: a.Step, Fallback: a.fallback, Size: size, File: a.Next, Depth: a.AllEdges || a.Guides != 0}
	if w.File != nil {
		return w, a.askedFile(&w)
	}
	if left.Plan == nil {
		return w, nil
	}
	if err := model.CheckAlone(left.Whole, a.Alone); err != nil && a.Alone != left.Alone {
		a.say(err)
		a.Alone, w.Alone = left.Alone, left.Alone
	}
	if time.Since(a.resizedAt) < resizeRest {
		w.Size = left.Size // until then the old picture is stretched
	} else {
		w.Size = a.pixelsFor(size)
	}
	w.Whole, w.RightWhole = a.orders.Get(left.Source, a.IndexOrder), a.orders.Get(left.Source, a.Other.Order)
	a.askApp(&w)
	return w, nil
}

// takeDrawn takes over the outcome of a job.
func (a *App) takeDrawn(out model.Outcome) error {
	before, beforeRight, w := a.Shown.Left, a.Shown.Right, &out.Job.Asked
	for _, err := range a.Adopt(out, &a.Wanted) {
		a.say(err)
	}
	if out.GivenUp {
		return a.takeGivenUp(w)
	}
	left := &a.Shown.Left
	a.reselect(&before, left)
	a.reselect(&beforeRight, &a.Shown.Right)
	if out.Job.Change == model.NewFile {
		a.Next, a.fallback = nil, nil
		if left.Source != w.File.Source {
			w.File.Source.Release()
			return a.refuse(load.Loaded{Files: w.File.Files, Rest: w.File.Rest, Refused: []error{load.Naming(w.File.Files[w.File.At], out.Refused)}})
		}
		a.entered(w.File, before.Source)
	}
	if left.Plan != before.Plan {
		a.frameTime = 0
		if !left.Rerun {
			a.frameTime = inspect.SumTimings(left.Timings)
		}
	}
	if out.Timed {
		a.Log.Add(left.Timings)
		a.RightLog.Add(a.Shown.Right.Timings)
	}
	if out.Fresh {
		a.Unshown = true
		left.Seen, a.Shown.Right.Seen = nil, nil
		a.relegend()
	}
	return nil
}

// takeGivenUp takes over a job that was cancelled: what was shown stays, and is asked for. A file
// that was to be shown is closed.
func (a *App) takeGivenUp(w *model.Asked) error {
	if w.File != nil {
		w.File.Source.Release()
		a.Next, a.Target = nil, a.At
	}
	a.Unshown, a.rest = true, guiRest
	if a.Shown.Left.Plan == nil {
		a.Notices.add("gave up drawing: "+openHint, time.Time{})
		return nil
	}
	a.done("gave up drawing")
	next, err := a.asked(a.Size())
	if _, more := a.Job(next); more { // the right side does not belong to the left one any more
		a.Compare = model.CompareOff
	}
	return err
}

// takeTimed takes over the times of a strategy. If they were cancelled, no strategy is timed.
func (a *App) takeTimed(d *model.Drawing) {
	a.Strategies.timed(d.Timing)
	if d.GivenUp {
		a.Strategies.giveUp(d.Timing.Err)
		a.done("gave up timing")
		a.rest = guiRest
	}
}

// resized reports whether the picture's size differs from the window's.
func (a *App) resized(size image.Point) bool { return size != a.Shown.Left.Size && size != a.Stuck }
