package app

import (
	"image"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/renderer"
)

// TestCoarseWhileMoving: slow pictures have fewer pixels while the camera moves. At rest, when settle checks
// them, and in saved files they have all pixels.
func TestCoarseWhileMoving(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--remember=false", "--size", "243x160", "asset:knot4")
		turned := func(took time.Duration) image.Point {
			t.Helper()
			s.settle()
			require.Equal(t, s.pixels, s.Shown.Left.Size)
			s.coarse.note(s.Shown.Left.Look, s.pixels, took)
			s.Move(func(c *renderer.Camera) { c.Azimuth += 7 })
			for s.Shown.Left.Camera.Azimuth != s.Camera.Azimuth {
				require.NoError(t, s.follow())
			}
			return s.Shown.Left.Size
		}
		whole, half, quarter := s.pixels, image.Pt(122, 80), image.Pt(61, 40)
		require.Equal(t, whole, turned(0), "it is not known how long a picture takes")
		require.Equal(t, whole, turned(halfFrom))
		require.Equal(t, half, turned(halfFrom+1))
		require.Equal(t, quarter, turned(quarterFrom+1))

		s.burst("ctrl+F12")
		s.settle()
		names := must.Get(filepath.Glob("knot4*.png"))
		require.Len(t, names, 1)
		require.Equal(t, whole, s.saved(names[0]).Bounds().Size(), "while the camera moves")

		require.Equal(t, whole, turned(0))
		s.settle()
		s.coarse.note(s.Shown.Left.Look, s.pixels, halfFrom+1)
		s.Move(func(c *renderer.Camera) { c.Azimuth += 7 })
		s.coarse.follow(s.Camera, time.Now())
		w := must.Get(s.asked(s.pixels))
		j, some := s.Job(w)
		require.True(t, some)
		require.Equal(t, half, j.Asked.Size)
		s.Drawing = s.painter.Begin(j)
		s.burst("ctrl+F12")
		s.settle()
		names = must.Get(filepath.Glob("knot4*-2.png"))
		require.Len(t, names, 1)
		require.Equal(t, whole, s.saved(names[0]).Bounds().Size(), "a picture of fewer pixels was being drawn")

		s.Guides = model.Guides(1)
		require.Equal(t, whole, turned(time.Second))
		s.Guides, s.Coarse = 0, false
		require.Equal(t, whole, turned(time.Second))
		s.Coarse = true
		require.Equal(t, quarter, turned(time.Second))
		s.coarse.note(s.Shown.Left.Look, s.pixels, 900*time.Millisecond)
		require.Equal(t, whole, turned(time.Second), "fewer pixels took as long")
		s.key("v")
		require.Equal(t, whole, turned(0))
		require.Equal(t, half, turned(halfFrom+1), "in another view they may not")
	})
}
