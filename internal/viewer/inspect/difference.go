package inspect

import (
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer/picture"
)

// Difference says by how much two frames of one scene shade it otherwise.
type Difference struct {
	More, Less int // vertices that the right frame shades more, less often
	By, Saves  int // invocations that are
}

// Compare counts the differences, and returns them as a picture of them takes them
// (renderer.Frame.Shown), by the left's vertices.
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

// Match says which vertex of one scene is a vertex of another: the same file in two
// orders, of which one or both may renumber vertices.
type Match struct {
	Left, Right *geometry.Scene
	to          []uint32 // by vertex of the left's pool, that of the right's; nil where numbers are the same
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

// Vertex returns the right's number of a vertex of a draw. Orders keep a vertex within
// the ranges of its draws, so that it is a vertex of the same draw there.
func (m *Match) Vertex(draw int, v uint32) uint32 {
	if m.to == nil {
		return v
	}
	offset := m.Left.Draws[draw].VertexOffset
	return m.to[offset+v] - offset
}

// Counts returns the right's counts laid out as the left's.
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

// SameDraws reports whether two orders are of the same draws: one may be of a draw
// alone while the other is of all.
func SameDraws(a, b *geometry.Scene) bool {
	return len(a.Positions) == len(b.Positions) && slices.EqualFunc(a.Draws, b.Draws, func(a, b geometry.Draw) bool {
		return a.VertexOffset == b.VertexOffset && a.VertexCount == b.VertexCount
	})
}
