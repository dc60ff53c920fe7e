package app

import (
	"image"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// during runs frames until the viewer waits for a picture that takes long.
func (s *stage) during() {
	s.t.Helper()
	for n := 0; s.Drawing == nil; n++ {
		require.Less(s.t, n, 100, "nothing is drawn that takes long")
		require.NoError(s.t, s.follow())
	}
	time.Sleep(meanwhileRest)
}

// While a slow picture is drawn the window responds: panels open over the old picture, which stays until
// the new one is complete.
func TestPanelsAnswerWhileDrawing(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--size", "1400x360", "--panels=false", "--load", "40000", "--camera", "zoom=3", "asset:sphere5")
		before := s.scene()
		help, beside := image.Rect(400, 50, 500, 150), image.Rect(1330, 0, 1400, 300)
		s.burst("7")
		s.during()
		s.burst("h")
		for s.Drawing != nil && agree(before, s.window(), help) {
			require.NoError(t, s.follow())
			time.Sleep(meanwhileRest)
		}
		require.NotNil(t, s.Drawing, "help comes before the picture")
		require.True(t, agree(before, s.window(), beside), "beside help the old picture stays")
		s.settle()
		require.Greater(t, differing(before, s.scene()), changed)
		s.key("h")
		require.False(t, s.covered(above(s.window())))

		// Settings too: the last ones chosen are drawn in the end.
		for _, keys := range [][]string{{"s"}, {"s", "v"}, {"shift+s"}} {
			s.burst(keys...)
			s.during()
		}
		s.settle()
		s.titled("hash, indexed, batches")
		s.burst("9")
		s.during()
		s.leave("") // quits while a picture is being drawn
	})
}

// A viewer can end while it plans and compiles strategies for the first time.
func TestViewersEndWhilePlanning(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		for rounds := range 4 {
			s.start("--size", "160x120", "--panels=false", "--remember=false", "asset:sphere4")
			s.burst("shift+s")
			for range rounds {
				require.NoError(t, s.follow())
			}
			s.leave("")
		}
	})
}
