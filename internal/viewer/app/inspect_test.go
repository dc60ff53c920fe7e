package app

import (
	"image"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

func TestHoverAndClickTellOfAVertexAndItsBatch(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--size", "1000x700", "asset:cube")
		// The cube is in the middle of the window. Nothing is marked until the cursor rests there.
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
		s.move(500, 350)
		s.settle()
		require.NotNil(t, s.Hover.Text)
		s.OnLeave()
		require.Nil(t, s.Hover.Text, "so does leaving the window")
		s.move(980, 20)

		s.move(500, 350)
		s.OnButton(model.LeftButton, true, false)
		s.OnButton(model.LeftButton, false, false)
		require.Nil(t, s.Hover.Text, "a click takes it away until the cursor has rested again")
		s.settle()
		require.NotNil(t, s.Hover.Text)
		s.key("h")
		s.move(501, 350)
		require.True(t, s.ui.TakesPointer())
		require.Nil(t, s.Hover.Text, "a panel lies over the scene")
		s.key("h")
		s.move(980, 20)
		require.True(t, s.covered(image.Rect(500, 350, 501, 351)), "the batch is marked")
		require.True(t, s.covered(list), "its vertices are listed")
		s.click(500, 30)
		s.move(980, 20)
		require.False(t, s.covered(around), "a click beside it ends that")
		require.False(t, s.covered(list))
	})
}

// Each side shows its own vertices, selection, passes and edges. settle compares texts and marks with the state.
func TestBothSidesAreInspected(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--size", "1000x700", "--remember=false", "--compare", "hash/forsyth+fetch", "asset:knot8")
		middle := s.DividerX(1000)
		require.Greater(t, middle, 620)
		shows := func(x, step int) int { // returns the nearest column beside the divider that shows the scene
			for s.scene().RGBAAt(x, 350) == background() {
				x += step
			}
			return x
		}
		left, right := shows(middle-25, -1), shows(middle+25, 1)
		require.Greater(t, left, 500, "beyond the middle of the window")
		s.move(left, 350)
		require.NotNil(t, s.Hover.Text)
		s.click(right, 350)
		require.True(t, s.Selected().Right)
		s.keyed("shift+c", "against "+nextStrategy("hash"))
		require.True(t, s.Selected().Right, "it stays on its side")
		s.key("3", "1")
		require.Contains(t, s.RightLog.Passes, "geometry:"+nextStrategy("hash"))
		require.Contains(t, s.Log.Passes, "geometry:warp")

		s.key("x")
		for _, to := range []int{middle - 50, middle + 100} {
			s.pull(model.LeftButton, false, image.Pt(s.DividerX(1000), 100), image.Pt(to, 100))
			halves := map[bool]bool{}
			for _, r := range s.flat.Runs {
				halves[r.Clip.Min.X >= to] = true
				require.True(t, r.Clip.Min.X >= to || r.Clip.Max.X <= to, "edges end at the divider")
			}
			require.Len(t, halves, 2)
		}
		s.key("x", "Return")
		s.move(left, 350)
		s.key("c") // while the cursor rests
		s.titled("difference")
		require.Nil(t, s.Selected(), "the right side is not shown any more")
		require.Contains(t, s.Hover.Text[1], " by "+s.Shown.Right.Name())
		r := &s.Shown.Right
		for v := range uint32(60) {
			same := slices.Index(r.Scene.Origin, v) // the right side's number of vertex v of the file
			text := s.describeHit(&s.Shown.Left, &inspect.Hit{Corners: [3]uint32{v, v, v}})[1]
			require.Contains(t, text, ", "+inspect.Times(r.TimesShaded(0, uint32(same)))+" by "+r.Name())
		}
	})
}
