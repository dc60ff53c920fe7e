package app

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// TestPassesAreChosen: each pass of a captured frame is shown by its own camera, and its saved
// picture remembers the pass. A pass that cannot be shown changes nothing.
func TestPassesAreChosen(t *testing.T) {
	frame := must.Get(filepath.Abs("../../../geometry/capture/testdata/passes.glb"))
	onStage(t, func(t *testing.T, s *stage) {
		shown := func() (name string) {
			for _, p := range s.Shown.Left.Source.Capture.Passes {
				if p.Camera {
					name += p.Name
				}
			}
			return name
		}
		s.start("--remember=false", "--size", "1000x400", "--strategy", "claim", "--search", "no such draw", frame, "asset:cube")
		s.Dismiss()
		font := s.learn()
		s.resize(1390, 1380)
		require.Equal(t, "pass 1", shown())
		first := s.look()
		require.InDelta(t, 60, s.Captured.FovY, .1)

		s.onText(font, "pass 1") // opens the list of passes
		s.onText(font, "pass 2 shadows")
		require.Equal(t, "pass 2 shadows", shown())
		require.InDelta(t, 30, s.Captured.FovY, .1)
		s.other(first)
		s.key("F12")

		s.key("ctrl+z")
		require.Equal(t, "pass 1", shown())
		s.same(first)

		s.Pass = "2"
		s.calm()
		s.Pass = "pass 9"
		s.calm()
		require.Contains(t, s.Notices.String(), `no pass "pass 9": the frame has pass 1, pass 2 shadows`)
		require.Equal(t, []string{"pass 2 shadows", "2"}, []string{shown(), s.Pass})
		s.key("Right")
		s.titled("cube")
		require.Empty(t, s.Pass, "the next file has passes of its own")
		s.key("Left")
		require.Equal(t, "pass 1", shown())
		s.leave("left out")

		s.start("--remember=false", "--from", "passes-claim-32lanes-indexed-counts.png")
		require.Equal(t, "pass 2 shadows", shown())
		s.leave("left out")
	})
}
