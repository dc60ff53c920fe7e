package main

import (
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// showing is the app that shows a scene by a strategy, without a window.
func showingScene(t *testing.T, scene *geometry.Scene, strategy string) *app {
	a := &app{inspector: newInspector(func() {})}
	a.Box, a.Aspect = scene.Bounds(), 1.5
	a.Camera = renderer.FitCamera(a.Box, a.Aspect)
	a.Shown.Left = shaded(t, scene, scene, strategy)
	a.Shown.Left.Camera = a.Camera
	a.drawList.follow(&a.Shown.Left)
	return a
}

// shaded is a side that shows a scene.
func shaded(t *testing.T, source, scene *geometry.Scene, strategy string) views.Half {
	s := start
	s.Strategy = strategy
	config, err := s.Config()
	require.NoError(t, err)
	_, counts := reuse.Analyze(scene, config)
	p := &plan.Plan{Frame: renderer.Frame{Scene: scene, Reuse: config}, Batches: reuse.Batches(scene, config)}
	return views.Half{Look: views.Look{Source: source, Whole: scene, Scene: scene, Settings: s}, Plan: p, Counts: counts}
}

func TestAVertexIsPickedWithItsDrawAndItsBatches(t *testing.T) {
	scene, err := assets.Make("city3")
	require.NoError(t, err)
	a := showingScene(t, scene, "warp")
	a.going.text = "9:129"
	require.NoError(t, a.goNow())
	s := a.selected()
	require.EqualValues(t, 129, s.hit.Vertex())
	require.Equal(t, 9, a.drawList.selected)
	require.Equal(t, inspect.BatchesOf(s.plan, 9, 129), s.uses)
	require.Len(t, s.uses, 2)
	require.Equal(t, s.uses[0].Batch, s.batch)
	for _, want := range []int{1, 0} { // around the ends
		a.batchStep = 1
		a.followSelection()
		require.Equal(t, s.uses[want].Batch, s.batch)
		require.EqualValues(t, 129, s.hit.Vertex(), "the vertex stays")
		require.Equal(t, s.batch, inspect.BatchOf(s.plan, 9, s.hit.Triangle), "its triangle is one of the batch")
	}

	// The vertex stays picked by another strategy, and in an order that renumbers it.
	fetched := inOrderOf(t, scene, "forsyth+fetch")
	for _, next := range []views.Half{shaded(t, scene, scene, "hash"), shaded(t, scene, fetched, "hash")} {
		before := a.Shown.Left
		a.Shown.Left = next
		a.reselect(&before, &a.Shown.Left)
		s := a.selected()
		require.NotNil(t, s)
		v := s.hit.Vertex()
		if origin := next.Scene.Origin; origin != nil {
			offset := next.Scene.Draws[9].VertexOffset
			v = origin[offset+v] - offset
		}
		require.EqualValues(t, 129, v)
		require.NotEmpty(t, s.uses)
		require.Equal(t, 9, a.drawList.selected)
	}

	// A row selects its draw, and another draw's vertex no more.
	home := a.Camera
	a.drawStep = -1
	a.followSelection()
	require.NotEqual(t, 9, a.drawList.selected)
	require.Nil(t, a.selected())
	require.NotEqual(t, home, a.Camera)
	require.True(t, a.closed())
	require.Equal(t, -1, a.drawList.selected)
	require.False(t, a.closed())
}

func TestGoingNowhereSaysWhy(t *testing.T) {
	scene, err := assets.Make("city3")
	require.NoError(t, err)
	a := showingScene(t, scene, "warp")
	for _, c := range []struct {
		kind       int
		text, says string
	}{
		{goToVertex, "7:999", "draw 7 has vertices 0 to "}, {goToVertex, "99:0", "there are draws 0 to 9"}, {goToVertex, "", "is no number"},
		{goToVertex, "-1", "is no number"}, {goToVertex, "1:x", "is no number"}, {goToBatch, "1:1", "is no number"},
		{goToBatch, "999", "there are batches 0 to "}, {goToDraw, "10", "there are draws 0 to 9"},
	} {
		a.going.kind, a.going.text = c.kind, c.text
		require.ErrorContains(t, a.goNow(), c.says, c.text)
		require.Nil(t, a.selected())
	}
	a.going.kind, a.going.text = goToBatch, " 34 "
	require.NoError(t, a.goNow())
	require.Equal(t, 34, a.selected().batch)
}

// What is typed right after Ctrl+G goes to its field. The vertex is marked in black and
// white, which is seen on any colour.
func TestGoToIsTypedAndMarksTheVertex(t *testing.T) {
	rings := func(img *image.RGBA) (n int) { // rows through the middle of a ring
		both := func(x, y, from, to int, want color.RGBA) bool { // at some distance on either side
			for k := from; k <= to; k++ {
				if img.RGBAAt(x-k, y) == want && img.RGBAAt(x+k, y) == want {
					return true
				}
			}
			return false
		}
		white, black := color.RGBA{255, 255, 255, 255}, color.RGBA{0, 0, 0, 255}
		for y := range img.Rect.Max.Y {
			for x := range img.Rect.Max.X {
				if both(x, y, 0, 1, white) && both(x, y, 3, 5, black) && both(x, y, 5, 7, white) && both(x, y, 7, 9, black) {
					n++
				}
			}
		}
		return n
	}
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--size", "1000x760", "asset:cube")
		s.key("ctrl+g", "2", "Return")
		require.Positive(t, rings(s.shown), "a vertex is marked")
		s.titled("counts") // the keys went to the field alone
		s.key("Escape")
		require.Zero(t, rings(s.shown))
	})
}

// Dimming the others follows what is selected, is drawn as a setting, and is the table of
// strategies' no business.
func TestOthersAreDimmed(t *testing.T) {
	scene, err := assets.Make("city3")
	require.NoError(t, err)
	a := showingScene(t, scene, "warp")
	a.dimOthers(true)
	require.Empty(t, a.Want.Marks, "nothing is selected")
	a.chooseDraw(5)
	require.Empty(t, a.Want.Marks)
	a.dimOthers(true)
	a.chooseDraw(7)
	require.Equal(t, "7", a.Want.Marks.Highlight)
	hit, err := inspect.FindVertex(scene, 9, 129)
	require.NoError(t, err)
	a.pick(&a.Shown.Left, hit)
	require.Equal(t, "9", a.Want.Marks.Highlight)
	f, err := a.Want.Frame(scene, 10, 10)
	require.Error(t, err, "the state of this test has no strategy")
	a.Want.Strategy, a.Want.Lanes = "warp", 32
	f, err = a.Want.Frame(scene, 10, 10)
	require.NoError(t, err)
	for i, m := range f.Marks {
		require.Equal(t, map[bool]renderer.Mark{true: renderer.Plain, false: renderer.Dimmed}[i == 9], m)
	}
	a.Want.Marks.Highlight = "99"
	_, err = a.Want.Frame(scene, 10, 10)
	require.ErrorContains(t, err, "draws 0 to 9")
	l := a.Shown.Left.Look
	l.Settings.Marks = a.Want.Marks
	require.Equal(t, tabled(a.Shown.Left.Look), tabled(l))
}
