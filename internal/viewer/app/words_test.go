package app

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/renderer"
)

var update = flag.Bool("update", false, "let testdata hold what the panels say now")

// glyph is a letter of the font, found by its place in the texture.
type glyph struct {
	letter rune
	drop   float32 // distance of its upper side below that of the highest letter, in pixels
}

// quad is a rectangle of the panels' mesh, clipped to its visible part.
type quad struct {
	corner, end gpu.OverlayVertex // upper left, lower right
	seen        image.Rectangle
	panel       int // panels are drawn one after the other; the first has the marks in the picture
}

// quads returns the rectangles of the panels' mesh. A triangle that belongs to no rectangle is returned
// as a rectangle of its own.
func (s *stage) quads() (all []quad) {
	m := s.ui.Mesh()
	for _, c := range m.Commands[len(s.flat.Runs):] {
		for i := c.FirstIndex; i < c.FirstIndex+c.IndexCount; {
			n := 3
			if ids := m.Indices[i:]; i+6 <= c.FirstIndex+c.IndexCount && ids[3] == ids[0] && ids[4] == ids[2] && ids[5] == ids[0]+3 {
				n = 6
			}
			q := quad{panel: c.VertexOffset, corner: m.Vertices[int(m.Indices[i])+c.VertexOffset], end: m.Vertices[int(m.Indices[i+2])+c.VertexOffset]}
			for _, id := range m.Indices[i : i+n] {
				v := m.Vertices[int(id)+c.VertexOffset]
				// Corners lie at multiples of 1/4 pixel, except for a small error of an approximate root that differs
				// between processors. So the rounding threshold is between two such multiples.
				at := image.Pt(Floor(v.XPx+.375), Floor(v.YPx+.375))
				q.seen = q.seen.Union(image.Rectangle{Min: at, Max: at.Add(image.Pt(1, 1))})
			}
			if q.seen = q.seen.Intersect(c.Clip); !q.seen.Empty() {
				all = append(all, q)
			}
			i += n
		}
	}
	return all
}

// learn finds the font's letters in a message that contains all of them.
func (s *stage) learn() map[[2]float32]glyph {
	var letters []rune
	for r := '!'; r <= '~'; r++ {
		letters = append(letters, r)
	}
	s.key("p") // without panels, a message takes the window's whole width
	s.Notices.add(string(letters), time.Time{})
	s.Unshown, s.rest = true, guiRest
	s.move(s.pixels.X-1, s.pixels.Y-1)
	all := s.quads()
	from := -1
	for i, run := 0, 0; i < len(all); i++ {
		q := &all[i]
		if q.corner.U == q.end.U || run > 0 && q.corner.XPx <= all[i-1].corner.XPx {
			run = 0
		}
		if q.corner.U != q.end.U {
			run++
		}
		if run == len(letters) {
			from = i + 1 - run
		}
	}
	require.GreaterOrEqual(s.t, from, 0, "the message has all letters in a line")
	highest := slices.MinFunc(all[from:from+len(letters)], func(a, b quad) int { return Floor(a.corner.YPx) - Floor(b.corner.YPx) })
	known := map[[2]float32]glyph{}
	for i, r := range letters {
		v := all[from+i].corner
		known[[2]float32{v.U, v.V}] = glyph{r, v.YPx - highest.corner.YPx}
	}
	s.Notices = nil
	s.key("p")
	return known
}

// says returns the texts of the panels, by panel and line, each line with its distance from the line above. After
// them, for each colour, it returns the size of the box around all other shapes; for marks in the picture also its place.
func (s *stage) says(font map[[2]float32]glyph) []string {
	type text struct {
		panel, end int
		at         image.Point
		all        string
	}
	type kind struct {
		panel int
		color uint32
	}
	var texts []text
	var kinds []kind
	boxes := map[kind]image.Rectangle{}
	all := s.quads()
	for _, q := range all {
		k := kind{q.panel, q.corner.Color}
		g, isLetter := font[[2]float32{q.corner.U, q.corner.V}]
		switch {
		case isLetter:
			at := image.Pt(Floor(q.corner.XPx), Floor(q.corner.YPx-g.drop+.5))
			last := &text{}
			if len(texts) > 0 {
				last = &texts[len(texts)-1]
			}
			switch gap := at.X - last.end; {
			case last.panel != q.panel || last.all == "" || at.Y != last.at.Y || gap < -2 || gap > 9:
				texts = append(texts, text{panel: q.panel, at: at})
				last = &texts[len(texts)-1]
			case gap > 2:
				last.all += " "
			}
			last.all, last.end = last.all+string(g.letter), q.seen.Max.X
		case q.corner.Color>>24 > 0: // not the soft edge of a line
			if boxes[k].Empty() {
				kinds = append(kinds, k)
			}
			boxes[k] = boxes[k].Union(q.seen)
		}
	}
	slices.SortStableFunc(texts, func(a, b text) int { return cmp.Or(a.panel-b.panel, a.at.Y-b.at.Y, a.at.X-b.at.X) })
	var lines []string
	last := text{panel: -1}
	for _, x := range texts {
		if frameTime.MatchString(x.all) {
			x.all, x.at.X = "# ms", 0
		}
		if x.panel != last.panel {
			lines = append(lines, fmt.Sprintf("at %d:", x.at.Y))
		} else if x.at.Y != last.at.Y {
			lines = append(lines, fmt.Sprintf(" %+d:", x.at.Y-last.at.Y))
		}
		lines[len(lines)-1] += fmt.Sprintf("  %d %s", x.at.X, x.all)
		last = x
	}
	for _, k := range kinds {
		if box := boxes[k]; k.panel == all[0].panel {
			lines = append(lines, fmt.Sprintf("mark %08x: %v", k.color, box))
		} else {
			lines = append(lines, fmt.Sprintf("colour %08x: %v", k.color, box.Size()))
		}
	}
	return lines
}

// frameTime matches the end of a measured frame time, before the device's name.
var frameTime = regexp.MustCompile(` ms, `)

// untime replaces all measured times by fixed ones. It sets frameTime even if no frame was timed, since whether one was depends on
// the machine's speed.
func (s *stage) untime() {
	s.frameTime = time.Millisecond
	for i, half := range []*model.Half{&s.Shown.Left, &s.Shown.Right} {
		half.Timings = slices.Clone(half.Timings)
		for k := range half.Timings {
			half.Timings[k].Duration = time.Duration(1+i+k) * time.Millisecond
		}
	}
	for i, log := range []*inspect.PassLog{&s.Log, &s.RightLog} {
		for k, pass := range log.Passes {
			log.Times[pass] = []float32{float32(i), float32(k), float32(8 - k)}
		}
	}
	for i := range s.Strategies.Rows {
		if r := &s.Strategies.Rows[i]; r.Timing != nil && r.Timing.Err == nil {
			r.Timing = &model.Timing{Passes: []renderer.Timing{{Pass: "geometry:", Duration: time.Duration(i) * time.Millisecond}, {Pass: "raster:", Duration: time.Second}}}
		}
	}
}

// TestWhatPanelsSay compares the texts of the panels and the marks in the picture with testdata/panels.txt. It reads both
// from the drawn triangles, and lists only lines that the step before did not have. Narrow spaces are lost.
// go test ./internal/viewer/app -run TestWhatPanelsSay -update writes the file.
func TestWhatPanelsSay(t *testing.T) {
	path := must.Get(filepath.Abs("testdata/panels.txt"))
	var out strings.Builder
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--remember=false", "--size", "1000x400", "asset:city2", "asset:cube")
		font := s.learn()
		var before []string
		at := func(title string, x, y int) {
			s.move(x, y)
			s.untime()
			s.Unshown, s.rest = true, guiRest
			s.settle()
			now := s.says(font)
			fmt.Fprintf(&out, "== %s\n", title)
			for _, line := range now {
				if !slices.Contains(before, line) {
					fmt.Fprintln(&out, line)
				}
			}
			gone := slices.DeleteFunc(before, func(line string) bool { return slices.Contains(now, line) })
			fmt.Fprintf(&out, "%d lines less\n", len(gone))
			before = now
		}
		tell := func(title string) { at(title, s.pixels.X-1, s.pixels.Y-1) }
		s.resize(1450, 1380)
		s.Menu.Unfolded = true // the list of draws
		tell("all groups")
		at("help low in the window", 40, 1080)
		s.resize(1000, 760)
		s.Compare, s.Other = model.CompareSplit, model.OtherSide{Strategy: "hash", Lanes: 32, Order: "forsyth"}
		s.settle()
		tell("comparison")
		at("help of a figure", 30, 130)
		at("the vertex below the cursor", 600, 430)
		s.Compare = model.CompareOff
		s.settle()
		s.Pick(&s.Shown.Left, inspect.Hit{Corners: [3]uint32(s.Shown.Left.Scene.DrawIndices(0))})
		s.key("Tab")
		s.Strategies.Rows[1].Err = errors.New("cannot be counted")
		tell("a batch and all strategies")
		s.Pick(&s.Shown.Left, inspect.Hit{Draw: 1, Triangle: 30, Corners: [3]uint32(s.Shown.Left.Scene.DrawIndices(1)[90:])})
		tell("a vertex of several batches")
		at("why a strategy has no times", 500, 600)
		at("help at the right", drawsLeft+30, drawsFound)
		s.Hide(1, true)
		s.DimOthers(true)
		s.OpenMenu(3)
		s.settle()
		tell("a menu of marked draws")
		s.key("Escape", "Escape")
		s.AllStrategies, s.Alone = false, 4
		s.key("ctrl+g")
		tell("go to, and a draw alone")
		s.key("Escape")
		s.Alone = 0
		s.settle() // fits the scene beside these panels before an application opens others
		s.Doing.Agents, s.Doing.Grid = 2000, 16
		for range 3 {
			s.key("a")
			tell(s.Doing.App.String())
		}
		s.key("a", "h")
		tell("help")
		s.key("h")
		for i := range 9 {
			s.Notices.add(fmt.Sprintf("message %d is one of several that do not fit a line", i), time.Time{})
		}
		s.Unshown, s.rest = true, guiRest
		tell("messages")
		s.click(760, 730)
		tell("messages in full")
		s.Dismiss()
		s.resize(480, 270)
		tell("small")
		s.click(22, 24)
		tell("small, with the settings open")
		s.resize(500, 900)
		s.Menu.Unfolded = true
		at("upright, and help", 30, 426)
		s.OpenMenu(3)
		s.key("Right")
		tell("one draw")
		s.leave("")
		s.write("waving.vert", strings.Replace(waving, "float size;", "float size; uint count; ivec2 steps; mat2 turn;", 1))
		s.write("waving.yaml", "tint: [1, 0, 0]\nsize: 7\ncount: 2\n")
		s.start("--remember=false", "--size", "1000x600", "--vertex-shader", "waving.vert", "--uniforms", "waving.yaml", "asset:cube")
		tell("vertex shader")
		at("the type of a value", 680, 104)
		for y, x := range []int{102: 700, 127: -200, 152: 900} {
			if x != 0 {
				s.pull(model.LeftButton, false, image.Pt(850, y), image.Pt(860, y), image.Pt(x, y))
			}
		}
		tell("dragged values")
		s.write("waving.yaml", "tint: [1, 0]\n")
		tell("its error")
		s.leave("waving.yaml")
	})
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(out.String()), 0o666))
	}
	require.Equal(t, string(must.Get(os.ReadFile(path))), out.String())
}
