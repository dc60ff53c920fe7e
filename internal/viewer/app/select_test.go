package app

import (
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
	"github.com/shadeonce/shadeonce/renderer"
)

// showingScene returns an app that shows a scene by a strategy, without a window.
func showingScene(t *testing.T, scene *geometry.Scene, strategy string) *App {
	shown := easel{image: &gpu.Image{}}
	a := &App{ui: bare{}, Inspector: newInspector(func() {}), painter: &model.Painter{Left: &shown, Right: &shown}}
	a.Box, a.Aspect = scene.Bounds(), 1.5
	a.Camera = renderer.FitCamera(a.Box, a.Aspect)
	a.Shown.Left = shaded(t, scene, scene, strategy)
	a.Shown.Left.Camera = a.Camera
	a.DrawList.follow(&a.Shown.Left, inspect.SurveyOf(a.Shown.Left.Plan), inspect.Surveyed{})
	return a
}

// shaded is a side that shows a scene.
func shaded(t *testing.T, source, scene *geometry.Scene, strategy string) model.Half {
	s := start
	s.Strategy = strategy
	config := must.Get(s.Config())
	_, counts := must.Get2(reuse.Analyze(scene, config))
	p := &plan.Plan{Frame: renderer.Frame{Scene: scene, Reuse: config}, Batches: reuse.Batches(scene, config)}
	return model.Half{Look: model.Look{Source: source, Whole: scene, Scene: scene, Settings: s}, Plan: p, Counts: counts}
}

func TestAVertexIsPickedWithItsDrawAndItsBatches(t *testing.T) {
	scene := viewtest.Scene(t, "city3")
	a := showingScene(t, scene, "warp")
	a.Going.Text = "9:129"
	require.NoError(t, a.GoNow())
	s := a.Selected()
	require.EqualValues(t, 129, s.Hit.Vertex())
	require.Equal(t, 9, a.DrawList.Selected)
	require.Equal(t, inspect.BatchesOf(s.Plan, 9, 129), s.Uses)
	require.Len(t, s.Uses, 2)
	require.Equal(t, s.Uses[0].Batch, s.Batch)
	for _, want := range []int{1, 0} { // the step after the last batch wraps around
		a.BatchStep = 1
		a.followSelection()
		require.Equal(t, s.Uses[want].Batch, s.Batch)
		require.EqualValues(t, 129, s.Hit.Vertex(), "the vertex stays")
		require.Equal(t, s.Batch, inspect.BatchOf(s.Plan, 9, s.Hit.Triangle), "its triangle is one of the batch")
	}

	// The vertex stays selected with another strategy, and with an order that renumbers vertices.
	fetched := viewtest.InOrder(t, scene, "forsyth+fetch")
	for _, next := range []model.Half{shaded(t, scene, scene, "hash"), shaded(t, scene, fetched, "hash")} {
		before := a.Shown.Left
		a.Shown.Left = next
		a.reselect(&before, &a.Shown.Left)
		s := a.Selected()
		require.NotNil(t, s)
		v := s.Hit.Vertex()
		if origin := next.Scene.Origin; origin != nil {
			offset := next.Scene.Draws[9].VertexOffset
			v = origin[offset+v] - offset
		}
		require.EqualValues(t, 129, v)
		require.NotEmpty(t, s.Uses)
		require.Equal(t, 9, a.DrawList.Selected)
	}

	// A selection on the right ends with the comparison; one on the left stays.
	for _, right := range []bool{true, false} {
		a.Shown.Right, a.Shown.Compare = shaded(t, scene, scene, "naive"), model.CompareSplit
		side := &a.Shown.Left
		if right {
			side = &a.Shown.Right
		}
		a.Pick(side, a.Selection.Hit)
		require.Same(t, side.Plan, a.Selected().Plan)
		a.Shown.Compare = model.CompareDifference
		require.Equal(t, right, a.Selected() == nil)
		a.Shown.Compare = model.CompareSplit
		require.NotNil(t, a.Selected())
		a.Shown.Right = model.Half{}
		require.Equal(t, right, a.Selected() == nil)
		a.Shown.Compare = model.CompareOff
	}

	// Stepping to a row selects its draw, and deselects a vertex of another draw.
	home := a.Camera
	a.DrawStep = -1
	a.followSelection()
	require.NotEqual(t, 9, a.DrawList.Selected)
	require.Nil(t, a.Selected())
	require.NotEqual(t, home, a.Camera)
	require.True(t, a.closed())
	require.Equal(t, -1, a.DrawList.Selected)
	require.False(t, a.closed())
	for _, step := range []int{1, -1} { // from no selection to the first or the last row
		a.DrawStep = step
		a.followSelection()
		rows := a.DrawList.Shown
		require.Equal(t, a.DrawList.Rows[rows[map[int]int{1: 0, -1: len(rows) - 1}[step]]].Draw, a.DrawList.Selected)
		a.Unselect()
	}
}

func TestGoingNowhereSaysWhy(t *testing.T) {
	scene := viewtest.Scene(t, "city3")
	a := showingScene(t, scene, "warp")
	for _, c := range []struct {
		kind       int
		text, says string
	}{
		{GoToVertex, "7:999", "draw 7 has vertices 0 to "}, {GoToVertex, "99:0", "there are draws 0 to 9"}, {GoToVertex, "", "is no number"},
		{GoToVertex, "-1", "is no number"}, {GoToVertex, "1:x", "is no number"}, {GoToBatch, "1:1", "is no number"},
		{GoToBatch, "999", "there are batches 0 to "}, {GoToDraw, "10", "there are draws 0 to 9"},
	} {
		a.Going.Kind, a.Going.Text = c.kind, c.text
		require.ErrorContains(t, a.GoNow(), c.says, c.text)
		require.Nil(t, a.Selected())
	}
	a.Going.Kind, a.Going.Text = GoToBatch, " 34 "
	require.NoError(t, a.GoNow())
	require.Equal(t, 34, a.Selected().Batch)
}

// The camera moves to the middle of the batch or, without batches, of the triangle.
func TestGoingMovesTheCamera(t *testing.T) {
	scene := viewtest.Scene(t, "city3")
	for _, strategy := range []string{"warp", "multi"} {
		a := showingScene(t, scene, strategy)
		a.Going.Text = "9:129"
		require.NoError(t, a.GoNow())
		s, one := a.Selected(), *scene
		require.Equal(t, strategy == "multi", s.Batch < 0)
		d := scene.Draws[9]
		first, count := s.At.FirstIndex, s.At.IndexCount
		if s.Batch < 0 {
			first, count = d.FirstIndex+uint32(3*s.Hit.Triangle), 3
		}
		require.Greater(t, first, d.FirstIndex, "not the first of its draw")
		d.FirstIndex, d.IndexCount = first, count
		one.Draws = []geometry.Draw{d}
		want := one.Bounds().Center()
		require.InDeltaSlice(t, want[:], a.Camera.Target[:], 1e-5, strategy)
		planes := a.Camera
		planes.SetPlanes(scene.Bounds())
		require.Equal(t, planes, a.Camera, "all of the scene lies between them")
	}
}

// Text typed right after Ctrl+G goes to the field. The vertex is marked in black and white, visible on any colour.
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
		require.Positive(t, rings(s.window()), "a vertex is marked")
		s.titled("counts") // the keys went to the field alone
		s.key("Escape")
		require.Zero(t, rings(s.window()))
	})
}

// The draws that are not selected can be dimmed, and the dimming follows the selection. It is one of the settings from which a
// frame is made, but a change of it does not make the table of strategies anew.
func TestOthersAreDimmed(t *testing.T) {
	scene := viewtest.Scene(t, "city3")
	a := showingScene(t, scene, "warp")
	a.DimOthers(true)
	require.Empty(t, a.Want.Marks, "nothing is selected")
	a.ChooseDraw(5)
	require.Empty(t, a.Want.Marks)
	a.DimOthers(true)
	a.ChooseDraw(7)
	require.Equal(t, "7", a.Want.Marks.Highlight)
	hit := must.Get(inspect.FindVertex(scene, 9, 129))
	a.Pick(&a.Shown.Left, hit)
	require.Equal(t, "9", a.Want.Marks.Highlight)
	f, err := a.Want.Frame(scene, 10, 10)
	require.Error(t, err, "the state of this test has no strategy")
	a.Want.Strategy, a.Want.Lanes = "warp", 32
	f = must.Get(a.Want.Frame(scene, 10, 10))
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
