package model

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/renderer"
)

const (
	// sliceTriangles is how many triangles two cores draw in about 10 ms. After each slice the panels may be shown.
	sliceTriangles = 24 << 10
	// evenLoad is the load, in cycles per vertex, that takes as long on a CPU as all other work on a triangle.
	evenLoad = 4096
	// A picture that takes PromptRedraw or more of device time is shown before the job continues. A picture that takes less
	// than PatientRedraw, or has fewer than promptSlices slices, is drawn again: times of a first run include preparation.
	PromptRedraw  = 250 * time.Millisecond
	PatientRedraw = 5 * time.Second
	// promptSlices is how many slices of sliceTriangles a CPU draws in about a second.
	promptSlices = 100
)

// Canvas draws one side: a gpu.Backend, except in tests.
type Canvas interface {
	plan.Backend
	Show() error // shows the last drawing in the window
	Reshow(p *plan.Plan) error
	Color() *gpu.Image           // the picture in the window; nil before the first
	Seen() (picture.Seen, error) // counts the pixels of that picture by the shading count that they show
}

// Painter draws jobs. Each side has a canvas, since a backend holds one scene.
type Painter struct {
	Left, Right Canvas // Right is nil if nothing is compared
	spare       Canvas // the canvas for timing; nil if nothing is timed
	Open        func() Canvas
	Device      *gpu.Device   // nil in tests without one
	Stepwise    bool          // the device is a CPU: plans are submitted in short steps (Frame.Slice)
	Quit        *bool         // when true, steps that have not begun are left out
	drawing     *Drawing      // the drawing that Advance continues
	want        renderer.Want // what each picture of the job reads back besides counts
}

// NewBackend returns a backend for a side. On a CPU it draws stepwise: large scenes take so
// long there that the window would not respond meanwhile.
func NewBackend(d *gpu.Device) *gpu.Backend {
	b := gpu.NewBackend(d)
	b.Set(plan.Options{Keep: 1, KeepOnce: true, Stepwise: d.Info.Type == gpu.TypeCPU})
	return b
}

// keep sets how many plans a side's canvas keeps, and makes p.progress its progress callback.
func (p *Painter) keep(on Canvas, plans int) {
	on.Set(plan.Options{Keep: plans, KeepOnce: true, Stepwise: p.Stepwise, Progress: p.progress})
}

// Aside runs `work` while the frame loop goes on, and returns when it is done. If the canvas has no Aside, as in tests, `work` blocks the loop.
func (p *Painter) Aside(work func()) {
	if aside := p.Left.Info().Aside; aside != nil {
		aside(func(context.Context) { work() })
		return
	}
	work()
}

// fatal reports whether an error has made the device unusable.
func (p *Painter) fatal(err error) bool {
	return errors.Is(err, gpu.ErrDeviceLost) || errors.Is(err, gpu.ErrTimeout) || p.lost()
}

func (p *Painter) lost() bool { return p.Device != nil && p.Device.Lost() }

// Draw does a job's steps and shows the result in the window. After a slow picture it stops;
// another job draws the rest. Errors end the viewer.
func (p *Painter) Draw(j Job) (Outcome, error) {
	out := Outcome{Job: j, shown: j.from}
	now := &out.shown
	p.keep(p.Left, now.plans())
	if p.want = 0; j.Asked.Depth {
		p.want = renderer.WantDepth
	}
	for next := j.step(now); next != stepNone; next = j.step(now) {
		var err error
		switch next {
		case stepLeft:
			p.begin(j.left.doing())
			err = p.planLeft(&j, &out)
		case stepDropRight:
			now.Right = Half{} // the window shows the right canvas until the end of the job
		case stepRight:
			p.begin(j.right(now).doing())
			err = p.planRight(&j, &out)
		case stepDifference:
			p.begin("drawing the difference")
			err = p.planDifference(&j, &out)
		case stepDropDifference:
			now.Difference = Difference{}
			p.keep(p.Left, 1)
			now.Left.Rerun, out.Fresh = true, false
		case stepDraw:
			p.begin(now.Left.doing())
			err = p.drawAll(j.camera, &out)
		case stepCompare:
			now.Compare, out.Fresh = j.mode(now), true
		}
		if p.unwanted() != nil && !p.fatal(err) {
			return p.giveUp(j)
		}
		if err != nil {
			return out, err
		}
		if now.Left.Plan == nil || *p.Quit || out.Fresh && !out.Drew && inspect.SumTimings(now.Left.Timings) >= PromptRedraw {
			now.Compare = j.mode(now)
			break
		}
	}
	var err error
	if out.Fresh {
		err = p.present(&out)
	}
	if j.compare == CompareOff {
		p.DropRight()
	}
	return out, err
}

// plan plans and draws a look on a canvas.
func (p *Painter) plan(on Canvas, l Look, camera renderer.Camera) (h Half, err error) {
	defer must.Catch(&err)
	settings := l.Settings
	if l.Alone > 0 { // marks refer to draws of the whole scene
		settings.Marks = cli.MarkFlags{}
	}
	if l.Applied != nil { // an application's mesh has no inputs for custom vertex shaders
		settings = settings.Ours()
	}
	frame := must.Get(settings.Frame(l.Scene, l.Size.X, l.Size.Y))
	if l.Applied != nil { // the application counted all vertices, without culling and vertex shader
		frame.Shown, frame.Cull, frame.VertexShader = l.Applied.Counts, false, renderer.Transform
	}
	if p.Stepwise {
		frame.Slice = sliceTriangles * evenLoad / (evenLoad + frame.Load)
	}
	out, made := must.Get2(plan.Render(on, frame, camera, renderer.WantCounts|p.want))
	h = Half{
		Look: l, Plan: made, Camera: camera, Stats: out.Stats, Counts: out.Counts, Depth: out.Depth, Timings: out.Timings,
		// A quick picture is drawn again, since the times of a plan's first run include its preparation. A CPU may compile
		// for seconds in that run, so a scene of few slices counts as quick, however long its first run took.
		Rerun: inspect.SumTimings(out.Timings) < PatientRedraw || l.Scene.Triangles() < promptSlices*frame.Slice,
	}
	if l.Applied != nil {
		h.Stats, h.Counts = l.Applied.Stats, l.Applied.Counts
	}
	return h, nil
}

// planLeft plans and draws the left side. If that fails, the side stays as it was, or takes the
// next settings that work.
func (p *Painter) planLeft(j *Job, out *Outcome) error {
	now := &out.shown
	try := func(s Settings) error {
		if p.lost() {
			return gpu.ErrDeviceLost
		}
		if err := p.unwanted(); err != nil {
			return err
		}
		l := j.left
		l.Settings = s
		h, err := p.plan(p.Left, l, j.camera)
		if err == nil {
			now.Left = h
		}
		return err
	}
	before := now.Left.Plan
	if j.Change == NewSettings {
		_, out.Refused = settle(now.Left.Settings, j.left.Settings, j.Asked.Knob, j.Asked.Step, try)
	} else {
		out.Refused = try(j.left.Settings)
	}
	if plain := j.Asked.Fallback; out.Refused != nil && j.Change == NewFile && plain != nil && !p.fatal(out.Refused) {
		if err := try(*plain); err != nil { // remembered settings may fail on another device
			out.Refused = err
		}
	}
	if out.Refused != nil && p.fatal(out.Refused) {
		return out.Refused
	}
	out.Fresh = now.Left.Plan != before
	if !out.Fresh { // the shown plans have to be recorded again
		now.Left.Rerun, j.camera = before != nil, now.Left.Camera
	}
	out.Timed = out.Fresh && !now.Left.Rerun
	if out.Fresh && j.Change == NewFile {
		// Release the old scene's users first, since it may lie in a mapped file.
		now.Right, now.Difference = Half{}, Difference{}
		p.keep(p.Left, 1)
	}
	j.left = now.Left.Look
	return nil
}

// planRight plans and draws the right side. If that fails, the side stays as it was.
func (p *Painter) planRight(j *Job, out *Outcome) error {
	if p.Right == nil {
		p.Right = p.Open()
		p.keep(p.Right, 1)
	}
	h, err := p.plan(p.Right, j.right(&out.shown), j.camera)
	if err != nil {
		out.refusedRight, j.rightScene = err, nil
		if p.fatal(err) {
			return err
		}
		return nil
	}
	out.shown.Right, out.Fresh, out.Timed = h, true, out.Timed || !h.Rerun
	return nil
}

// planDifference draws the difference between the sides. If that fails, the sides are shown next
// to each other.
func (p *Painter) planDifference(j *Job, out *Outcome) error {
	now := &out.shown
	left, right := &now.Left, &now.Right
	next := Difference{Left: left.Plan, Right: right.Plan, Match: now.Difference.Match}
	if m := &next.Match; m.Left != left.Scene || m.Right != right.Scene {
		p.Aside(func() { *m = geometry.MatchVertices(left.Scene, right.Scene) })
	}
	frame := left.Plan.Frame
	frame.View, frame.Palette, frame.NoCounts = renderer.Counts, picture.DifferencePalette, false
	p.Aside(func() { next.Difference, frame.Shown = inspect.Compare(&next.Match, left.Counts, right.Counts) })
	p.keep(p.Left, 2) // the left's own plan stays, for switching back
	drawn, made, err := plan.Render(p.Left, frame, j.camera, p.want)
	if err != nil {
		out.refusedDifference, j.compare = err, CompareSplit
		left.Rerun, out.Fresh = true, false // the left plan has to be recorded again
		if p.fatal(err) {
			return err
		}
		return nil
	}
	next.Plan, left.Depth = made, drawn.Depth
	now.Difference, out.Fresh = next, true
	return nil
}

// drawAll draws both sides for a camera.
func (p *Painter) drawAll(camera renderer.Camera, out *Outcome) (err error) {
	defer must.Catch(&err)
	now, begin := &out.shown, time.Now()
	d := &now.Difference
	if d.Plan == nil || d.Plan.Counting().FollowsCamera || now.Left.Rerun || now.Right.Rerun { // with culling, the camera decides what is shaded
		for i, h := range now.Halves() {
			must.OK(h.exec([]Canvas{p.Left, p.Right}[i], camera, p.want))
		}
		out.Timed = true
	}
	if d.Plan != nil {
		if d.Plan.Counting().FollowsCamera {
			must.OK(p.reshow(now))
		}
		drawn, made := must.Get2(plan.Exec(p.Left, d.Plan, camera, p.want))
		d.Plan, now.Left.Depth = made, drawn.Depth
	}
	for _, h := range now.Halves() {
		h.Camera, h.Rerun = camera, false
	}
	now.Took = time.Since(begin)
	out.Fresh, out.Drew = true, true
	return nil
}

// exec draws a side's plan for a camera. It replaces the plan if this camera sees more
// than the plan's queues hold.
func (h *Half) exec(on Canvas, camera renderer.Camera, want renderer.Want) error {
	if h.Plan.Counting().FollowsCamera {
		want |= renderer.WantCounts
	}
	out, made, err := plan.Exec(on, h.Plan, camera, want)
	if err != nil {
		return err
	}
	h.Plan, h.Timings, h.Depth = made, out.Timings, out.Depth
	if h.Plan.Counting().FollowsCamera {
		h.Stats, h.Counts = out.Stats, out.Counts
	}
	return nil
}

// reshow updates the picture of differences to the current counts of both sides.
func (p *Painter) reshow(now *Shown) error {
	d := &now.Difference
	var counts []uint32
	p.Aside(func() { d.Difference, counts = inspect.Compare(&d.Match, now.Left.Counts, now.Right.Counts) })
	if slices.Equal(counts, d.Plan.Frame.Shown) {
		return nil
	}
	copy(d.Plan.Frame.Shown, counts)
	return p.Left.Reshow(d.Plan)
}

// present shows the drawn pictures in the window.
func (p *Painter) present(out *Outcome) error {
	err := p.Left.Show()
	if out.shown.Right.Plan != nil && err == nil {
		err = p.Right.Show()
	}
	var memory *gpu.MemoryError
	if errors.As(err, &memory) { // the old picture stays
		out.unshown, out.Fresh = err, false
		return nil
	}
	return err
}
