package app

import (
	"image"
	"time"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/renderer"
)

// advance continues the drawing under way, or begins the next one. done is true if no drawing is under way any more,
// drawn if a picture for a new camera is complete, and submitted if the device has new work.
func (a *App) advance(size image.Point) (drawn, done, submitted bool, err error) {
	if a.Drawing == nil {
		w, err := a.asked(size)
		if err != nil {
			return false, true, false, err
		}
		if j, some := a.Job(w); some && !a.uncounted() {
			a.Drawing = a.painter.Begin(j)
		} else if l, some := a.untimed(); some {
			a.Drawing = a.painter.BeginTiming(l, a.Shown.Left.Camera)
		} else if len(a.unseen()) > 0 {
			a.Drawing = a.painter.BeginTask(counting, a.takeSeen)
		} else if a.calibrates() {
			a.Drawing = a.painter.BeginTask(calibrating, a.calibrate)
		} else {
			return false, true, false, nil
		}
	}
	d := a.Drawing
	if done, submitted = a.painter.Advance(d); !done {
		return false, false, submitted, nil
	}
	a.Drawing, a.Again = nil, true // the drawing's result is not shown yet
	switch {
	case d.Err != nil:
		return false, true, false, d.Err
	case d.Timing != nil:
		if a.Strategies.timed(d.Timing); d.GivenUp { // cancelled: no further strategy is timed
			a.Strategies.giveUp(d.Timing.Err)
			a.done("gave up timing")
			a.rest = guiRest
		}
	case !d.Task:
		return d.Out.Drew, true, false, a.takeDrawn(d.Out)
	case d.GivenUp:
		a.done("gave up " + d.What)
	}
	a.Unshown = true
	return false, true, false, nil
}

// asked returns the picture that the state requests. If the state asks to show a draw alone that does not exist, asked
// first restores what is shown.
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
	w.Whole, w.RightWhole = a.posed(a.orders.Get(left.Source, a.IndexOrder)), a.posed(a.orders.Get(left.Source, a.Other.Order))
	w.Pose, w.Clip = a.Pose, a.Clip
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
	if left.Plan != before.Plan || a.Shown.Right.Plan != beforeRight.Plan {
		a.frameTime = 0 // times of first runs include preparation
	}
	if out.Timed {
		a.Log.Add(left.Timings)
		a.RightLog.Add(a.Shown.Right.Timings)
	}
	if out.Fresh {
		a.Unshown = true
		for i, h := range a.Shown.Halves() {
			old := [...]*model.Half{&before, &beforeRight}[i]
			h.Seen, h.Stale = old.Seen, a.plays() && h.Source == old.Source && h.Order == old.Order && h.Alone == old.Alone && h.Settings == old.Settings
			if !h.Stale {
				h.Seen = nil
			}
		}
		a.relegend()
	}
	return nil
}

// takeGivenUp handles a cancelled job: the shown picture stays, and the settings return to those
// of this picture. If the job was to show a new file, the file is released.
func (a *App) takeGivenUp(w *model.Asked) error {
	if w.File != nil {
		w.File.Source.Release()
		a.Next, a.Target = nil, a.At
	}
	if a.Shown.Left.Plan == nil {
		a.note("gave up drawing: "+openHint, time.Time{})
		return nil
	}
	a.done("gave up drawing")
	next, err := a.asked(a.Size())
	if _, more := a.Job(next); more { // the right side does not belong to the shown left side
		a.Compare = model.CompareOff
	}
	return err
}

// resized reports whether the picture's size differs from the window's.
func (a *App) resized(size image.Point) bool { return size != a.Shown.Left.Size && size != a.Stuck }

// busyStep is the least time between two pictures of a progress bar. The bar has to move at least every 100 ms,
// and it waits for the current part of a drawing, which takes up to about 40 ms.
const busyStep = 50 * time.Millisecond

// drawRest is how long a picture must take, if only the camera has changed, before the progress bar is shown.
// With faster pictures the bar would flicker.
const drawRest = time.Second

// cancel cancels the work under way, except counting; the picture on the screen stays.
func (a *App) cancel() {
	what := a.loader.Name + a.loader.Making
	if !a.loader.GiveUp() {
		switch {
		case a.maker.GiveUp():
			a.done("gave up " + a.maker.Now.Choice.Doing())
			a.backFromApp()
			a.Unshown, a.rest = true, guiRest
		case a.Drawing != nil && a.Drawing.What != counting: // counting runs to its end
			a.Drawing.GivenUp = true
		case a.calibrator.under != nil: // no step of the calibration is under way
			a.done("gave up " + calibrating)
			a.endCalibration()
		}
		if a.turn.begun {
			a.done("gave up " + a.turn.words())
			a.turn = turntable{}
		}
		return
	}
	if a.loader.Making != "" {
		a.IndexOrder = a.Shown.Left.Order
		if a.Compare != model.CompareOff && a.orders.Get(a.Shown.Left.Source, a.Other.Order) == nil {
			a.Compare = model.CompareOff
		}
	}
	a.Target, a.Pass, a.askedPass = a.At, a.pass, a.pass
	if a.Shown.Left.Plan == nil {
		a.note("gave up "+what+": "+openHint, time.Time{})
	} else {
		a.done("gave up " + what)
	}
}

// BusyShown reports whether the progress bar is shown.
func (a *App) BusyShown() bool {
	b := a.Busy()
	return b.Passed > 0 && b.Passed >= b.rest
}

// Busy is work that is under way.
type Busy struct {
	What   string
	Passed time.Duration // since it began; 0 if nothing is under way
	Done   float64       // completed share of the work; 0 if it is unknown

	rest time.Duration // time that must pass before the work is shown
}

// Busy returns what the progress bar shows.
func (a *App) Busy() Busy {
	switch d := a.Drawing; {
	case a.loader.BusyFor() > 0 && a.loader.Making != "":
		return Busy{"ordering by " + a.loader.Making, a.loader.BusyFor(), a.loader.Done(), load.ShowRest}
	case a.loader.BusyFor() > 0:
		return Busy{"loading " + a.loader.Name, a.loader.BusyFor(), a.loader.Done(), load.ShowRest}
	case a.maker.BusyFor() > 0 && !(a.Play && a.Walked != nil):
		return Busy{a.maker.Now.Choice.Doing(), a.maker.BusyFor(), a.maker.Done(), load.ShowRest}
	case a.turn.begun && d != nil:
		return Busy{a.turn.words(), time.Since(a.turn.since), float64(a.turn.done) / float64(a.turn.frames), load.ShowRest}
	case d == nil || a.quota > 0 || a.turn.frames > 0:
		return Busy{}
	case d.GivenUp:
		return Busy{"giving up " + d.What, time.Since(d.Since), 0, 0}
	case d.What == calibrating || d.What == counting: // nobody waits for this work, and the bar would hide messages at each of its steps
		return Busy{}
	case d.Plain:
		return Busy{d.What, time.Since(d.Since), d.Share, drawRest}
	default:
		return Busy{d.What, time.Since(d.Since), d.Share, load.ShowRest}
	}
}

// showBusy shows the window while there is no picture: the first file is being opened or drawn, or was
// cancelled.
func (a *App) showBusy(size image.Point) error {
	if !a.BusyShown() && (a.Busy().Passed > 0 || !a.Unshown) {
		return nil
	}
	for range guiRest { // the notice's size follows its text one frame later
		a.guiFrame()
	}
	picture, err := a.overlay.Compose(size, nil, nil, a.ui.Mesh())
	if err != nil {
		return err
	}
	shown, err := a.Present(picture, size)
	a.Unshown, a.shownAt = !shown, time.Now()
	return err
}

// While the camera moves, pictures are coarse if a whole picture takes longer than halfFrom: they have half as many pixels
// per side, and a quarter as many if it takes longer than quarterFrom.
const (
	halfFrom    = 50 * time.Millisecond
	quarterFrom = 4 * halfFrom
)

const coarseRest = 150 * time.Millisecond // how long the camera must rest until the whole picture is drawn

// coarse chooses how many pixels a picture has while the camera moves.
type coarse struct {
	camera  renderer.Camera // the camera requested last
	movedAt time.Time       // when camera changed
	of      model.Look      // what was drawn when the times were measured, with Size zero
	whole   time.Duration   // time of the last picture with all pixels; 0 if that is unknown
	useless bool            // a picture with fewer pixels took about as long
}

// follow records when the camera last moved.
func (c *coarse) follow(camera renderer.Camera, now time.Time) {
	if camera != c.camera {
		c.camera, c.movedAt = camera, now
	}
}

// note records how long a picture took. `window` is the size of a picture with all pixels.
func (c *coarse) note(of model.Look, window image.Point, took time.Duration) {
	whole := of.Size == window
	if of.Size = (image.Point{}); of != c.of {
		c.of, c.whole, c.useless = of, 0, false
	}
	if whole {
		c.whole = took
	} else if took > c.whole*4/5 { // the number of pixels hardly matters
		c.useless = true
	}
}

// rest returns the time until a resting camera's picture is drawn with all its pixels; 0 or less means now.
func (c *coarse) rest(now time.Time) time.Duration { return coarseRest - now.Sub(c.movedAt) }

// pixelsFor returns the size of the next picture in a window: the window's or, while the camera moves, a fraction of
// it. Benchmarks, turntables, saved pictures, and overlays that use the picture's depth need all pixels.
func (a *App) pixelsFor(window image.Point) image.Point {
	c := &a.coarse
	of := a.Shown.Left.Look
	of.Size = image.Point{}
	switch {
	case !a.Coarse, a.quota > 0, a.turn.frames > 0, len(a.Shots) > 0, a.AllEdges, a.Guides != 0, of != c.of, c.useless, c.rest(time.Now()) <= 0, c.whole <= halfFrom:
		return window
	case c.whole <= quarterFrom:
		return image.Pt((window.X+1)/2, (window.Y+1)/2)
	}
	return image.Pt((window.X+3)/4, (window.Y+3)/4)
}

// Calibration times the device in short steps. After the last one, which returns more = false, Keep saves the result.
type Calibration interface {
	Step() (more bool, err error)
	Keep() error
}

// Device work that the user does not wait for.
const (
	calibrating = "calibrating"
	counting    = "counting what is seen"
)

// calibrator calibrates the device while the viewer has nothing else to do. Between two steps other
// work comes first.
type calibrator struct {
	begin  func(plan.Backend) Calibration // nil if there is nothing left to calibrate
	under  Calibration                    // nil before the first step
	canvas model.Canvas
}

// calibrates reports whether the next step of a calibration is due. It is due only for the choice auto, which needs the result.
func (a *App) calibrates() bool {
	asked := reuse.IsAuto(a.Want.Strategy) || a.Want.Raster == renderer.AutoRaster
	return a.calibrator.begin != nil && asked && a.quota == 0 && a.turn.frames == 0 && a.Shown.Left.Plan != nil
}

// calibrate does the next step of the calibration, and saves the result after the last.
func (a *App) calibrate() error {
	c := &a.calibrator
	if c.under == nil {
		c.canvas = a.painter.Open()
		c.under = c.begin(c.canvas)
	}
	more, err := c.under.Step()
	switch {
	case a.Drawing.GivenUp:
		a.endCalibration()
		return nil
	case more && err == nil:
		return nil
	}
	if err == nil {
		err = c.under.Keep()
	}
	if err == nil {
		a.done("this device is calibrated: auto chooses by its times from the next change on")
	} else if !a.Device.Lost() {
		a.say(err)
		err = nil
	}
	a.endCalibration()
	return err
}

// endCalibration frees the memory of a calibration.
func (a *App) endCalibration() {
	if c := a.calibrator.canvas; c != nil && !a.Device.Lost() {
		c.Close()
	}
	a.calibrator = calibrator{}
}
