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
	s.doing = showing.Default
	return s
}

// What an application makes is shown once it is made, together with the settings that it
// is of; until then the picture stays.
func TestWhatAnApplicationMakesIsShown(t *testing.T) {
	s := newAppStudio(t, "city1")
	left, right := &s.shown.left, &s.shown.right
	plain := left.scene
	s.doing.App = showing.Subdivide
	require.Empty(t, s.settle(), "it is being made")
	s.apply()
	require.Equal(t, []change{newApplied}, s.settle())
	require.Equal(t, 4*plain.Triangles(), left.scene.Triangles())
	require.Equal(t, left.applied.Counts, left.plan.Frame.Shown)
	require.Equal(t, left.applied.Stats, left.stats)

	s.doing.Drawn = true
	require.Empty(t, s.settle(), "it is being made")
	s.apply()
	require.Equal(t, []change{newApplied}, s.settle())
	require.NotNil(t, left.scene.Computed)
	require.Equal(t, 4*plain.Triangles(), left.scene.Triangles())
	s.doing.Drawn = false
	s.settle()
	require.Nil(t, left.scene.Computed)

	s.want.strategy, s.want.cull = "hash", 1
	require.Empty(t, s.settle(), "counts are made")
	s.apply()
	require.Equal(t, []change{newSettings}, s.settle())
	require.Equal(t, "hash", left.applied.Config.Strategy.Name)
	require.Equal(t, "hash", left.plan.Frame.Reuse.Strategy.Name)
	require.False(t, left.plan.Frame.Cull, "all vertices are counted")

	s.compare, s.other.strategy = compareSplit, "naive"
	require.Empty(t, s.settle())
	s.apply()
	s.settle()
	require.Equal(t, []string{"hash", "naive"}, []string{left.applied.Config.Strategy.Name, right.applied.Config.Strategy.Name})
	s.compare = compareDifference
	s.settle()
	require.NotNil(t, s.shown.difference.plan)
	s.other.order = "forsyth"
	s.apply()
	require.Empty(t, s.settle(), "its order is being made")
	s.order("forsyth")
	s.apply()
	s.settle()
	require.Equal(t, "forsyth", right.order)
	require.Same(t, s.orders.Get(left.source, "forsyth"), right.applied.Request.Scene)
	require.Nil(t, s.shown.difference.plan, "meshes of two orders are shown beside each other")

	s.toggleBefore()
	s.settle()
	require.Equal(t, compareBefore, s.shown.compare)
	require.Nil(t, left.applied)
	require.Same(t, plain, left.scene)
	require.Equal(t, 4*plain.Triangles(), right.scene.Triangles())
	require.Equal(t, "hash", right.plan.Frame.Reuse.Strategy.Name)
	s.stepApp(1)
	require.Empty(t, s.settle())
	s.apply()
	s.settle()
	require.Equal(t, 16*plain.Triangles(), right.scene.Triangles())

	s.alone, s.indexOrder = 2, "random"
	s.order("random")
	s.apply()
	s.settle()
	require.Equal(t, left.scene, right.applied.Request.Scene)
	require.Equal(t, int(plain.Draws[1].IndexCount), left.scene.IndexStreamLen())
	s.doing.App, s.alone = showing.None, 0
	s.settle()
	require.Equal(t, compareOff, s.shown.compare)
	require.Empty(t, s.told)
}

// A file is shown as it is before an application has made something of it.
func TestApplicationsFollowFiles(t *testing.T) {
	s := newAppStudio(t, "city1")
	s.doing.App = showing.Envelope
	s.apply()
	s.settle()
	require.True(t, s.shown.left.applied.Translucent())
	require.Equal(t, []change{newFile}, s.open("cube", loading.FileOrder))
	require.Nil(t, s.shown.left.applied)
	s.apply()
	require.Equal(t, []change{newApplied}, s.settle())
	require.Equal(t, "cube", filepath.Base(s.shown.left.scene.Name))

	s.doing.Percent = 3
	fits := s.shown.left.scene
	s.left.fail = func(f *renderer.Frame) error {
		if f.Scene != fits {
			return errors.New("too large")
		}
		return nil
	}
	s.apply()
	require.Equal(t, []change{newApplied}, s.settle(), "refused, and not asked for again")
	s.left.fail = nil
	require.Equal(t, showing.Default.Percent, s.doing.Percent)
	require.Len(t, s.told, 1)

	s.doing.Percent = 5
	s.followApp()
	require.True(t, s.maker.GiveUp())
	s.backFromApp()
	require.Equal(t, showing.Default.Percent, s.doing.Percent)
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
