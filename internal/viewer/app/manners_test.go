package app

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestViewerOpensChangedFilesAnew(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		file := saveAsset(t, s.folder, "model.obj", "cube")
		s.start("--panels=false", "--size", "320x240", file)
		s.titled("model.obj", "24 invocations")
		first := s.look()
		s.key("7")
		cube := s.other(first)
		saveAsset(t, s.folder, "model.obj", "knot4")
		s.wrote(file)
		s.titled("model.obj", "reuse")
		require.NotContains(t, s.named, "24 invocations")
		s.other(cube)
		s.write("model.obj", "f 1 2 3\n")
		s.titled("refused")
		saveAsset(t, s.folder, "model.obj", "cube")
		s.wrote(file)
		s.same(cube) // seen from the same camera
		s.Alone = 1
		s.settle()
		s.wrote(file)
		require.Equal(t, [2]int{1, 1}, [2]int{s.Alone, s.Shown.Left.Alone}, "the same draw is shown alone")
		s.leave("refused")
	})
}

// Flying goes on while a key is held, and stops when it is released.
func TestFlyingMovesThePicture(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--panels=false", "--size", "320x240", "asset:cube")
		first := s.look()
		s.key("f")
		s.hold("w")
		s.pass(300 * time.Millisecond)
		s.letGo("w")
		s.settle()
		there := s.other(first)
		s.pass(time.Minute)
		s.same(there)
		s.key("Escape", "Return")
		s.same(first)
	})
}

// A rewritten file is fitted into the window again unless the user has moved the camera. If it was
// removed, a message says so and the picture stays.
func TestChangedFilesAreFittedAgain(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		file := s.write("model.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
		s.start("--panels=false", "--size", "320x240", file)
		s.write("model.obj", "v 0 0 0\nv 100 0 0\nv 0 100 0\nf 1 2 3\n")
		require.Greater(t, s.Camera.Distance, float32(50))
		large := s.look()
		require.NoError(t, os.Remove(file))
		presented := s.presented
		s.wrote(file)
		s.titled("model.obj was deleted or renamed")
		require.Greater(t, s.presented, presented, "in the window, too, though nothing else happens there")
		s.same(large)
		s.write("model.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
		require.Empty(t, s.Notices, "it is back")
		s.leave("deleted")
	})
}

// Each press of Esc closes one thing; it never ends the viewer.
func TestEscClosesOneThing(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--size", "1000x760", "asset:cube")
		s.key("ctrl+g", "2", "Return", "ctrl+g", "f", "Tab")
		s.key("Escape") // f and Tab went to the field
		s.key("f", "Tab", "h")
		s.Notices.add("something went wrong", time.Time{})
		open := func() []bool {
			return []bool{s.Help, s.NoticeShown(), s.TablesStrategies(), s.Selected() != nil, s.Fly.On}
		}
		for closed := range 8 {
			for i, is := range open() {
				require.Equal(t, i >= closed, is, "after %d presses, %d", closed, i)
			}
			s.key("Escape")
		}
		require.False(t, s.Quit)
	})
}
