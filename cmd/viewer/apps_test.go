package main

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/loading"
	"github.com/shadeonce/shadeonce/internal/showing"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
)

// apply has made what is asked for of the application.
func (s *studio) apply() {
	s.t.Helper()
	for s.followApp(); s.maker.Busy; s.followApp() {
		time.Sleep(time.Millisecond)
	}
}

func newAppStudio(t *testing.T, name string) *studio {
	s := newStudio(t, name)
	s.maker = showing.NewMaker(func() {}, &inspect.Keeper{})
	s.Doing = showing.Default
	return s
}

// What an application makes is shown once it is made, together with the settings that it
// is of; until then the picture stays.
func TestWhatAnApplicationMakesIsShown(t *testing.T) {
	s := newAppStudio(t, "city1")
	left, right := &s.Shown.Left, &s.Shown.Right
	plain := left.Scene
	s.Doing.App = showing.Subdivide
	require.Empty(t, s.settle(), "it is being made")
	s.apply()
	require.Equal(t, []views.Change{views.NewApplied}, s.settle())
	require.Equal(t, 4*plain.Triangles(), left.Scene.Triangles())
	require.Equal(t, left.Applied.Counts, left.Plan.Frame.Shown)
	require.Equal(t, left.Applied.Stats, left.Stats)

	s.Doing.Drawn = true
	require.Empty(t, s.settle(), "it is being made")
	s.apply()
	require.Equal(t, []views.Change{views.NewApplied}, s.settle())
	require.NotNil(t, left.Scene.Computed)
	require.Equal(t, 4*plain.Triangles(), left.Scene.Triangles())
	s.Doing.Drawn = false
	s.settle()
	require.Nil(t, left.Scene.Computed)

	s.Want.Strategy, s.Want.Cull = "hash", 1
	require.Empty(t, s.settle(), "counts are made")
	s.apply()
	require.Equal(t, []views.Change{views.NewSettings}, s.settle())
	require.Equal(t, "hash", left.Applied.Config.Strategy.Name)
	require.Equal(t, "hash", left.Plan.Frame.Reuse.Strategy.Name)
	require.False(t, left.Plan.Frame.Cull, "all vertices are counted")

	s.Compare, s.Other.Strategy = views.CompareSplit, "naive"
	require.Empty(t, s.settle())
	s.apply()
	s.settle()
	require.Equal(t, []string{"hash", "naive"}, []string{left.Applied.Config.Strategy.Name, right.Applied.Config.Strategy.Name})
	s.Compare = views.CompareDifference
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

	s.toggleBefore()
	s.settle()
	require.Equal(t, views.CompareBefore, s.Shown.Compare)
	require.Nil(t, left.Applied)
	require.Same(t, plain, left.Scene)
	require.Equal(t, 4*plain.Triangles(), right.Scene.Triangles())
	require.Equal(t, "hash", right.Plan.Frame.Reuse.Strategy.Name)
	s.stepApp(1)
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
	s.Doing.App, s.Alone = showing.None, 0
	s.settle()
	require.Equal(t, views.CompareOff, s.Shown.Compare)
	require.Empty(t, s.told)
}

// A file is shown as it is before an application has made something of it.
func TestApplicationsFollowFiles(t *testing.T) {
	s := newAppStudio(t, "city1")
	s.Doing.App = showing.Envelope
	s.apply()
	s.settle()
	require.True(t, s.Shown.Left.Applied.Translucent())
	require.Equal(t, []views.Change{views.NewFile}, s.open("cube", loading.FileOrder))
	require.Nil(t, s.Shown.Left.Applied)
	s.apply()
	require.Equal(t, []views.Change{views.NewApplied}, s.settle())
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
	require.Equal(t, []views.Change{views.NewApplied}, s.settle(), "refused, and not asked for again")
	s.left.fail = nil
	require.Equal(t, showing.Default.Percent, s.Doing.Percent)
	require.Len(t, s.told, 1)

	s.Doing.Percent = 5
	s.followApp()
	require.True(t, s.maker.GiveUp())
	s.backFromApp()
	require.Equal(t, showing.Default.Percent, s.Doing.Percent)
	s.apply()
	require.Empty(t, s.settle())
}

// TestApplicationsOnADisplay goes through them by keys, and back to the first picture.
func TestApplicationsOnADisplay(t *testing.T) {
	d := newDesktop(t)
	d.start("--panels=false", "--size", "640x480", "--agents", "3000", "--grid", "32", "--side", "outer", "--speed", "30", "asset:sphere3")
	d.titled("sphere3 |", "counts")
	first := d.settled("the scene is shown", func(img *image.RGBA) bool { return colorful(img) > changed })
	d.key("a")
	d.titled("sphere3, level 1")
	refined := d.other("subdivision", first)
	d.key("x")
	d.other("the wireframe", refined)
	d.key("b")
	d.titled("before and after")
	d.key("period")
	before := d.other("a divided window", refined)
	d.key("x")
	d.other("no wireframe", before)
	d.key("b", "comma")
	d.titled("sphere3, level 1 |")
	d.same("no comparison, and level 1", refined)
	d.key("s")
	d.titled(nextStrategy("warp") + ", ")
	d.other("another strategy", refined)
	d.key("shift+s")
	d.same("the first strategy", refined)

	d.key("a", "shift+v")
	d.titled("sphere3 |", "shaded")
	shells := d.other("the envelope", refined)
	d.key("F12")
	const saved = "sphere3-warp-32lanes-indexed-shaded-envelope-outer-2percent.png"
	d.titled("saved " + saved)
	data, err := os.ReadFile(filepath.Join(d.folder, saved))
	require.NoError(t, err)
	img, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	require.True(t, bytes.Equal(shells.Pix, img.(*image.RGBA).Pix), "the picture against the screen")

	d.key("a")
	d.titled("3,000 agents on 32 x 32 cells, step 0 |")
	start := d.other("the walk", shells)
	d.key("period")
	d.titled("step 1 |")
	d.other("a step", start)
	d.key("space")
	d.until("it walks", func() bool { return strings.Contains(d.title(), "cells, step 5") })
	d.key("space", "comma")
	d.titled("step 0 |")
	d.same("the start", start)
	d.step("idle", d.idles)

	d.key("a", "v")
	d.titled("sphere3 |", renderer.Counts.String())
	d.same("no application", first)
	d.key("q")
	d.end()

	d.start("--from", saved, "--remember=false")
	d.titled("sphere3 |", "shaded")
	d.same("a saved picture", shells)
	d.key("q")
	d.end()
}
