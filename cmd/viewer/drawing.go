package main

import (
	"errors"
	"image"
	"iter"
	"time"

	"github.com/shadeonce/shadeonce/renderer/gpu"
)

const (
	// sliceTriangles is what two cores take in about 10 ms: after each slice the panels
	// may be shown.
	sliceTriangles = 24 << 10
	// evenLoad is the load, in cycles, that takes a CPU about as long as all else of a
	// triangle.
	evenLoad = 4096
	// meanwhileRest is the time between two pictures of the window while the scene is drawn.
	meanwhileRest = 30 * time.Millisecond
)

// newBackend is a backend for a side. A CPU draws large scenes more slowly than
// windows are to answer, and one thing at a time.
func newBackend(d *gpu.Device) *gpu.Backend {
	b := gpu.NewBackend(d)
	b.KeepOnce, b.Stepwise = true, d.Info.Type == gpu.TypeCPU
	return b
}

// drawing is app.draw under way. It is a coroutine of the frame loop, on the same
// thread: wherever it would wait for the device, or for planning, it gives way, so
// that events are taken and panels shown over the old picture.
type drawing struct {
	next    func() (submitted, more bool)
	yield   func(submitted bool) bool
	gaveWay bool
	drawn   bool
	err     error
}

func (a *app) newDrawing(size image.Point) *drawing {
	w := &drawing{}
	w.next, _ = iter.Pull(func(yield func(bool) bool) {
		w.yield = yield
		w.drawn, w.err = a.draw(size)
	})
	return w
}

// advance goes on with the drawing, or begins one; done says that it has ended, else
// submitted says that the device has been given something to do.
func (a *app) advance(size image.Point) (done, submitted bool, err error) {
	if a.drawing == nil {
		a.drawing = a.newDrawing(size)
	}
	w, d := a.drawing, a.screen.device
	d.Idle = func(submitted bool) { w.yield(submitted) }
	submitted, more := w.next()
	d.Idle = nil
	if more {
		w.gaveWay = true
		return false, submitted, nil
	}
	a.drawing, a.drew = nil, w.drawn
	// What came meanwhile was seen by nobody.
	a.again = a.again || w.gaveWay
	return true, false, w.err
}

// endDrawing waits for what is being drawn, and returns an error that nothing can
// be done about.
func (a *app) endDrawing() error {
	w := a.drawing
	if w == nil {
		return nil
	}
	a.quit = true // what has not been begun is left out
	for more := true; more; {
		_, more = w.next()
	}
	a.drawing, a.screen.device.Idle = nil, nil
	if w.err != nil && a.fatal(w.err) {
		return w.err
	}
	return nil
}

// present makes what was drawn what the window shows, with what is said of it.
func (a *app) present() error {
	a.fresh = false
	err := a.backend.Show()
	if r := a.shownRight(); r != nil && err == nil {
		err = r.backend.Show()
	}
	var memory *gpu.MemoryError
	if errors.As(err, &memory) { // the old picture stays
		a.say(err)
		return nil
	}
	if err != nil {
		return err
	}
	a.seen, a.unshown = a.drawn, true
	if a.legendDue {
		a.legendDue = false
		a.relegend()
	}
	return nil
}

// drawNow draws what the window shows for the camera as it is.
func (a *app) drawNow() error {
	a.redraw, a.drawn = false, a.camera
	if err := a.execShown(); err != nil {
		return err
	}
	return a.present()
}

// showMeanwhile shows the panels over the old picture while a new one is drawn. What
// was submitted to a device that takes it at once would only be shown later.
func (a *app) showMeanwhile(size image.Point, submitted bool) error {
	if a.quota > 0 && a.panels || a.rest > 0 || a.busyShown() {
		a.unshown = true
	}
	if !a.unshown || a.backend.Color() == nil || time.Since(a.shownAt) < meanwhileRest || submitted && !a.backend.Stepwise {
		return nil
	}
	return a.show(size)
}

// pace is how often the window was shown anew.
type pace struct {
	first, last time.Time
	shown       int
	longest     time.Duration
}

func (p *pace) note(now time.Time) {
	if p.first.IsZero() {
		p.first, p.last = now, now
		return
	}
	p.shown++
	p.longest = max(p.longest, now.Sub(p.last))
	p.last = now
}
