package main

import (
	"fmt"
	"image"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// windowedPlan is a plan in windows, and the same of a device that holds the scene.
func windowedPlan(t *testing.T, scene *geometry.Scene, p reuse.Params, strategy string) (windows, whole *plan.Plan) {
	t.Helper()
	config, err := p.Resolve(strategy)
	require.NoError(t, err)
	f := renderer.Frame{Scene: scene, Reuse: config, Raster: renderer.SoftRaster, Width: 8, Height: 8, QueueBudget: 64 << 10}
	whole, err = plan.New(f, soft.New().Limits())
	require.NoError(t, err)
	require.False(t, whole.Windowed())
	for f.DeviceBudget = 33 << 20; ; f.DeviceBudget -= 1 << 10 {
		windows, err = plan.New(f, soft.New().Limits())
		require.NoError(t, err, "no budget brings several windows")
		if len(windows.Windows) > 2 {
			return windows, whole
		}
	}
}

// What is found of windows is what the plan that keeps its batches says, their numbers
// included, for every triangle and vertex of several draws; windows begin within draws.
func TestSearchFindsTheBatchesOfWindows(t *testing.T) {
	one, err := assets.Make("terrain60")
	require.NoError(t, err)
	scene, err := one.Copies(7)
	require.NoError(t, err)
	for _, c := range []struct {
		strategy string
		params   reuse.Params
	}{{"warp", reuse.Params{Lanes: 8}}, {"hash", reuse.Params{Batch: 96}}, {"hash", reuse.Params{Batching: "dynamic", Batch: 96, Unique: 16}}} {
		windows, whole := windowedPlan(t, scene, c.params, c.strategy)
		require.Empty(t, windows.Batches)
		plans := []*plan.Plan{windows, whole}
		for draw := 0; draw < len(scene.Draws); draw += 3 {
			indices := scene.DrawIndices(draw)
			for triangle := 0; triangle < len(indices)/3; triangle += 31 { // by turns in either plan
				s := &batchSearch{plan: plans[triangle%2], hit: hit{draw: draw, triangle: triangle, corners: [3]uint32(indices[3*triangle:]), nearest: triangle % 3}}
				s.run(time.Hour)
				want := batchOf(whole, draw, triangle)
				require.Equal(t, want, s.number, "draw %d, triangle %d", draw, triangle)
				require.Equal(t, whole.Batches[want], s.holder)
				require.True(t, s.whole)
				uses := batchesOf(whole, draw, s.hit.vertex())
				require.Equal(t, uses[:min(len(uses), mostUses)], s.uses)
				require.Equal(t, len(uses)-len(s.uses), s.more)
				require.Equal(t, batchSlots(whole, whole.Batches[want]), batchSlots(windows, s.holder))
			}
		}
	}
}

// A search ends in time, whatever the draw is, and says that it did not see all; one
// that nobody waits for any more ends at once.
func TestSearchesEnd(t *testing.T) {
	scene, err := assets.Make("terrain100")
	require.NoError(t, err)
	windows, whole := windowedPlan(t, scene, reuse.Params{Lanes: 8}, "warp")
	last := scene.Triangles() - 1
	h := hit{triangle: last, corners: [3]uint32(scene.Indices[3*last:])}
	s := &batchSearch{plan: windows, hit: h}
	require.Equal(t, "its batches are looked for", s.String())
	s.run(0)
	s.done = true
	require.False(t, s.whole)
	require.Equal(t, batchOf(whole, 0, last), s.number, "that of the triangle is found all the same")
	require.Equal(t, "its batches were not found in time: the draw is long", s.String())
	s.uses = []batchUse{{3, 2}, {5, 1}}
	require.Equal(t, "by batches 3 (2 times), 5, so far: the draw is long", s.String())
	s.whole, s.more = true, 4
	require.Equal(t, "by batches 3 (2 times), 5, and 4 more", s.String())
	s.stop.Store(true)
	s.whole = false
	s.run(time.Hour)
	require.False(t, s.whole)

	woken := make(chan struct{}, 100)
	v := newSurveyor(func() {})
	r := newSearcher(func() { woken <- struct{}{} })
	r.limit = time.Hour
	wait := func(n int) (done bool) {
		for range n {
			<-woken
			done = r.take(v, windows) || done
		}
		return done
	}
	hovered := r.hover(v, windows, h)
	require.Same(t, hovered, r.hover(v, windows, h), "once")
	clicked := r.click(v, h, selection{plan: windows})
	require.Same(t, hovered, clicked)
	other := h
	other.triangle--
	another := r.hover(v, windows, other)
	require.False(t, clicked.stop.Load(), "what was clicked is looked for though the cursor moves on")
	third := r.hover(v, windows, hit{corners: h.corners})
	require.True(t, another.stop.Load())
	require.True(t, wait(3))
	require.True(t, clicked.done && third.done)
	require.Zero(t, v.held)
	require.Same(t, third, r.hovered)
	r.unclick()
	require.Nil(t, r.clicked)

	// Of a plan that is not shown any more nothing is kept.
	r.click(v, other, selection{plan: windows})
	require.False(t, r.take(v, whole))
	require.Nil(t, r.hovered)
	require.Nil(t, r.clicked)
	<-woken
	require.False(t, r.take(v, whole))
	require.Zero(t, v.held)
}

// Under the cursor and by a click, a scene in windows tells what one does that the
// device holds.
func TestWindowsAreInspected(t *testing.T) {
	scene, err := assets.Make("terrain100")
	require.NoError(t, err)
	scene = inOrderOf(t, scene, "forsyth+fetch")
	windows, whole := windowedPlan(t, scene, reuse.Params{Lanes: 8}, "warp")
	_, counts := reuse.Analyze(scene, windows.Frame.Reuse)
	woken := make(chan struct{}, 10)
	wake := func() { woken <- struct{}{} }
	made := func(p *plan.Plan) *app {
		a := &app{mover: newMover(wake), searcher: newSearcher(wake), surveyor: newSurveyor(wake), side: side{plan: p, counts: counts}}
		a.seen = renderer.FitCamera(scene.Bounds(), 1.5)
		a.searcher.limit = time.Hour
		return a
	}
	a, b := made(windows), made(whole)
	size, at := image.Pt(300, 200), image.Pt(150, 110)
	a.clicked(at, size)
	b.clicked(at, size)
	require.Nil(t, a.selection.plan, "it is looked for")
	require.NotNil(t, b.selection.plan)
	found, ok := b.picker.pick(b.seen, size, at)
	require.True(t, ok)
	a.hover = hover{side: &a.side, plan: windows, scene: scene, found: found, text: a.describeHit(&a.side, &found)}
	require.Contains(t, a.hover.text, "its batches are looked for")
	<-woken
	a.followSearch()
	require.Equal(t, b.describeHit(&b.side, &found), a.hover.text)
	require.Contains(t, a.hover.text[2], "by batch")
	require.Contains(t, a.hover.text[0], fmt.Sprintf(", in the file %d", scene.Origin[found.vertex()]))
	require.Same(t, windows, a.selection.plan)
	a.selection.plan, a.selection.scene = b.selection.plan, b.selection.scene
	require.Equal(t, b.selection, a.selection)
	require.Nil(t, a.searcher.clicked)
}
