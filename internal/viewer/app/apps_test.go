package app

import (
	"errors"
	"image"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/renderer"
)

// apply waits until the application has made what the settings ask for.
func (s *studio) apply() {
	s.t.Helper()
	for s.followApp(); s.maker.Busy; s.followApp() {
		time.Sleep(time.Millisecond)
	}
}

func newAppStudio(t *testing.T, name string) *studio {
	s := newStudio(t, name)
	s.maker = results.NewMaker(func() {}, &inspect.Keeper{})
	s.Doing = results.Default
	return s
}

// The window keeps the old picture until an application's result is ready, and then shows the
// result with the settings that it was made for.
func TestWhatAnApplicationMakesIsShown(t *testing.T) {
	s := newAppStudio(t, "city1")
	left, right := &s.Shown.Left, &s.Shown.Right
	plain := left.Scene
	s.Doing.App = results.Subdivide
	require.Empty(t, s.settle(), "it is being made")
	s.apply()
	require.Equal(t, []model.Change{model.NewApplied}, s.settle())
	require.Equal(t, 4*plain.Triangles(), left.Scene.Triangles())
	require.Equal(t, left.Applied.Counts, left.Plan.Frame.Shown)
	require.Equal(t, left.Applied.Stats, left.Stats)

	s.Doing.Drawn = true
	require.Empty(t, s.settle(), "it is being made")
	s.apply()
	require.Equal(t, []model.Change{model.NewApplied}, s.settle())
	require.NotNil(t, left.Scene.Computed)
	require.Equal(t, 4*plain.Triangles(), left.Scene.Triangles())
	s.Doing.Drawn = false
	s.settle()
	require.Nil(t, left.Scene.Computed)

	s.Want.Strategy, s.Want.Cull = "hash", 1
	require.Empty(t, s.settle(), "counts are made")
	s.apply()
	require.Equal(t, []model.Change{model.NewSettings}, s.settle())
	require.Equal(t, "hash", left.Applied.Config.Strategy.Name)
	require.Equal(t, "hash", left.Plan.Frame.Reuse.Strategy.Name)
	require.False(t, left.Plan.Frame.Cull, "all vertices are counted")

	s.Compare, s.Other.Strategy = model.CompareSplit, "naive"
	require.Empty(t, s.settle())
	s.apply()
	s.settle()
	require.Equal(t, []string{"hash", "naive"}, []string{left.Applied.Config.Strategy.Name, right.Applied.Config.Strategy.Name})
	s.Compare = model.CompareDifference
	s.settle()
	require.NotNil(t, s.Shown.Difference.Plan)
	s.Other.Order = "forsyth"
	s.apply()
	require.Empty(t, s.settle(), "its order is being made")
	s.order("forsyth")
	s.apply()
	s.settle()
	require.Equal(t, "forsyth", right.Order)
	require.Same(t, s.orders.Get(left.Source, "forsyth"), right.Applied.Request.Scene)
	require.Nil(t, s.Shown.Difference.Plan, "meshes of two orders are shown beside each other")

	s.ToggleBefore()
	s.settle()
	require.Equal(t, model.CompareBefore, s.Shown.Compare)
	require.Nil(t, left.Applied)
	require.Same(t, plain, left.Scene)
	require.Equal(t, 4*plain.Triangles(), right.Scene.Triangles())
	require.Equal(t, "hash", right.Plan.Frame.Reuse.Strategy.Name)
	s.StepApp(1)
	require.Empty(t, s.settle())
	s.apply()
	s.settle()
	require.Equal(t, 16*plain.Triangles(), right.Scene.Triangles())

	s.Alone, s.IndexOrder = 2, "random"
	s.order("random")
	s.apply()
	s.settle()
	require.Equal(t, left.Scene, right.Applied.Request.Scene)
	require.Equal(t, int(plain.Draws[1].IndexCount), left.Scene.IndexStreamLen())
	s.Doing.App, s.Alone = results.None, 0
	s.settle()
	require.Equal(t, model.CompareOff, s.Shown.Compare)
	require.Empty(t, s.told)
}

// A newly opened file is shown unchanged until the application has processed it. A setting that is refused or cancelled
// goes back to the shown one.
func TestApplicationsFollowFiles(t *testing.T) {
	s := newAppStudio(t, "city1")
	s.Doing.App = results.Envelope
	s.apply()
	s.settle()
	require.True(t, s.Shown.Left.Applied.Translucent())
	require.Equal(t, []model.Change{model.NewFile}, s.open("cube", load.FileOrder))
	require.Nil(t, s.Shown.Left.Applied)
	s.apply()
	require.Equal(t, []model.Change{model.NewApplied}, s.settle())
	require.Equal(t, "cube", filepath.Base(s.Shown.Left.Scene.Name))

	s.Doing.Percent = 3
	fits := s.Shown.Left.Scene
	s.left.fail = func(f *renderer.Frame) error {
		if f.Scene != fits {
			return errors.New("too large")
		}
		return nil
	}
	s.apply()
	require.Equal(t, []model.Change{model.NewApplied}, s.settle(), "refused, and not asked for again")
	s.left.fail = nil
	require.Equal(t, results.Default.Percent, s.Doing.Percent)
	require.Len(t, s.told, 1)

	s.Doing.Percent = 5
	s.followApp()
	s.loader = load.New(nil, nil) // loads nothing
	s.cancel()
	require.Equal(t, results.Default.Percent, s.Doing.Percent)
	s.apply()
	require.Empty(t, s.settle())
}

// Keys choose each application, and lead back to the first picture.
func TestApplicationsByKeys(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--panels=false", "--size", "320x240", "--agents", "3000", "--grid", "32", "--side", "outer", "--speed", "30", "asset:sphere3")
		s.titled("sphere3 |", "counts")
		first := s.look()
		s.keyed("a", "sphere3, level 1")
		refined := s.other(first)
		require.False(t, s.covered(above(s.window())))
		s.key("x")
		require.True(t, s.covered(above(s.window())), "by edges")
		s.keyed("b", "before and after")
		s.key("period")
		require.Equal(t, 2, s.Doing.Levels)
		s.other(refined)
		s.key("x", "b", "comma")
		s.same(refined)
		require.False(t, s.covered(above(s.window())))
		s.keyed("s", nextStrategy("warp")+", ")
		s.other(refined)
		s.key("shift+s")
		s.same(refined)

		s.key("a", "v", "v")
		s.titled("sphere3 |", "shaded")
		shells := s.look()
		require.True(t, s.covered(above(s.window())), "by the envelope")
		window := s.window()
		s.key("F12")
		const saved = "sphere3-warp-32lanes-indexed-shaded-envelope-outer-2percent.png"
		s.titled("saved " + saved)
		require.Equal(t, window.Pix, s.saved(saved).(*image.RGBA).Pix)

		s.burst("a", "space")
		require.NoError(t, s.follow()) // the walk should play, but its first step is not made yet
		require.Nil(t, s.Walked)
		require.Negative(t, s.walkDue())
		s.keyed("space", "3,000 agents on 32 x 32 cells, step 0 |")
		start := s.window()
		s.keyed("period", "step 1 |")
		require.Greater(t, differing(start, s.window()), changed)
		s.burst("space")
		s.pass(200 * time.Millisecond) // at 30 steps a second
		s.burst("space")
		s.settle()
		s.titled("cells, step 7 |")
		presented := s.presented
		s.pass(time.Hour)
		require.Equal(t, presented, s.presented, "it rests")
		s.keyed("comma", "step 0 |")
		s.key("a", "v", "v")
		s.titled("sphere3 |", renderer.Counts.String())
		s.same(first)
		s.leave("")

		s.start("--from", saved, "--remember=false")
		s.titled("sphere3 |", "shaded")
		s.same(shells)
		require.Equal(t, window.Pix, s.window().Pix, "a saved picture leads back")
	})
}

// All edges of a large scene are refused. The edges of triangles that are large on screen are drawn instead.
func TestEdgesOfLargeScenes(t *testing.T) {
	s := newAppStudio(t, "terrain365")
	s.Stderr = io.Discard
	require.Greater(t, s.Shown.Left.Scene.Triangles(), 256<<10)
	k, _ := model.FindKey("X")
	k.Press(&s.State, 1)
	s.followApp()
	require.False(t, s.AllEdges)
	require.Equal(t, "large", k.Value(&s.State))
	require.Contains(t, s.Notices.String(), "those of triangles that are large on screen are drawn (--edges)")
	require.Equal(t, []model.Change{model.NewSettings}, s.settle())
	require.Positive(t, s.Shown.Left.Plan.Frame.Look.Edges)
}
