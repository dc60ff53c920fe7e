package app

import (
	"errors"
	"image"
	"image/color"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// Panels stay on the window, do not overlap, and stay where users put them; the scene is fitted into the rest.
func TestPanelsStayOnTheWindow(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--size", "700x500", "asset:city1")
		s.move(690, 490)
		first, box := s.look(), seen(s.scene())
		require.True(t, box.In(image.Rect(290, 0, 700, 500)), "the scene is at %v, beside the panel", box)
		require.Greater(t, box.Dy(), 150, "and fills what is left")

		s.resize(60, 40)
		s.resize(700, 500)
		s.same(first)

		titles := image.Rect(10, 25, 200, 40)
		require.True(t, s.covered(titles))
		s.pull(model.LeftButton, false, image.Pt(150, 24), image.Pt(250, 34), image.Pt(400, 40))
		s.move(690, 490)
		require.False(t, s.covered(titles), "the panel is at the right")
		require.Less(t, seen(s.scene()).Min.X, 260, "the scene takes the room that is left now")
		moved, places := s.look(), s.ui.Moved()
		require.NotEmpty(t, places)
		s.leave("")
		s.start("--size", "700x500", "asset:city1")
		s.same(moved)
		require.Equal(t, places, s.ui.Moved())
		require.False(t, s.covered(titles))
	})
}

// seen returns the box of a picture's green pixels: vertices shaded once are green.
func seen(img *image.RGBA) (box image.Rectangle) {
	for y := range above(img).Max.Y {
		for x := range img.Rect.Dx() {
			if c := img.RGBAAt(x, y); int(c.G) > int(max(c.R, c.B))+40 {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return box
}

// After a change of the display's density, panels and legends equal those of a viewer started at
// that density, also in a window without room for a legend.
func TestPanelsFollowTheDensity(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		for _, size := range []string{"900x600", "900x60"} {
			args := []string{"--remember=false", "--size", size, "asset:cube"}
			s.start(args...)
			s.move(895, 5)
			before, names := s.window(), image.Rect(0, min(95, s.pixels.Y/2), 150, s.pixels.Y) // the names below the line of the frame time, without the numbers, which are measured
			s.density = 1.5
			s.OnResize()
			s.settle()
			free, _ := s.ui.Free()
			legend, shown := s.Legend, s.window()
			require.False(t, agree(before, shown, names))
			require.Equal(t, s.pixels.Y < 100, legend.Panel == nil)
			s.leave("")
			s.start(append(args, "--scale", "1.5")...)
			s.move(895, 5)
			fresh, _ := s.ui.Free()
			require.Equal(t, fresh, free)
			require.Equal(t, s.Legend, legend)
			require.True(t, agree(s.window(), shown, names))
			s.leave("")
		}
		require.NoFileExists(t, memoryPath(), "nothing is remembered")
	})
}

// In a small window the settings start folded and the legend is shorter. In a window higher than wide the
// settings lie below the scene, and are as high as their contents.
func TestPanelsSuitTheWindow(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--remember=false", "--size", "480x270", "asset:knot4")
		require.Less(t, s.Legend.Panel.Rect.Dx(), 240, "half of the width")
		require.False(t, s.covered(image.Rect(20, 60, 330, 180)), "there is but the title")
		require.True(t, s.covered(image.Rect(20, 14, 330, 34)))
		s.click(22, 24)
		s.move(470, 10)
		require.True(t, s.covered(image.Rect(20, 60, 330, 180)), "a click opens them")
		s.Notices.add(firstHint, time.Time{})
		s.Theme = model.LightTheme
		s.move(470, 200)
		require.True(t, s.covered(image.Rect(440, 230, 466, 256)), "messages lie over the legend, and not over titles")
		require.False(t, s.covered(image.Rect(472, 210, 480, 270)), "and on the window")
		require.Greater(t, s.Legend.Panel.RGBAAt(1, 1).R, uint8(200), "the theme is the legend's, too")
		s.Dismiss()

		s.resize(500, 900)
		s.move(490, 10)
		free, _ := s.ui.Free()
		require.Equal(t, image.Pt(0, 0), free.Min, "the panel is below")
		require.InDelta(t, 900*.42, 900-free.Dy()-s.Legend.Panel.Rect.Dy()-2*Margin, 40)
		require.Equal(t, 500, free.Dx())

		s.resize(900, 1600)
		s.resize(2000, 1800)
		s.move(1990, 10)
		below := s.Legend.Panel.Rect.Dy() + 2*Margin
		require.True(t, s.covered(image.Rect(20, 900, 340, 1000)))
		require.False(t, s.covered(image.Rect(20, 1450, 340, 1800-below)), "it ends where its content does")
		before, _ := s.ui.Free()
		s.key("h")
		free, _ = s.ui.Free()
		require.Equal(t, before, free, "the scene stays in place under the help")
	})
}

// In a window higher than wide a message leaves the legend and the list's title free, and a batch has room for rows.
func TestUprightWindowsHaveRoom(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--remember=false", "--size", "600x900", "asset:city1")
		s.move(590, 890)
		before, legend, title := s.window(), s.Overlays(s.pixels)[0].Place(), image.Rect(48, 12, 588, 34)
		s.say(errors.New(strings.Repeat("what went wrong ", 9)))
		s.move(590, 890)
		require.True(t, agree(before, s.window(), legend))
		require.True(t, agree(before, s.window(), title))
		require.True(t, s.covered(image.Rect(20, 50, 580, 80)))
		s.Dismiss()
		s.Pick(&s.Shown.Left, inspect.Hit{Corners: [3]uint32(s.Shown.Left.Scene.DrawIndices(0))})
		s.move(590, 890)
		require.True(t, s.covered(image.Rect(320, 200, 500, 270)), "rows")
		s.leave("what went wrong")
	})
}

// The text about the vertex under the cursor stays on the window, for any size of the window and place of the cursor.
func TestTipsStayOnTheWindow(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--remember=false", "--size", "480x270", "--scale", "2", "--camera", "top,zoom=9", "asset:terrain64")
		for _, at := range []image.Point{{240, 100}, {470, 150}, {400, 262}} {
			s.move(at.X, at.Y)
			require.NotEmpty(t, s.Hover.Text, at)
			require.Len(t, s.ui.OnTop(), 1)
			tip := s.ui.OnTop()[0]
			require.Greater(t, tip.Dx(), 100)
			require.True(t, tip.In(image.Rectangle{Max: s.pixels}), "%v at %v", tip, at)
		}
	})
}

// A panel has a scroll bar only if it is lower than its contents.
func TestPanelsThatHoldAllDoNotScroll(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--remember=false", "--size", "2000x1800", "asset:cube")
		for _, recent := range [][]string{nil, {"a.obj", "b.obj", "c.obj", "d.obj"}, nil} {
			s.Recent, s.Unshown = recent, true
			s.settle()
			c := s.window().RGBAAt(Margin+panelWidth-12, 73)
			require.Greater(t, c.B, c.R+30, "the head of the figures is as wide as the panel")
		}
	})
}

// An open list covers the legend, and is visible. A message takes one line, or all of its lines on request.
func TestListsAndMessagesAreSeen(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--remember=false", "--size", "1000x760", "asset:knot4")
		legend := s.Overlays(s.pixels)[0].Place()
		require.False(t, agree(s.scene(), s.window(), legend))
		before := s.window()
		s.click(panelValues, panelFirst)
		require.Len(t, s.ui.OnTop(), 1)
		list := s.ui.OnTop()[0].Intersect(legend)
		require.False(t, list.Empty())
		require.False(t, agree(before, s.window(), list), "the list is over it")
		list.Min.X, list.Max.X = list.Max.X, legend.Max.X
		require.True(t, agree(before, s.window(), list), "the rest stays")
		s.key("Escape")
		require.Empty(t, s.ui.OnTop())

		long := errors.New(strings.Repeat("what went wrong ", 30))
		s.say(long)
		s.move(990, 750)
		line, more := image.Rect(350, 10, 990, 55), image.Rect(350, 60, 990, 75)
		require.True(t, s.covered(line))
		require.False(t, s.covered(more), "one line")
		s.click(846, 32)
		s.move(990, 750)
		require.True(t, s.covered(more), "all of it")
		s.key("Escape")
		require.False(t, s.covered(line))
		s.leave("what went wrong")
	})
}

// A small window has a legend too: the colours, once for both sides.
func TestSmallWindowsHaveALegend(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		for _, args := range [][]string{nil, {"--compare", "hash"}} {
			s.start(append([]string{"--remember=false", "--size", "480x270", "--scale", "2", "asset:knot4"}, args...)...)
			legends := s.Overlays(s.pixels)
			require.Len(t, legends, 1)
			r := legends[0].Place()
			require.True(t, r.In(s.window().Rect))
			colors := map[color.RGBA]bool{}
			for x := r.Min.X; x < r.Max.X; x++ {
				colors[s.window().RGBAAt(x, r.Min.Y+r.Dy()/4)] = true
			}
			for _, c := range picture.Heat {
				require.True(t, colors[c])
			}
			s.leave("")
		}
	})
}

// Legends show shares of their own side's part of the window, also while the divider moves.
func TestSharesFollowTheDivider(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--remember=false", "--panels=false", "--size", "700x500", "--compare", "warp/random", "asset:knot8")
		drawn := s.Shown.Left.Seen
		shares := func() (of [2]string) {
			x := divider(s.window())
			for i, on := range []model.Canvas{s.painter.Left, s.painter.Right} {
				img := must.Get(theDevice.oracle.GPU().ReadImage(on.Color()))
				part := image.Rect(0, 0, x, 500)
				if i == 1 {
					part = image.Rect(x, 0, 700, 500)
				}
				half := image.NewRGBA(part.Sub(part.Min))
				for y := range half.Rect.Dy() {
					copy(half.Pix[half.PixOffset(0, y):][:4*half.Rect.Dx()], img.Pix[img.PixOffset(part.Min.X, y):])
				}
				seen := picture.TakeSeen(half)
				of[i] = strings.Join(seen.Shares(), " ")
				said := []*Legend{&s.Legend, &s.rightLegend}[i].says
				for _, share := range seen.Shares() {
					require.Contains(t, said, " "+share+"}", "side %d at %d", i, x)
				}
			}
			return of
		}
		first := shares()
		s.pull(model.LeftButton, false, image.Pt(350, 100), image.Pt(300, 100))
		second := shares()
		require.NotEqual(t, first[0], second[0])
		require.NotEqual(t, first[1], second[1])
		require.Same(t, drawn, s.Shown.Left.Seen, "nothing was drawn anew")
		s.key("c", "c")
		require.Contains(t, s.Legend.says, drawn.Shares()[0], "one side has the whole window")
	})
}
