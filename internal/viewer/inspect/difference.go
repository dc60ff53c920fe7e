package inspect

import (
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
)

// Difference compares how often two frames of one scene shade its vertices.
type Difference struct {
	More, Less int // vertices that the right frame shades more, or less, often
	By, Saves  int // additional and saved invocations
}

// Compare counts the differences. It also returns them by the left's vertices, for a picture of
// them (renderer.Frame.Shown).
func Compare(m *geometry.Match, left, right []uint32) (d Difference, shown []uint32) {
	right = m.Counts(right)
	for i := range left {
		switch {
		case right[i] > left[i]:
			d.More, d.By = d.More+1, d.By+int(right[i]-left[i])
		case right[i] < left[i]:
			d.Less, d.Saves = d.Less+1, d.Saves+int(left[i]-right[i])
		}
	}
	return d, picture.DifferenceCounts(left, right)
}

// SameDraws reports whether two orders have the same draws: one may have a single draw while the
// other has all.
func SameDraws(a, b *geometry.Scene) bool {
	return len(a.Positions) == len(b.Positions) && slices.EqualFunc(a.Draws, b.Draws, func(a, b geometry.Draw) bool {
		return a.VertexOffset == b.VertexOffset && a.VertexCount == b.VertexCount
	})
}
