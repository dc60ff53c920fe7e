package main

import (
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/picture"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

const (
	// sliceTriangles is what two cores take in about 10 ms: after each slice the panels
	// may be shown.
	sliceTriangles = 24 << 10
	// evenLoad is the load, in cycles, that takes a CPU about as long as all else of a
	// triangle.
	evenLoad = 4096
	// promptRedraw is how long the device may take for a picture that is not shown before
	// the job goes on, and patientRedraw for a picture that is drawn once more.
	promptRedraw  = 250 * time.Millisecond
	patientRedraw = 5 * time.Second
)

// canvas is what a side is drawn on: a gpu.Backend, but in tests.
type canvas interface {
	plan.Backend
	Show() error // has the window show what was drawn last
	Keep(plans int)
	Reshow(p *plan.Plan) error
	Color() *gpu.Image // that the window shows; nil before the first
}

// painter draws jobs. Each side has a canvas, since a backend holds one scene.
type painter struct {
	left, right canvas // right is nil where nothing is compared
	open        func() canvas
	device      *gpu.Device // nil in tests without one
	stepwise    bool        // a CPU draws, one thing at a time: see Frame.Slice
	quit        *bool       // what has not been begun is left out
}

// newBackend is a backend for a side. A CPU draws large scenes more slowly than
// windows are to answer, and one thing at a time.
func newBackend(d *gpu.Device) *gpu.Backend {
	b := gpu.NewBackend(d)
	b.KeepOnce, b.Stepwise = true, d.Info.Type == gpu.TypeCPU
	return b
}

// drawing is a job under way. It is a coroutine of the frame loop, on the same thread:
// wherever it would wait for the device, or for planning, it gives way, so that events are
// taken and panels shown over the old picture.
type drawing struct {
	next    func() (submitted, more bool)
	gaveWay bool
	yield   func(submitted bool) bool
	out     outcome
	err     error
}

// begin makes a drawing of a job.
func (p *painter) begin(j job) *drawing {
	w := &drawing{}
	w.next, _ = iter.Pull(func(yield func(bool) bool) {
		w.yield = yield
		w.out, w.err = p.draw(j)
	})
	return w
}

// advance goes on with a drawing; done says that it has ended, else submitted says that
// the device has been given something to do.
func (p *painter) advance(w *drawing) (done, submitted bool) {
	p.device.Idle = func(submitted bool) { w.yield(submitted) }
	submitted, more := w.next()
	p.device.Idle = nil
	w.gaveWay = w.gaveWay || more
	return !more, submitted
}

// finish waits for a drawing, and returns an error that nothing can be done about.
func (p *painter) finish(w *drawing) error {
	for more := w != nil; more; {
		_, more = w.next()
	}
	p.device.Idle = nil
	if w != nil && w.err != nil && p.fatal(w.err) {
		return w.err
	}
	return nil
}

// fatal reports whether the device can do nothing more.
func (p *painter) fatal(err error) bool {
	return errors.Is(err, gpu.ErrDeviceLost) || errors.Is(err, gpu.ErrTimeout) || p.lost()
}

func (p *painter) lost() bool { return p.device != nil && p.device.Lost() }

// draw does a job's steps, and has the window show the result. A picture that took long is
// shown before the rest is drawn, which is another job then. Errors end the viewer.
func (p *painter) draw(j job) (outcome, error) {
	out := outcome{job: j, shown: j.from}
	now := &out.shown
	for next := j.step(now); next != stepNone; next = j.step(now) {
		var err error
		switch next {
		case stepLeft:
			err = p.planLeft(&j, &out)
		case stepDropRight:
			now.right = half{} // its canvas is in the window until the end
		case stepRight:
			err = p.planRight(&j, &out)
		case stepDifference:
			err = p.planDifference(&j, &out)
		case stepDropDifference:
			now.difference = difference{}
			p.left.Keep(1)
			now.left.rerun, out.fresh = true, false
		case stepDraw:
			err = p.drawAll(j.camera, &out)
		case stepCompare:
			now.compare, out.fresh = j.mode(now), true
		}
		if err != nil {
			return out, err
		}
		if now.left.plan == nil || *p.quit || out.fresh && !out.drew && inspect.SumTimings(now.left.timings) >= promptRedraw {
			now.compare = j.mode(now)
			break
		}
	}
	var err error
	if out.fresh {
		err = p.present(&out)
	}
	if j.compare == compareOff {
		p.dropRight()
	}
	return out, err
}

// plan plans and draws a side.
func (p *painter) plan(on canvas, l look, camera renderer.Camera) (half, error) {
	frame, err := l.settings.frame(l.scene, l.size.X, l.size.Y)
	if err != nil {
		return half{}, err
	}
	if l.applied != nil { // its counts, of all vertices and where they are
		frame.Shown, frame.Cull, frame.VertexShader = l.applied.Counts, false, renderer.Transform
	}
	if p.stepwise {
		frame.Slice = sliceTriangles * evenLoad / (evenLoad + frame.Load)
	}
	out, made, err := plan.Render(on, frame, camera, renderer.WantCounts)
	if err != nil {
		return half{}, err
	}
	h := half{
		look: l, plan: made, camera: camera, stats: out.Stats, counts: out.Counts, timings: out.Timings,
		// The times of a plan's first run hold its preparation.
		rerun: inspect.SumTimings(out.Timings) < patientRedraw,
	}
	if l.applied != nil {
		h.stats, h.counts = l.applied.Stats, l.applied.Counts
	}
	return h, nil
}

// planLeft draws the left side anew. Where that fails it stays as it was, or takes the
// next settings that work.
func (p *painter) planLeft(j *job, out *outcome) error {
	now := &out.shown
	try := func(s settings) error {
		if p.lost() {
			return gpu.ErrDeviceLost
		}
		l := j.left
		l.settings = s
		h, err := p.plan(p.left, l, j.camera)
		if err == nil {
			now.left = h
		}
		return err
	}
	before := now.left.plan
	switch {
	case j.change == newSettings:
		_, out.refused = settle(now.left.settings, j.left.settings, j.asked.knob, j.asked.step, try)
	default:
		out.refused = try(j.left.settings)
	}
	if plain := j.asked.fallback; out.refused != nil && j.change == newFile && plain != nil && !p.fatal(out.refused) {
		if err := try(*plain); err != nil { // on another device than last time
			out.refused = err
		}
	}
	if out.refused != nil && p.fatal(out.refused) {
		return out.refused
	}
	out.fresh = now.left.plan != before
	if !out.fresh { // what was shown has to be recorded again
		now.left.rerun, j.camera = before != nil, now.left.camera
	}
	out.timed = out.fresh && !now.left.rerun
	if out.fresh && j.change == newFile {
		// Nobody may look at the old scene any more: it may lie in a mapped file.
		now.right, now.difference = half{}, difference{}
		p.left.Keep(1)
	}
	j.left = now.left.look
	return nil
}

// planRight draws the right side anew. Where that fails it stays as it was.
func (p *painter) planRight(j *job, out *outcome) error {
	if p.right == nil {
		p.right = p.open()
	}
	h, err := p.plan(p.right, j.right(&out.shown), j.camera)
	if err != nil {
		out.refusedRight, j.rightScene = err, nil
		if p.fatal(err) {
			return err
		}
		return nil
	}
	h.rerun = false
	out.shown.right, out.fresh = h, true
	return nil
}

// dropRight gives the right side's memory back.
func (p *painter) dropRight() {
	if p.right != nil && !p.lost() {
		p.right.Close()
	}
	p.right = nil
}

// planDifference draws the differences of both sides. Where that fails the sides are shown
// beside each other.
func (p *painter) planDifference(j *job, out *outcome) error {
	now := &out.shown
	left, right := &now.left, &now.right
	next := difference{left: left.plan, right: right.plan, match: now.difference.match}
	if m := &next.match; m.Left != left.scene || m.Right != right.scene {
		*m = inspect.MatchVertices(left.scene, right.scene)
	}
	frame := left.plan.Frame
	frame.View, frame.Palette, frame.NoCounts = renderer.Counts, picture.DifferencePalette, false
	next.Difference, frame.Shown = inspect.Compare(&next.match, left.counts, right.counts)
	p.left.Keep(2) // the left's own plan stays, for switching back
	_, made, err := plan.Render(p.left, frame, j.camera, 0)
	if err != nil {
		out.refusedDifference, j.compare = err, compareSplit
		left.rerun, out.fresh = true, false // it has to be recorded again
		if p.fatal(err) {
			return err
		}
		return nil
	}
	next.plan = made
	now.difference, out.fresh = next, true
	return nil
}

// drawAll draws what the window shows for a camera.
func (p *painter) drawAll(camera renderer.Camera, out *outcome) error {
	now, begin := &out.shown, time.Now()
	d := &now.difference
	if d.plan == nil || d.plan.Frame.Cull { // what is shaded follows from what is seen
		for i, on := range []canvas{p.left, p.right}[:len(now.halves())] {
			if err := now.halves()[i].exec(on, camera); err != nil {
				return err
			}
		}
		out.timed = true
	}
	if d.plan != nil {
		if d.plan.Frame.Cull {
			if err := p.reshow(now); err != nil {
				return err
			}
		}
		if _, err := p.left.Exec(d.plan, camera, 0); err != nil {
			return err
		}
	}
	for _, h := range now.halves() {
		h.camera, h.rerun = camera, false
	}
	now.took = time.Since(begin)
	out.fresh, out.drew = true, true
	return nil
}

// exec draws a side's plan for a camera.
func (h *half) exec(on canvas, camera renderer.Camera) error {
	var want renderer.Want
	if h.plan.Frame.Cull {
		want = renderer.WantCounts
	}
	out, err := on.Exec(h.plan, camera, want)
	if err != nil {
		return err
	}
	h.timings = out.Timings
	if h.plan.Frame.Cull {
		h.stats, h.counts = out.Stats, out.Counts
	}
	return nil
}

// reshow brings the differences to what both sides have shaded.
func (p *painter) reshow(now *shown) error {
	d := &now.difference
	var counts []uint32
	d.Difference, counts = inspect.Compare(&d.match, now.left.counts, now.right.counts)
	if slices.Equal(counts, d.plan.Frame.Shown) {
		return nil
	}
	copy(d.plan.Frame.Shown, counts)
	return p.left.Reshow(d.plan)
}

// present has the window show what was drawn.
func (p *painter) present(out *outcome) error {
	err := p.left.Show()
	if out.shown.right.plan != nil && err == nil {
		err = p.right.Show()
	}
	var memory *gpu.MemoryError
	if errors.As(err, &memory) { // the old picture stays
		out.unshown, out.fresh = err, false
		return nil
	}
	return err
}
