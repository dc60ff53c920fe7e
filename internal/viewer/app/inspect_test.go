package app

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHoverAndClickTellOfAVertexAndItsBatch(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--size", "1000x700", "asset:cube")
		// The middle of the window shows the cube; nothing is marked before the cursor rests there.
		around, list := image.Rect(440, 250, 700, 450), image.Rect(760, 380, 980, 560)
		s.move(980, 20)
		require.NotEqual(t, background(), s.scene().RGBAAt(500, 350))
		require.False(t, s.covered(around))
		s.OnCursor(500, 350)
		s.pass(hoverRest / 2)
		require.False(t, s.covered(around))
		s.settle()
		require.True(t, s.covered(around), "the vertex is told of")
		s.move(980, 20)
		require.False(t, s.covered(around), "leaving it takes the text away")

		s.click(500, 350)
		s.move(980, 20)
		require.True(t, s.covered(image.Rect(500, 350, 501, 351)), "the batch is marked")
		require.True(t, s.covered(list), "its vertices are listed")
		s.click(500, 30)
		s.move(980, 20)
		require.False(t, s.covered(around), "a click beside it ends that")
		require.False(t, s.covered(list))
	})
}
