package model

import (
	"errors"
	"fmt"
	"image"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// easel is a canvas without a window, drawn by the CPU. Its pictures report the times in slow, one after the other.
type easel struct {
	plan.Backend
	Canvas // nil
	of     *studio
	drawn  int
	closed bool
	slow   []time.Duration
}

func (e *easel) Limits() renderer.Limits { return e.Backend.Limits() }
func (e *easel) Set(plan.Options)        {}
func (e *easel) Show() error             { return nil }
func (e *easel) Close()                  { e.closed = true }
func (e *easel) Info() plan.Info         { return plan.Info{} }

func (e *easel) Exec(p *plan.Plan, c renderer.Camera, want renderer.Want) (*renderer.Output, error) {
	if e.of.said = append(e.of.said, e.of.painter.drawing.What); e.of.fails != nil && e.of.fails(&p.Frame) {
		return nil, e.of.err
	}
	out, err := e.Backend.Exec(p, c, want)
	must.OK(err)
	e.drawn, e.slow = e.drawn+1, append(e.slow, 0)
	out.Timings, e.slow = []renderer.Timing{{Duration: e.slow[0]}}, e.slow[1:]
	return out, nil
}

// studio draws what is wanted, one job after the other.
type studio struct {
	Views
	Wanted
	asked       Asked // beside Wanted
	painter     Painter
	left, right *easel
	quit        bool
	fails       func(*renderer.Frame) bool
	err         error
	slow        []time.Duration // of the next canvas
	said        []string        // what the progress bar says, for each picture
	told        []error
}

// newStudio shows a file.
func newStudio(t *testing.T) *studio {
	s := &studio{err: errors.New("no memory")}
	s.left = &easel{Backend: soft.New(), of: s}
	s.painter = Painter{Left: s.left, Quit: &s.quit, drawing: &Drawing{}, Open: func() Canvas {
		s.right = &easel{Backend: soft.New(), of: s, slow: s.slow}
		return s.right
	}}
	s.Want, s.Want.Raster, s.IndexOrder, s.Other = start, renderer.SoftRaster, load.FileOrder, OtherSide{"naive", 32, load.FileOrder}
	s.open(t)
	return s
}

func (s *studio) open(t *testing.T) {
	scene := viewtest.Scene(t, "city1")
	s.asked.File = &load.Loaded{Scene: scene, Source: scene, IndexOrder: load.FileOrder}
	s.asked.Size, s.asked.Box = image.Pt(32, 24), scene.Bounds()
	must.OK(s.Look(scene.Bounds(), 4./3))
	must.Get(s.job())
	s.asked.File, s.asked.Whole, s.asked.RightWhole = nil, scene, scene
	s.settle(t)
}

var errRest = errors.New("there is no job")

func (s *studio) job() (Outcome, error) {
	s.asked.Wishes = s.Wishes()
	j, some := s.Job(s.asked)
	if !some {
		return Outcome{}, errRest
	}
	out, err := s.painter.Draw(j)
	s.told = append(s.told, s.Adopt(out, &s.Wanted)...)
	return out, err
}

func (s *studio) settle(t *testing.T) {
	for range 9 {
		if _, err := s.job(); errors.Is(err, errRest) {
			return
		}
	}
	t.Fatal("it never comes to rest")
}

// TestWhatCannotBeDrawn: the shown pictures stay, and the left one is drawn again if its canvas drew another. A lost device ends the viewer.
func TestWhatCannotBeDrawn(t *testing.T) {
	for what, c := range map[string]struct {
		ask  func(s *studio)
		drew int    // times the left side
		says string // the progress bar
		tell string
	}{
		"left":       {func(s *studio) { s.Want.Strategy = "sort" }, 1, "drawing city1 by sort in original order", "sort, 32 lanes, indexed queue, counts view: no memory"},
		"right":      {func(s *studio) { s.Other.Strategy = "sort" }, 0, "drawing city1 by sort in original order", "compare with sort/original/32: no memory"},
		"difference": {func(s *studio) { s.Compare = CompareDifference }, 1, "drawing the difference", "no memory"},
	} {
		s := newStudio(t)
		s.Compare = CompareSplit
		s.settle(t)
		s.said, s.fails = nil, func(f *renderer.Frame) bool {
			return f.Reuse.Strategy.Name == "sort" || f.Palette == picture.DifferencePalette
		}
		before, wanted := s.Shown, s.Wanted
		c.ask(s)
		s.left.drawn = 0
		s.settle(t)
		require.EqualError(t, errors.Join(s.told...), c.tell)
		require.Equal(t, []any{wanted, c.says}, []any{s.Wanted, s.said[0]}, what)
		require.Equal(t, []any{before.Left.Plan, before.Right.Plan, c.drew}, []any{s.Shown.Left.Plan, s.Shown.Right.Plan, s.left.drawn}, what)
		s.err = fmt.Errorf("drawing: %w", gpu.ErrDeviceLost)
		c.ask(s)
		_, err := s.job()
		require.ErrorIs(t, err, gpu.ErrDeviceLost, what)
	}
	s := newStudio(t)
	plain := s.Want
	s.fails = func(f *renderer.Frame) bool { return f.Reuse.Strategy.Name == "sort" }
	s.asked.Fallback, s.Want.Strategy = &plain, "sort"
	s.open(t)
	require.EqualError(t, errors.Join(s.told...), "without the settings that were remembered: no memory")
	require.Equal(t, plain, s.Want)
	s.fails = func(f *renderer.Frame) bool { return true }
	s.Camera.Azimuth++
	_, err := s.job()
	require.Equal(t, s.err, err, "a picture that could be drawn before")
}

// TestSlowPictures: a slow picture is shown at once, alone or beside another, without the times of its first run.
func TestSlowPictures(t *testing.T) {
	s := newStudio(t)
	s.Compare, s.Want.Strategy, s.left.slow = CompareSplit, "sort", []time.Duration{PromptRedraw}
	for i, want := range [][]any{{CompareOff, true, false}, {CompareSplit, true, false}, {CompareSplit, true, true}} {
		out := must.Get(s.job())
		require.Equal(t, want, []any{s.Shown.Compare, out.Fresh, out.Timed}, i)
	}
	s.slow = []time.Duration{99, 1, 7, 3, 8, 2}
	passes := s.painter.Time(s.Shown.Left.Look, s.Camera).Passes
	require.Equal(t, []any{6, time.Duration(3)}, []any{s.right.drawn, passes[0].Duration}, "the median of five, without the first")
}

// TestARightSideIsGivenUp: its canvas is dropped if the window does not show it.
func TestARightSideIsGivenUp(t *testing.T) {
	s := newStudio(t)
	s.Compare, s.fails = CompareSplit, func(*renderer.Frame) bool { s.painter.drawing.GivenUp = true; return false }
	out := must.Get(s.job())
	require.Equal(t, []any{true, true, CompareOff}, []any{out.GivenUp, s.right.closed, s.Compare})
	w := &Drawing{next: func() (bool, bool) { return false, false }, Err: s.err}
	s.painter.Device = &gpu.Device{}
	require.NoError(t, s.painter.Finish(w))
	w.Err = gpu.ErrTimeout
	require.Equal(t, w.Err, s.painter.Finish(w), "an error ends the viewer only if the device is unusable")
}
