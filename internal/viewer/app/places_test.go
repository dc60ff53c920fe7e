package app

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// Panels stay on the window, beside each other, and where users put them; the scene is
// fitted into what they leave.
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

// seen is the part of a picture that is green, as vertices are that were shaded once.
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

// A display whose density changes has its panels made anew, and the scene drawn as it was.
func TestPanelsFollowTheDensity(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--remember=false", "--size", "900x600", "asset:cube")
		s.move(895, 5)
		same := func(y, other int) bool { return s.shown.RGBAAt(40, y) == s.shown.RGBAAt(40, other) }
		require.True(t, same(20, 30))
		require.False(t, same(20, 49), "below the title")
		s.density = 1.5
		s.OnResize()
		s.settle()
		require.True(t, same(20, 49), "the title is one and a half times as high")
		require.False(t, same(20, 58))
	})
}
