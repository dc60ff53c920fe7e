package app

import (
	"errors"
	"image"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// easel is a canvas without a window, drawn by the CPU. It counts its calls, and fails when a test asks it to.
type easel struct {
	plan.Backend
	drawn, showed, keep int
	closed              bool
	image               *gpu.Image
	fail                func(*renderer.Frame) error
	slow                time.Duration // the reported time of every picture
}

func (e *easel) Exec(p *plan.Plan, c renderer.Camera, want renderer.Want) (*renderer.Output, error) {
	if e.fail != nil {
		if err := e.fail(&p.Frame); err != nil {
			return nil, err
		}
	}
	e.drawn++
	out, err := e.Backend.Exec(p, c, want)
	if err == nil { // with measured times, the next drawing would depend on the machine's speed
		out.Timings = []renderer.Timing{{Pass: "all", Duration: e.slow}}
	}
	return out, err
}

func (e *easel) Show() error             { e.showed++; return nil }
func (e *easel) Set(o plan.Options)      { e.keep = o.Keep }
func (e *easel) Reshow(*plan.Plan) error { return nil }

func (e *easel) Seen() (picture.Seen, error) { return picture.Seen{}, nil }
func (e *easel) Color() *gpu.Image           { return e.image }
func (e *easel) Close()                      { e.closed = true }

// studio is the drawing part of a viewer, without a window.
type studio struct {
	t *testing.T
	App
	left, right *easel
	told        []error
}

// newStudio shows a scene.
func newStudio(t *testing.T, name string) *studio {
	t.Helper()
	s := &studio{t: t, App: App{ui: bare{}}, left: &easel{Backend: soft.New(), keep: 1}}
	s.painter = &model.Painter{Left: s.left, Quit: &s.Quit, Open: func() model.Canvas {
		s.right = &easel{Backend: soft.New()}
		return s.right
	}}
	s.Want, s.IndexOrder, s.Other = start, load.FileOrder, model.OtherSide{Strategy: "hash", Lanes: 32, Order: load.FileOrder}
	s.Want.Raster = renderer.SoftRaster
	require.Equal(t, []model.Change{model.NewFile}, s.open(name, load.FileOrder))
	return s
}

// open shows a file in the given order.
func (s *studio) open(name, order string) []model.Change {
	s.t.Helper()
	scene := viewtest.Scene(s.t, name)
	f := &load.Loaded{Files: []string{name}, Scene: viewtest.InOrder(s.t, scene, order), Source: scene, IndexOrder: order}
	w := s.wanted()
	w.File, w.Box, w.Size = f, scene.Bounds(), image.Pt(32, 24)
	w.Camera = must.Get(s.CameraOf(w.Box, nil, 4./3))
	first := s.do(w)
	if s.Shown.Left.Source == scene {
		s.orders.Put(scene, order, f.Scene)
	}
	return append(first, s.settle()...)
}

func (s *studio) wanted() model.Asked {
	left := &s.Shown.Left
	w := model.Asked{
		Wishes: s.Wishes(), Knob: s.Turned, Step: s.Step, Size: left.Size,
		Whole: s.orders.Get(left.Source, s.IndexOrder), RightWhole: s.orders.Get(left.Source, s.Other.Order),
	}
	s.askApp(&w)
	return w
}

// do runs the next job, if there is one, and returns what it changed.
func (s *studio) do(w model.Asked) (changes []model.Change) {
	j, some := s.Job(w)
	if !some {
		return nil
	}
	before := s.Shown
	out := must.Get(s.painter.Draw(j))
	require.Equal(s.t, before, s.Shown, "nothing changes before the job is done")
	s.told = append(s.told, s.Adopt(out, &s.State.Wanted)...)
	return []model.Change{j.Change}
}

// settle runs jobs until none is left.
func (s *studio) settle() (changes []model.Change) {
	for range 20 {
		next := s.do(s.wanted())
		if next == nil {
			return changes
		}
		changes = append(changes, next...)
	}
	s.t.Fatal("it never comes to rest")
	return nil
}

// order makes an index order, as the loader does.
func (s *studio) order(name string) *geometry.Scene {
	left := &s.Shown.Left
	scene := viewtest.InOrder(s.t, left.Source, name)
	s.orders.Put(left.Source, name, scene)
	return scene
}

// The viewer ends up showing all requested settings, changing one thing per job.
func TestWhatIsAskedForIsShown(t *testing.T) {
	s := newStudio(t, "city1")
	left := &s.Shown.Left
	require.False(t, left.Rerun, "drawn once more, for its times")
	require.Equal(t, 2, s.left.drawn)
	require.Empty(t, s.settle(), "at rest")

	s.Want.Strategy = "hash"
	require.Equal(t, []model.Change{model.NewSettings}, s.settle())
	require.Equal(t, "hash", left.Plan.Frame.Reuse.Strategy.Name)
	s.Move(func(c *renderer.Camera) { c.Azimuth++ })
	require.Equal(t, []model.Change{model.NoChange}, s.settle())
	require.Equal(t, s.Camera, left.Camera)

	s.IndexOrder = "random"
	require.Empty(t, s.settle(), "it is being made")
	random := s.order("random")
	s.Want.Lanes, s.Alone = 8, 2
	require.Equal(t, []model.Change{model.NewOrder, model.NewSettings, model.NewAlone}, s.settle())
	require.Same(t, random, left.Whole)
	require.Equal(t, random.Draws[1:2], left.Scene.Draws)
	require.Equal(t, left.Scene.Bounds(), s.Box)
	require.Equal(t, s.Camera, left.Camera, "which sees the draw")
	require.Contains(t, s.pictureName(), "-draw1", "its number, from 0")
	s.Alone = 0
	require.Equal(t, []model.Change{model.NewAlone}, s.settle())
	require.Same(t, random, left.Scene)

	w := s.wanted()
	w.Size = image.Pt(40, 24)
	require.Equal(t, []model.Change{model.NewSize}, s.do(w))
	require.Equal(t, 40, left.Plan.Frame.Width)

	require.Equal(t, []model.Change{model.NewFile}, s.open("cube", "random"))
	require.Equal(t, "random", left.Order)
	require.Empty(t, s.told)
}

func TestTwoSidesAreShown(t *testing.T) {
	s := newStudio(t, "city1")
	s.Compare, s.Other.Order = model.CompareSplit, "forsyth+fetch"
	require.Empty(t, s.settle(), "its order is being made")
	require.Equal(t, model.CompareOff, s.Shown.Compare)
	s.order("forsyth+fetch")
	s.settle()
	left, right := &s.Shown.Left, &s.Shown.Right
	require.Equal(t, model.CompareSplit, s.Shown.Compare)
	require.Equal(t, []string{"warp", "hash"}, []string{left.Settings.Strategy, right.Settings.Strategy})
	require.Equal(t, "forsyth+fetch", right.Order)
	require.Equal(t, 2, s.right.drawn, "once more, for its times")

	s.Move(func(c *renderer.Camera) { c.Azimuth++ })
	s.Want.Lanes = 8
	s.settle()
	require.Equal(t, s.Camera, left.Camera)
	require.Equal(t, s.Camera, right.Camera, "both see the same")

	s.Compare = model.CompareDifference
	s.settle()
	d := &s.Shown.Difference
	require.Equal(t, 2, s.left.keep, "the left's own plan is kept")
	require.Same(t, left.Plan, d.Left)
	require.Same(t, right.Plan, d.Right)
	require.Len(t, d.Plan.Frame.Shown, len(left.Counts))
	s.Alone = 1
	s.settle()
	require.Same(t, left.Plan, d.Left, "it follows")
	require.Len(t, right.Scene.Draws, 1)
	timed := s.right.drawn
	s.Want.Strategy = "claim"
	s.settle()
	require.Equal(t, 1, s.right.drawn-timed, "both sides are drawn once more for the times of the new one, below their difference")

	s.Compare = model.CompareSplit
	s.settle()
	require.Nil(t, s.Shown.Difference.Plan)
	require.Equal(t, 1, s.left.keep)
	canvas := s.right
	s.Compare = model.CompareOff
	s.settle()
	require.Nil(t, s.Shown.Right.Plan)
	require.Nil(t, s.painter.Right)
	require.True(t, canvas.closed)

	s.Compare = model.CompareDifference
	s.settle()
	require.NotNil(t, s.Shown.Difference.Plan)
	s.open("cube", load.FileOrder)
	require.Equal(t, model.CompareOff, s.Shown.Compare, "another file's order is being made")
	require.Nil(t, s.Shown.Difference.Plan)
	require.Empty(t, s.told)
}

// Settings that cannot be drawn give a message and are taken back; the shown picture stays.
func TestWhatCannotBeDrawnIsTakenBack(t *testing.T) {
	s := newStudio(t, "city1")
	left := &s.Shown.Left
	before := *left
	fail := func(e *easel, when func(*renderer.Frame) bool) {
		e.fail = func(f *renderer.Frame) error {
			if when(f) {
				return errors.New("no memory")
			}
			return nil
		}
	}
	refused := func(what string, changes ...model.Change) {
		t.Helper()
		require.Equal(t, changes, s.settle(), what)
		require.Len(t, s.told, 1, what)
		require.ErrorContains(t, s.told[0], "no memory", what)
		require.Same(t, before.Plan, left.Plan, what)
		require.Equal(t, before.Look, left.Look, what)
		s.told = nil
	}
	fail(s.left, func(f *renderer.Frame) bool { return f.Reuse.Strategy.Name != "warp" })
	s.Want.Strategy = "hash"
	refused("settings", model.NewSettings)
	require.Equal(t, "warp", s.Want.Strategy)
	model.ByFlag("lanes").Press(&s.State, 1)
	require.Equal(t, []model.Change{model.NewSettings}, s.settle())
	before = *left

	fail(s.left, func(f *renderer.Frame) bool { return f.Scene != before.Scene })
	s.IndexOrder = "random"
	s.order("random")
	refused("order", model.NewOrder)
	require.Equal(t, load.FileOrder, s.IndexOrder)
	s.Alone = 1
	refused("a draw alone", model.NewAlone)
	require.Zero(t, s.Alone)
	require.Equal(t, []model.Change{model.NewFile}, s.open("cube", load.FileOrder))
	require.Empty(t, s.told, "a file is refused with its name, by the caller")
	require.Same(t, before.Plan, left.Plan)
	require.Equal(t, before.Camera, left.Camera)

	fail(s.left, func(f *renderer.Frame) bool { return f.Width != 32 })
	w := s.wanted()
	w.Size = image.Pt(9, 9)
	require.Equal(t, []model.Change{model.NewSize}, s.do(w))
	require.Empty(t, s.do(w), "it is not tried again")
	require.Len(t, s.told, 1)
	require.Same(t, before.Plan, left.Plan)
	s.told = nil

	// Settings chosen after the failed ones are not taken back.
	fail(s.left, func(f *renderer.Frame) bool { return f.Reuse.Strategy.Name == "sort" })
	s.Want.Strategy = "sort"
	j, _ := s.Job(s.wanted())
	out := must.Get(s.painter.Draw(j))
	s.Want.Strategy = "naive"
	s.Adopt(out, &s.State.Wanted)
	require.Equal(t, "naive", s.Want.Strategy)
}

// If another camera overflows the queues of a kept plan, the frame is planned again with queues that
// are large enough: on either side, and for the picture of differences.
func TestAnOverflowIsPlannedAgain(t *testing.T) {
	s := newStudio(t, "city1")
	overflow := func(e *easel) {
		first := true
		e.fail = func(*renderer.Frame) error {
			if !first {
				return nil
			}
			first = false
			return &renderer.OverflowError{Stage: renderer.TriangleQueue, Need: 2, Have: 1}
		}
	}
	turned := func(fail ...*easel) {
		t.Helper()
		for _, e := range fail {
			overflow(e)
		}
		s.Move(func(c *renderer.Camera) { c.Azimuth++ })
		s.settle()
		for _, h := range s.Shown.Halves() {
			require.Equal(t, s.Camera, h.Camera)
		}
		require.Empty(t, s.told)
	}
	before := s.Shown.Left.Plan
	turned(s.left)
	require.NotSame(t, before, s.Shown.Left.Plan)
	require.Equal(t, 1., s.Shown.Left.Plan.Frame.VertexShare, "of the worst case")

	s.Compare = model.CompareSplit
	s.settle()
	left, right := s.Shown.Left.Plan, s.Shown.Right.Plan
	turned(s.right)
	require.Same(t, left, s.Shown.Left.Plan)
	require.NotSame(t, right, s.Shown.Right.Plan)

	s.Compare = model.CompareDifference
	s.settle()
	before = s.Shown.Difference.Plan
	turned(s.left)
	require.NotSame(t, before, s.Shown.Difference.Plan)
	require.Same(t, left, s.Shown.Left.Plan)
}

// A slow picture is shown before the next one is drawn. A very slow one is not drawn twice.
func TestSlowPicturesAreShownFirst(t *testing.T) {
	s := newStudio(t, "city1")
	s.left.slow = model.PromptRedraw
	showed, drawn := s.left.showed, s.left.drawn
	s.Want.Strategy, s.Compare = "hash", model.CompareSplit
	require.Equal(t, []model.Change{model.NewSettings, model.NoChange, model.NoChange}, s.settle())
	require.Equal(t, 3, s.left.showed-showed)
	require.Equal(t, 2, s.left.drawn-drawn)
	s.left.slow = model.PatientRedraw
	drawn = s.left.drawn
	s.Want.Strategy = "warp"
	require.Equal(t, []model.Change{model.NewSettings}, s.settle())
	require.Equal(t, 1, s.left.drawn-drawn)
	s.painter.Stepwise, s.Want.Strategy, drawn = true, "hash", s.left.drawn
	require.Equal(t, []model.Change{model.NewSettings, model.NoChange}, s.settle())
	require.Equal(t, 2, s.left.drawn-drawn, "a CPU draws so few triangles at once, and took the time to compile")

	// Closing the viewer leaves out jobs that have not begun.
	s.left.slow, s.Quit = 0, true
	drawn = s.left.drawn
	s.Want.Strategy = "warp"
	s.do(s.wanted())
	require.Equal(t, 1, s.left.drawn-drawn)
}
