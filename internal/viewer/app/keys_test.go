package app

import (
	"image"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// Keys change the picture, and their opposites restore the first.
func TestKeysChangeThePicture(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--panels=false", "--size", "400x300", "asset:knot8", "asset:cube")
		s.titled("knot8 | warp, 32", "indexed", "counts", "reuse")
		first := s.look()
		require.Greater(t, colorful(first.picture), changed)

		s.keyed("s", nextStrategy("warp")+", ")
		s.other(first)
		s.key("shift+s")
		s.same(first)
		s.keyed("v", "batches")
		batches := s.other(first)
		s.keyed("v", "shaded")
		s.other(batches)
		s.other(first)
		require.False(t, swatches(s.window()), "the scale belongs to the counts view")
		s.keyed("v", "normals")
		s.other(first)
		s.key("v")
		s.same(first)
		require.True(t, swatches(s.window()))
		s.keyed("l", "64 ")
		s.other(first)
		s.key("shift+l")
		s.same(first)
		s.keyed("u", "expanded")
		require.Equal(t, first.picture.Pix, s.look().picture.Pix, "the other queue form")
		s.key("u")
		s.keyed("o", "random order")
		s.other(first)
		s.key("shift+o")
		s.same(first)

		// The compute rasterizer leaves its pictures in a buffer, from which the window's image is filled.
		s.keyed("r", "raster:small")
		computed := s.look()
		require.Less(t, differing(first.picture, computed.picture), .01)
		s.key("7")
		s.other(computed)
		s.key("Return")
		s.same(computed)
		s.keyed("r", "fused:")
		require.Equal(t, computed.picture.Pix, s.look().picture.Pix, "the fused rasterizer")
		s.key("r", "r") // past auto, to hardware
		s.titled("raster:hardware")
		s.same(first)

		require.False(t, s.covered(above(s.window())))
		s.key("h")
		require.True(t, s.covered(above(s.window())), "help")
		s.key("h")
		require.False(t, s.covered(above(s.window())))

		s.keyed("Right", "cube | warp", "original order")
		s.key("o", "o")
		s.titled("cube | warp", "forsyth order")
		s.key("shift+o", "shift+o")
		s.titled("cube | warp", "original order")
		s.keyed("Left", "knot8 | warp")
	})
}

// The pointer moves the camera, and Enter moves it back.
func TestPointerMovesTheCamera(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--panels=false", "--size", "320x240", "asset:knot8")
		first := s.look()
		back := func() {
			t.Helper()
			s.key("Return")
			s.same(first)
		}
		path := []image.Point{{160, 100}, {190, 115}, {206, 123}}
		s.pull(model.LeftButton, false, path...)
		orbited := s.other(first)
		back()
		s.pull(model.LeftButton, true, path...)
		panned := s.other(first)
		s.other(orbited)
		back()
		s.pull(model.MiddleButton, false, path...)
		s.same(panned)
		back()
		s.scroll(4)
		require.Greater(t, colorful(s.other(first).picture), colorful(first.picture), "the wheel zooms in")
		back()
		s.pull(model.RightButton, false, image.Pt(160, 100), image.Pt(160, 80), image.Pt(160, 60))
		require.Greater(t, colorful(s.other(first).picture), colorful(first.picture), "a drag with the right button zooms in")
		back()
		s.key("7")
		top := s.other(first)
		s.key("5")
		s.other(top)
		back()
		s.key("z")
		s.other(first)
		s.key("z", "z", "z", "z", "z")
		s.same(first)

		at, ok := shownAt(s)
		require.True(t, ok)
		s.click(at.X, at.Y)
		s.same(first)
		s.pass(2 * doubleClick)
		s.click(at.X, at.Y)
		s.same(first)
		s.click(at.X, at.Y)
		s.other(first)
		require.NotEqual(t, first.flags["camera"], s.look().flags["camera"], "a double click turns about what it hits")
		back()
	})
}

// shownAt returns a pixel away from the middle that shows the scene.
func shownAt(s *stage) (at image.Point, ok bool) {
	img := s.scene()
	for y := img.Rect.Dy() / 4; y < img.Rect.Dy()*3/4; y++ {
		for x := 0; x < img.Rect.Dx()/3; x++ {
			if img.RGBAAt(x, y) != background() && img.RGBAAt(x+3, y+3) != background() {
				return image.Pt(x+2, y+2), true
			}
		}
	}
	return image.Point{}, false
}

func TestKeysUndoAndFillTheScreen(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--panels=false", "--size", "320x240", "asset:knot8")
		first := s.look()
		s.key("F11")
		require.True(t, s.full)
		s.resize(640, 400)
		s.key("F11")
		require.False(t, s.full)
		s.resize(320, 240)
		s.same(first)
		s.key("s", "v")
		s.titled(nextStrategy("warp")+", ", "batches")
		s.key("ctrl+z", "ctrl+z")
		s.same(first)
		s.keyed("ctrl+shift+z", nextStrategy("warp")+", ", "counts")
		s.key("ctrl+z")
		s.same(first)
	})
}

func TestScreenshotsAreTheScreen(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		const name = "knot8-warp-32lanes-indexed-counts"
		s.start("--panels=false", "--size", "320x240", "asset:knot8")
		window, scene := s.window(), s.scene()
		s.keyed("F12", "saved "+name+".png")
		require.Equal(t, window.Pix, s.saved(name+".png").(*image.RGBA).Pix, "with the legend")
		s.key("ctrl+F12")
		require.Equal(t, scene.Pix, s.saved(name+"-2.png").(*image.RGBA).Pix, "without")
		require.Equal(t, name+".png\n"+name+"-2.png\n", s.stdout.String())
		s.pass(2 * doneRest)
		require.NotContains(t, s.named, "saved", "the message goes")
		s.keyed("F12", "saved")
		s.key("h")
		require.NotContains(t, s.named, "saved", "also by a key")
	})
}

// A window stretches the old picture while it is being resized, and draws a new one when its size stops
// changing.
func TestResizedWindowsAreDrawnAnew(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--panels=false", "--size", "320x240", "asset:knot8")
		first := s.look()
		for _, size := range []image.Point{{200, 280}, {400, 200}, {400, 260}} {
			plan, presented := s.Shown.Left.Plan, s.presented
			s.unitSize, s.pixels = size, size
			s.OnResize()
			s.pass(resizeRest / 2)
			require.Same(t, plan, s.Shown.Left.Plan)
			require.Greater(t, s.presented, presented, "stretched")
			s.settle()
			require.Equal(t, size, s.Shown.Left.Size)
			require.Equal(t, size, s.window().Rect.Size())
			require.Greater(t, colorful(s.scene()), changed)
		}
		// In the smallest window the legend is left out and help is cut off.
		s.key("h")
		s.resize(9, 7)
		s.key("h")
		s.resize(320, 240)
		s.same(first)
		// Minimised.
		s.pixels = image.Point{}
		s.OnResize()
		s.pass(time.Second)
		s.burst("s")
		s.pixels = s.unitSize
		s.OnResize()
		s.settle()
		s.titled(nextStrategy("warp") + ", ")
		s.key("shift+s")
		s.same(first)
	})
}

// Without input the viewer does nothing and redraws nothing.
func TestNothingIsDueAtRest(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		for _, panels := range []string{"true", "false"} {
			s.start("--panels="+panels, "--remember=false", "--size", "640x480", "asset:city1")
			presented := s.presented
			s.pass(time.Hour)
			require.Equal(t, presented, s.presented)
			require.Negative(t, s.due())
			s.move(300, 200)
			s.pass(time.Hour)
			require.Negative(t, s.due(), "with the cursor over the window")
			s.leave("")
		}
	})
}

func TestFramesAreTimed(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		require.NoError(t, s.open("--frames", "5", "--size", "160x120", "asset:cube"))
		s.settle()
		require.True(t, s.Quit)
		s.end("")
		require.Regexp(t, `^5 frames: median [0-9.]+ ms/frame .*\n$`, s.stdout.String())
	})
}
