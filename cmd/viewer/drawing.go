package main

import (
	"image"
	"iter"
	"time"

	"github.com/shadeonce/shadeonce/renderer/gpu"
)

const (
	// sliceTriangles is what a CPU takes in about 10 ms: after each slice the panels
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
	next  func() (struct{}, bool)
	yield func(struct{}) bool
	drawn bool
	err   error
}

func (a *app) newDrawing(size image.Point) *drawing {
	w := &drawing{}
	w.next, _ = iter.Pull(func(yield func(struct{}) bool) {
		w.yield = yield
		w.drawn, w.err = a.draw(size)
	})
	return w
}

// advance goes on with the drawing, or begins one; done says that it has ended.
func (a *app) advance(size image.Point) (done, drawn bool, err error) {
	if a.drawing == nil {
		a.drawing = a.newDrawing(size)
	}
	w, d := a.drawing, a.screen.device
	d.Idle = func() { w.yield(struct{}{}) }
	_, more := w.next()
	d.Idle = nil
	if more {
		return false, false, nil
	}
	a.drawing = nil
	return true, w.drawn, w.err
}

// endDrawing waits for what is being drawn.
func (a *app) endDrawing() {
	for more := a.drawing != nil; more; {
		_, more = a.drawing.next()
	}
	a.drawing = nil
}

// present makes what was drawn what the window shows, with what is said of it.
func (a *app) present() error {
	a.fresh = false
	if err := a.backend.Show(); err != nil {
		return err
	}
	if r := a.shownRight(); r != nil {
		if err := r.backend.Show(); err != nil {
			return err
		}
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

// showMeanwhile shows the panels over the old picture while a new one is drawn.
func (a *app) showMeanwhile(size image.Point) error {
	if a.quota > 0 && a.panels || a.rest > 0 || a.busyShown() {
		a.unshown = true
	}
	if !a.unshown || a.backend.Color() == nil || time.Since(a.shownAt) < meanwhileRest {
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
