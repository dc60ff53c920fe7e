package main

import (
	"errors"
	"image"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/loading"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// easel is a canvas without a window: the CPU draws. It counts what it does, and fails
// where it is told to.
type easel struct {
	plan.Backend
	drawn, showed, keep int
	closed              bool
	fail                func(*renderer.Frame) error
	slow                time.Duration // what every picture is said to take
}

func (e *easel) Exec(p *plan.Plan, c renderer.Camera, want renderer.Want) (*renderer.Output, error) {
	if e.fail != nil {
		if err := e.fail(&p.Frame); err != nil {
			return nil, err
		}
	}
	e.drawn++
	out, err := e.Backend.Exec(p, c, want)
	if err == nil { // not its own times: they would decide what is drawn next
		out.Timings = []renderer.Timing{{Pass: "all", Duration: e.slow}}
	}
	return out, err
}

func (e *easel) Show() error             { e.showed++; return nil }
func (e *easel) Keep(plans int)          { e.keep = plans }
func (e *easel) Reshow(*plan.Plan) error { return nil }
func (e *easel) Color() *gpu.Image       { return nil }
func (e *easel) Close()                  { e.closed = true }

// studio is the part of a viewer that draws, without a window.
type studio struct {
	t *testing.T
	app
	left, right *easel
	told        []error
}

// newStudio shows a scene.
func newStudio(t *testing.T, name string) *studio {
	t.Helper()
	s := &studio{t: t, left: &easel{Backend: soft.New(), keep: 1}}
	s.painter = &painter{left: s.left, quit: &s.quit, open: func() canvas {
		s.right = &easel{Backend: soft.New()}
		return s.right
	}}
	s.want, s.indexOrder, s.other = start, loading.FileOrder, otherSide{"hash", 32, loading.FileOrder}
	s.want.raster = renderer.SoftRaster
	require.Equal(t, []change{newFile}, s.open(name, loading.FileOrder))
	return s
}

// open has a file shown.
func (s *studio) open(name, order string) []change {
	s.t.Helper()
	scene, err := assets.Make(name)
	require.NoError(s.t, err)
	f := &loading.Loaded{Files: []string{name}, Scene: inOrderOf(s.t, scene, order), Source: scene, IndexOrder: order}
	w := s.wanted()
	w.file, w.box, w.size = f, scene.Bounds(), image.Pt(32, 24)
	if w.camera, err = s.cameraOf(w.box, nil, 4./3); err != nil {
		s.t.Fatal(err)
	}
	first := s.do(w)
	if s.shown.left.source == scene {
		s.orders.Put(scene, order, f.Scene)
	}
	return append(first, s.settle()...)
}

func (s *studio) wanted() asked {
	left := &s.shown.left
	w := asked{
		wishes: s.wishes(), knob: s.turned, step: s.step, size: left.size,
		whole: s.orders.Get(left.source, s.indexOrder), rightWhole: s.orders.Get(left.source, s.other.order),
	}
	s.askApp(&w)
	return w
}

// do draws a job, where one is due, and says what it changed.
func (s *studio) do(w asked) (changes []change) {
	j, some := s.job(w)
	if !some {
		return nil
	}
	before := s.shown
	out, err := s.painter.draw(j)
	require.NoError(s.t, err)
	require.Equal(s.t, before, s.shown, "nothing changes before the job is done")
	s.told = append(s.told, s.adopt(out, &s.state)...)
	return []change{j.change}
}

// settle draws what is asked for until nothing is due.
func (s *studio) settle() (changes []change) {
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
	left := &s.shown.left
	scene := inOrderOf(s.t, left.source, name)
	s.orders.Put(left.source, name, scene)
	return scene
}

// Whatever is asked for is what is shown in the end, with one change a job.
func TestWhatIsAskedForIsShown(t *testing.T) {
	s := newStudio(t, "city1")
	left := &s.shown.left
	require.False(t, left.rerun, "drawn once more, for its times")
	require.Equal(t, 2, s.left.drawn)
	require.Empty(t, s.settle(), "at rest")

	s.want.strategy = "hash"
	require.Equal(t, []change{newSettings}, s.settle())
	require.Equal(t, "hash", left.plan.Frame.Reuse.Strategy.Name)
	s.move(func(c *renderer.Camera) { c.Azimuth++ })
	require.Equal(t, []change{noChange}, s.settle())
	require.Equal(t, s.camera, left.camera)

	s.indexOrder = "random"
	require.Empty(t, s.settle(), "it is being made")
	random := s.order("random")
	s.want.lanes, s.alone = 8, 2
	require.Equal(t, []change{newOrder, newSettings, newAlone}, s.settle())
	require.Same(t, random, left.whole)
	require.Equal(t, random.Draws[1:2], left.scene.Draws)
	require.Equal(t, left.scene.Bounds(), s.box)
	require.Equal(t, s.camera, left.camera, "which sees the draw")
	s.alone = 0
	require.Equal(t, []change{newAlone}, s.settle())
	require.Same(t, random, left.scene)

	w := s.wanted()
	w.size = image.Pt(40, 24)
	require.Equal(t, []change{newSize}, s.do(w))
	require.Equal(t, 40, left.plan.Frame.Width)

	require.Equal(t, []change{newFile}, s.open("cube", "random"))
	require.Equal(t, "random", left.order)
	require.Empty(t, s.told)
}

func TestTwoSidesAreShown(t *testing.T) {
	s := newStudio(t, "city1")
	s.compare, s.other.order = compareSplit, "forsyth+fetch"
	require.Empty(t, s.settle(), "its order is being made")
	require.Equal(t, compareOff, s.shown.compare)
	s.order("forsyth+fetch")
	s.settle()
	left, right := &s.shown.left, &s.shown.right
	require.Equal(t, compareSplit, s.shown.compare)
	require.Equal(t, []string{"warp", "hash"}, []string{left.settings.strategy, right.settings.strategy})
	require.Equal(t, "forsyth+fetch", right.order)

	s.move(func(c *renderer.Camera) { c.Azimuth++ })
	s.want.lanes = 8
	s.settle()
	require.Equal(t, s.camera, left.camera)
	require.Equal(t, s.camera, right.camera, "both see the same")

	s.compare = compareDifference
	s.settle()
	d := &s.shown.difference
	require.Equal(t, 2, s.left.keep, "the left's own plan is kept")
	require.Same(t, left.plan, d.left)
	require.Same(t, right.plan, d.right)
	require.Len(t, d.plan.Frame.Shown, len(left.counts))
	s.alone = 1
	s.settle()
	require.Same(t, left.plan, d.left, "it follows")
	require.Len(t, right.scene.Draws, 1)

	s.compare = compareSplit
	s.settle()
	require.Nil(t, s.shown.difference.plan)
	require.Equal(t, 1, s.left.keep)
	canvas := s.right
	s.compare = compareOff
	s.settle()
	require.Nil(t, s.shown.right.plan)
	require.Nil(t, s.painter.right)
	require.True(t, canvas.closed)

	s.compare = compareDifference
	s.settle()
	require.NotNil(t, s.shown.difference.plan)
	s.open("cube", loading.FileOrder)
	require.Equal(t, compareOff, s.shown.compare, "another file's order is being made")
	require.Nil(t, s.shown.difference.plan)
	require.Empty(t, s.told)
}

// What cannot be drawn is told, and is not asked for any more; what was shown stays.
func TestWhatCannotBeDrawnIsTakenBack(t *testing.T) {
	s := newStudio(t, "city1")
	left := &s.shown.left
	before := *left
	fail := func(e *easel, when func(*renderer.Frame) bool) {
		e.fail = func(f *renderer.Frame) error {
			if when(f) {
				return errors.New("no memory")
			}
			return nil
		}
	}
	refused := func(what string, changes ...change) {
		t.Helper()
		require.Equal(t, changes, s.settle(), what)
		require.Len(t, s.told, 1, what)
		require.ErrorContains(t, s.told[0], "no memory", what)
		require.Same(t, before.plan, left.plan, what)
		require.Equal(t, before.look, left.look, what)
		s.told = nil
	}
	fail(s.left, func(f *renderer.Frame) bool { return f.Reuse.Strategy.Name != "warp" })
	s.want.strategy = "hash"
	refused("settings", newSettings)
	require.Equal(t, "warp", s.want.strategy)
	s.state.turn(&lanesKnob, 1)
	require.Equal(t, []change{newSettings}, s.settle())
	before = *left

	fail(s.left, func(f *renderer.Frame) bool { return f.Scene != before.scene })
	s.indexOrder = "random"
	s.order("random")
	refused("order", newOrder)
	require.Equal(t, loading.FileOrder, s.indexOrder)
	s.alone = 1
	refused("a draw alone", newAlone)
	require.Zero(t, s.alone)
	require.Equal(t, []change{newFile}, s.open("cube", loading.FileOrder))
	require.Empty(t, s.told, "a file is refused with its name, by the caller")
	require.Same(t, before.plan, left.plan)
	require.Equal(t, before.camera, left.camera)

	fail(s.left, func(f *renderer.Frame) bool { return f.Width != 32 })
	w := s.wanted()
	w.size = image.Pt(9, 9)
	require.Equal(t, []change{newSize}, s.do(w))
	require.Empty(t, s.do(w), "it is not tried again")
	require.Len(t, s.told, 1)
	require.Same(t, before.plan, left.plan)
	s.told = nil

	// Of a comparison the side that was shown before comes back, else there is none.
	s.compare = compareSplit
	s.settle()
	fail(s.right, func(f *renderer.Frame) bool { return f.Reuse.Strategy.Name == "sort" })
	s.other.strategy = "sort"
	s.settle()
	require.ErrorContains(t, s.told[0], "compare with sort/original/32: no memory")
	require.Equal(t, otherSide{"hash", 32, loading.FileOrder}, s.other)
	require.Equal(t, compareSplit, s.shown.compare)
	fail(s.left, func(f *renderer.Frame) bool { return f.Shown != nil })
	s.compare, s.told = compareDifference, nil
	s.settle()
	require.ErrorContains(t, s.told[0], "no memory")
	require.Equal(t, compareSplit, s.compare)
	require.Equal(t, compareSplit, s.shown.compare)

	// What is asked for since is not taken back.
	fail(s.left, func(f *renderer.Frame) bool { return f.Reuse.Strategy.Name == "sort" })
	s.want.strategy = "sort"
	j, _ := s.job(s.wanted())
	out, err := s.painter.draw(j)
	require.NoError(t, err)
	s.want.strategy = "naive"
	s.adopt(out, &s.state)
	require.Equal(t, "naive", s.want.strategy)
}

// A picture that takes long is shown before the next is drawn, and is not drawn twice
// where that takes very long.
func TestSlowPicturesAreShownFirst(t *testing.T) {
	s := newStudio(t, "city1")
	s.left.slow = promptRedraw
	showed, drawn := s.left.showed, s.left.drawn
	s.want.strategy, s.compare = "hash", compareSplit
	require.Equal(t, []change{newSettings, noChange, noChange}, s.settle())
	require.Equal(t, 3, s.left.showed-showed)
	require.Equal(t, 2, s.left.drawn-drawn)
	s.left.slow = patientRedraw
	drawn = s.left.drawn
	s.want.strategy = "warp"
	require.Equal(t, []change{newSettings}, s.settle())
	require.Equal(t, 1, s.left.drawn-drawn)

	// What has not been begun when the viewer is closed is left out.
	s.left.slow, s.quit = 0, true
	drawn = s.left.drawn
	s.want.strategy = "hash"
	s.do(s.wanted())
	require.Equal(t, 1, s.left.drawn-drawn)
}
