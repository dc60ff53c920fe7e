package app

import (
	"image"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/renderer"
)

// find returns where the panels show a text, the last drawn first. Spaces are ignored.
func (s *stage) find(font map[[2]float32]glyph, text string) (places []image.Point) {
	text = strings.ReplaceAll(text, " ", "")
	var line string
	var at []image.Point
	height, panel := float32(-1), -1
	look := func() {
		for from := 0; ; {
			i := strings.Index(line[from:], text)
			if i < 0 {
				break
			}
			places = append([]image.Point{at[from+i].Add(image.Pt(3, 5))}, places...)
			from += i + 1
		}
		line, at = "", nil
	}
	for _, q := range s.quads() {
		g, isLetter := font[[2]float32{q.corner.U, q.corner.V}]
		if !isLetter {
			continue
		}
		if y := q.corner.YPx - g.drop; y != height || q.panel != panel {
			look()
			height, panel = y, q.panel
		}
		line += string(g.letter)
		at = append(at, q.seen.Min)
	}
	look()
	return places
}

// calm runs frames until nothing is due soon. Unlike settle it does not check the picture.
func (s *stage) calm() {
	s.Unshown, s.rest = true, guiRest
	require.NoError(s.t, s.follow())
	for s.once(soon) {
	}
}

// onText clicks on the last place where the panels show a text.
func (s *stage) onText(font map[[2]float32]glyph, text string) {
	s.t.Helper()
	s.calm()
	places := s.find(font, text)
	require.NotEmpty(s.t, places, "the panels say %q", text)
	s.OnCursor(float64(places[0].X), float64(places[0].Y))
	s.calm()
	for _, down := range []bool{true, false} {
		s.OnButton(model.LeftButton, down, false)
		s.calm()
	}
}

// TestButtonsDoWhatTheySay presses buttons, boxes and lines of the panels, and looks at what changes.
func TestButtonsDoWhatTheySay(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		chosen := 0
		s.chooses = func(string) ([]string, error) { chosen++; return nil, nil }
		s.start("--remember=false", "--size", "1000x400", "asset:city2", "asset:cube")
		font := s.learn()
		s.resize(1390, 1380)
		press := func(text string) { t.Helper(); s.onText(font, text) }

		press("Device") // is folded, which leaves room for "Window"
		press("Passes")
		stands := s.find(font, "reset the panels")
		s.pull(model.LeftButton, false, image.Pt(200, 18), image.Pt(300, 30), image.Pt(400, 60))
		require.NotEqual(t, stands, s.find(font, "reset the panels"))
		press("reset the panels")
		require.Equal(t, stands, s.find(font, "reset the panels"))

		press("open (Ctrl+O)")
		require.Equal(t, 1, chosen)
		press("asset:cube")
		s.titled("cube")
		press("asset:city2")
		press("type a path (Ctrl+L)")
		require.True(t, s.Typed.Open)
		s.Typed.Open = false
		press("renumber vertices")
		require.Equal(t, "original+fetch", s.IndexOrder)
		press("renumber vertices")
		require.Equal(t, "original", s.IndexOrder)
		press("without background or panels")
		press("save (F12)")
		press("save the scene alone (Ctrl+F12)")
		require.Len(t, must.Get(filepath.Glob("*.png")), 2)
		press("dismiss (Esc)")

		s.Compare, s.Other = model.CompareSplit, model.OtherSide{Strategy: "hash", Lanes: 32, Order: "forsyth"}
		s.calm()
		press("swap sides (I)")
		require.Equal(t, model.OtherSide{Strategy: "warp", Lanes: 32, Order: "original"}, s.Other)
		require.Equal(t, []string{"hash", "forsyth"}, []string{s.Want.Strategy, s.IndexOrder})
		press("all strategies (Tab)")
		require.True(t, s.AllStrategies)
		s.resize(1000, 760)
		press("phash")
		require.Equal(t, "phash", s.Want.Strategy)
		s.hold("Shift")
		press("multi")
		s.letGo("Shift")
		require.Equal(t, []string{"phash", "multi"}, []string{s.Want.Strategy, s.Other.Strategy})
		s.AllStrategies = false
		s.Compare, s.Want.Strategy = model.CompareOff, "warp"
		s.Menu.Unfolded = true // the list of draws
		s.calm()

		press("walls")
		require.Equal(t, 2, s.DrawList.Selected)
		press("dim the others")
		require.Equal(t, "2", s.Want.Marks.Highlight)
		press("dim the others")
		require.Empty(t, s.Want.Marks.Highlight)
		s.onText(font, "hide")
		require.Equal(t, "2", s.Want.Marks.Hide)
		press("show again")
		require.Empty(t, s.Want.Marks.Hide)
		s.onText(font, "hide")
		press("show all")
		require.Empty(t, s.Want.Marks)

		s.Doing.Agents, s.Doing.Grid = 200, 8
		s.Doing.App = results.Walk
		s.calm()
		press("step (.)")
		require.Equal(t, 1, s.Doing.Step)
		press("start (,)")
		require.Zero(t, s.Doing.Step)
		s.Doing.App = results.None
		s.calm()

		s.Notices.add("a message", time.Time{})
		press("dismiss (Esc)")
		require.Empty(t, s.Notices)
		require.Equal(t, renderer.Counts, s.Want.View)
		s.leave("")
	})
}
