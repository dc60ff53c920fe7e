package app

import (
	"image"
	"image/color"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
)

// Places in the panels at their first positions, in pixels.
const (
	panelWidth  = 330
	panelValues = 200 // a column that every value crosses
	panelFirst  = 515 // the line of the strategy
	panelStep   = 25  // from one value to the next
	listFirst   = 27  // from a value to the first entry of its list
	listStep    = 19

	drawsLeft  = 1000 - Margin - 410 // in a window of width 1000
	drawsFirst = 145                 // the line of the first draw
	drawsAlone = drawsLeft + 20      // the box that shows a draw alone, at height drawsFound
	drawsFound = 80
	drawsTitle = 24 // height of the list's title; its arrow, at drawsLeft+10, opens the list
)

func TestPanelsAreClicked(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--size", "1000x840", "asset:city2")
		s.titled("city", "warp, 32")
		require.Greater(t, s.window().RGBAAt(panelValues, panelFirst).B, s.window().RGBAAt(panelValues, panelFirst).R, "the panels are shown")

		choose := func(line, entry int) {
			t.Helper()
			s.click(panelValues, line)
			require.True(t, s.ui.Typing())
			s.click(panelValues-50, line+listFirst+listStep*entry)
		}
		choose(panelFirst+panelStep, slices.Index(reuse.LaneCounts, 16))
		s.titled("warp, 16")
		choose(panelFirst, slices.Index(reuse.Names(), "hash"))
		s.titled("hash, indexed")

		before := s.look()
		s.click(panelValues-30, panelFirst+4*panelStep)
		s.key("ctrl+a", "9", "6", "Return")
		s.other(before)
		require.Equal(t, 96, s.Want.Batch)
		for _, c := range []struct {
			typed string
			want  int
		}{{"8", 8}, {"2", 0}} {
			s.click(panelValues-30, panelFirst+5*panelStep)
			s.key("ctrl+a", c.typed, "Return")
			require.Equal(t, c.want, s.Want.Unique, "a limit, and static batches again")
		}
		s.titled("hash, indexed, counts") // digits and Enter went to the panel alone

		typed := s.look()
		s.pull(model.LeftButton, false, image.Pt(100, 300), image.Pt(110, 330))
		s.same(typed) // drags over panels do not move the camera

		s.move(700, 500)
		s.key("p")
		require.False(t, s.covered(image.Rect(0, 0, 345, 500)), "the panels are gone")
		s.key("p")
		require.True(t, s.covered(image.Rect(50, 190, 70, 210)), "the panels are back")
		s.leave("")
	})
}

// The left side of the window shows one picture, the right side the other.
func TestCompareSplitsTheWindow(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--panels=false", "--size", "400x300", "--compare", "hash/forsyth", "asset:knot8")
		s.titled("warp, 32", "against hash in forsyth order")
		require.Equal(t, 200, divider(s.window()))
		split := s.look()
		s.keyed("c", "difference against hash")
		require.Equal(t, -1, divider(s.window()))
		difference := s.other(split)
		s.keyed("c", "warp")
		warp := s.other(difference)
		s.key("s", "o", "o")
		s.titled("hash", "forsyth order")
		hash := s.other(warp)
		s.key("shift+o", "shift+o", "shift+s", "c")
		s.titled("warp", "original order", "against hash in forsyth order")

		for _, x := range []int{200, 300, 75} {
			from := divider(s.window())
			s.pull(model.LeftButton, false, image.Pt(from, 100), image.Pt((from+x)/2, 105), image.Pt(x, 100))
			require.Equal(t, x, divider(s.window()))
			require.True(t, agree(s.window(), warp.picture, image.Rect(0, 0, x-6, 170)), "left of %d", x)
			require.True(t, agree(s.window(), hash.picture, image.Rect(x+6, 0, 400, 170)), "right of %d", x)
		}
		s.move(75, 100)
		require.True(t, s.divides)
		s.move(300, 100)
		require.False(t, s.divides)
		s.keyed("shift+c", "against "+nextStrategy("hash"))
		// These keys come faster than the viewer draws. A message appears if the side to compare with is gone.
		s.burst("c", "s", "l", "c", "k", "v", "u", "c", "shift+c", "o", "c", "c", "k", "l", "c", "shift+s", "c", "c", "k", "k")
		s.settle()
		s.titled("invocations")
		s.burst("ctrl+q")
		s.end(s.stderr.String())
	})
}

// divider returns the column at which the window is divided; -1 if it is not.
func divider(img *image.RGBA) int {
	for x := 1; x < img.Rect.Dx(); x++ {
		white := 0
		for y := range 100 {
			if img.RGBAAt(x, y) == (color.RGBA{235, 238, 242, 255}) {
				white++
			}
		}
		if white == 100 {
			return x + 1 // the line is 2 pixels wide, one pixel on each side
		}
	}
	return -1
}

func TestDrawsAreFoundAndSorted(t *testing.T) {
	scene := viewtest.Scene(t, "city2")
	config := must.Get(reuse.Resolve("warp", 32, 0))
	stats, sums := must.Get2(reuse.Summarize(scene, config))
	for i := range scene.Draws {
		scene.Draws[i].Name = map[bool]string{true: "Even draw", false: "odd"}[i%2 == 0]
	}
	var l DrawList
	side, of := &model.Half{}, inspect.Survey{Scene: scene, Config: config}
	l.follow(side, of, inspect.Surveyed{})
	require.Equal(t, -1, l.Rows[0].Invocations)
	require.Len(t, l.Shown, len(scene.Draws))
	l.follow(side, of, inspect.Surveyed{Draws: sums})
	require.Positive(t, l.Rows[0].Invocations)
	sum := inspect.DrawRow{}
	saved := 0
	require.True(t, slices.IsSortedFunc(l.Shown, func(i, k int) int { return l.Rows[k].Lost() - l.Rows[i].Lost() }), "most lost first")
	for _, r := range l.Rows {
		sum.Triangles, sum.Referenced, sum.Invocations, saved = sum.Triangles+r.Triangles, sum.Referenced+r.Referenced, sum.Invocations+r.Invocations, saved+r.Saved()
	}
	require.Equal(t, inspect.DrawRow{Triangles: stats.Triangles, Referenced: stats.Referenced, Invocations: stats.Invocations}, sum)
	require.Equal(t, stats.Indices-stats.Invocations, saved)

	l.Search, l.Column, l.Descending = " EVEN", 0, false
	l.Arrange()
	require.Len(t, l.Shown, (len(scene.Draws)+1)/2)
	require.True(t, slices.IsSorted(l.Shown))
	l.Search = "nothing"
	l.Arrange()
	require.Empty(t, l.Shown)
	// Another order of the same scene keeps the search, another scene does not.
	ordered := *scene
	l.follow(side, inspect.Survey{Scene: &ordered, Config: config}, inspect.Surveyed{})
	require.Equal(t, "nothing", l.Search)
	other := viewtest.Scene(t, "cube")
	l.choose(0)
	l.follow(side, inspect.Survey{Scene: other, Config: config}, inspect.Surveyed{})
	require.Empty(t, l.Search)
	require.Equal(t, -1, l.Selected)
	require.Len(t, l.Shown, len(other.Draws))
}

func TestADrawIsChosenInTheList(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--size", "1000x760", "asset:city2", "asset:city1")
		s.titled("city2 | warp", "752 invocations")
		folded, _ := s.ui.Free()
		s.click(drawsLeft+10, drawsTitle)
		open, _ := s.ui.Free()
		require.Less(t, open.Dy(), folded.Dy()-100, "the list begins folded, and leaves its room to the scene")
		whole := s.look()
		s.click(drawsLeft+60, drawsFirst) // the first line is the draw that wastes most
		s.other(whole)                    // the camera looks at it
		s.click(drawsAlone, drawsFound)
		require.NotContains(t, s.named, "752 invocations", "one draw is shown alone")
		s.click(drawsAlone, drawsFound)
		s.titled("752 invocations")
		// Typed words go into the search, not to the keys.
		s.click(drawsLeft+200, 53)
		s.key("s", "v")
		s.titled("warp, 32", "counts")
		require.Equal(t, "sv", s.DrawList.Search)
		s.key("Escape")
		s.click(500, 740)
		s.keyed("v", "batches")
		s.DrawList.Search = ""
		s.DrawList.Arrange()
		s.key("ctrl+Right")
		s.key("ctrl+Right") // the box of the newly selected draw is marked
		s.DimOthers(true)
		s.settle()
		require.NotEmpty(t, s.Shown.Left.Settings.Marks)
		s.key("Right")
		require.Empty(t, s.Want.Marks, "other draws have the numbers")
		s.leave("")

		s.start("--remember=false", "--size", "1000x760", "--search", "dome", "asset:city2")
		asked, _ := s.ui.Free()
		require.Equal(t, open.Dy(), asked.Dy(), "a flag opens the list")
	})
}
