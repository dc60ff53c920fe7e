package inspect

import (
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer/picture"
)

// Difference compares how often two frames of one scene shade its vertices.
type Difference struct {
	More, Less int // vertices that the right frame shades more, or less, often
	By, Saves  int // additional and saved invocations
}

// Compare counts the differences. It also returns them by the left's vertices, for a picture of
// them (renderer.Frame.Shown).
func Compare(m *Match, left, right []uint32) (d Difference, shown []uint32) {
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

// Match maps vertices of one scene to vertices of another: the same file in two orders, which may
// renumber vertices.
type Match struct {
	Left, Right *geometry.Scene
	to          []uint32 // from a vertex of the left's pool to one of the right's; nil if numbers are the same
}

// MatchVertices matches the vertices of two orders of one scene.
func MatchVertices(left, right *geometry.Scene) Match {
	m := Match{Left: left, Right: right}
	if left == right || left.Origin == nil && right.Origin == nil {
		return m
	}
	origin := func(s *geometry.Scene, v int) uint32 {
		if s.Origin == nil {
			return uint32(v)
		}
		return s.Origin[v]
	}
	place := make([]uint32, len(right.Positions)) // by vertex of the file
	for v := range place {
		place[origin(right, v)] = uint32(v)
	}
	m.to = make([]uint32, len(left.Positions))
	for v := range m.to {
		m.to[v] = place[origin(left, v)]
	}
	return m
}

// Vertex returns the right's number of a vertex of a draw. Orders keep a vertex within its draws'
// ranges, so it belongs to the same draw there.
func (m *Match) Vertex(draw int, v uint32) uint32 {
	if m.to == nil {
		return v
	}
	offset := m.Left.Draws[draw].VertexOffset
	return m.to[offset+v] - offset
}

// Counts returns the right's counts in the left's layout.
func (m *Match) Counts(right []uint32) []uint32 {
	if m.to == nil {
		return right
	}
	counts := make([]uint32, 0, len(right))
	for i := range m.Left.Draws {
		first := len(counts)
		for v := range m.Left.Draws[i].VertexCount {
			counts = append(counts, right[first+int(m.Vertex(i, v))])
		}
	}
	return counts
}

// SameDraws reports whether two orders have the same draws: one may have a single draw while the
// other has all.
func SameDraws(a, b *geometry.Scene) bool {
	return len(a.Positions) == len(b.Positions) && slices.EqualFunc(a.Draws, b.Draws, func(a, b geometry.Draw) bool {
		return a.VertexOffset == b.VertexOffset && a.VertexCount == b.VertexCount
	})
}
