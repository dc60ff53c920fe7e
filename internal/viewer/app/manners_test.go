package app

import (
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
		s.same(cube) // from where it was looked at
		s.Alone = 1
		s.settle()
		s.wrote(file)
		require.Equal(t, [2]int{1, 1}, [2]int{s.Alone, s.Shown.Left.Alone}, "the same draw is shown alone")
		s.leave("refused")
	})
}

// Flying goes on while a key is held, and rests when it is let go.
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
