package main

import (
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer/picture"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// difference is the picture of which vertices the right side shades more often.
type difference struct {
	plan        *plan.Plan  // its Frame.Shown are the differences, by the left's vertices
	left, right *plan.Plan  // that it is of
	match       vertexMatch // between them
	more, less  int         // vertices that the right side shades more, less often
	by, saves   int         // invocations that are
}

// vertexMatch says which vertex of one scene is a vertex of another: the same file
// in two orders, of which one or both may renumber vertices.
type vertexMatch struct {
	left, right *geometry.Scene
	to          []uint32 // by vertex of the left's pool, that of the right's; nil where numbers are the same
}

func matchVertices(left, right *geometry.Scene) vertexMatch {
	m := vertexMatch{left: left, right: right}
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

// vertex is the right's number of a vertex of a draw. Orders keep a vertex within
// the ranges of its draws, so that it is one of the same draw there.
func (m *vertexMatch) vertex(draw int, v uint32) uint32 {
	if m.to == nil {
		return v
	}
	offset := m.left.Draws[draw].VertexOffset
	return m.to[offset+v] - offset
}

// counts are the right's, laid out as the left's.
func (m *vertexMatch) counts(right []uint32) []uint32 {
	if m.to == nil {
		return right
	}
	counts := make([]uint32, 0, len(right))
	for i := range m.left.Draws {
		first := len(counts)
		for v := range m.left.Draws[i].VertexCount {
			counts = append(counts, right[first+int(m.vertex(i, v))])
		}
	}
	return counts
}

// sameDraws reports whether two orders are of the same draws: one side may still
// show a draw alone, or all, while the other does not any more.
func sameDraws(a, b *geometry.Scene) bool {
	return len(a.Positions) == len(b.Positions) && slices.EqualFunc(a.Draws, b.Draws, func(a, b geometry.Draw) bool {
		return a.VertexOffset == b.VertexOffset && a.VertexCount == b.VertexCount
	})
}

// count takes the differences of two sides' counts, which are then shown.
func (d *difference) count(left, right []uint32) (shown []uint32) {
	right = d.match.counts(right)
	d.more, d.less, d.by, d.saves = 0, 0, 0, 0
	for i := range left {
		switch {
		case right[i] > left[i]:
			d.more, d.by = d.more+1, d.by+int(right[i]-left[i])
		case right[i] < left[i]:
			d.less, d.saves = d.less+1, d.saves+int(left[i]-right[i])
		}
	}
	return picture.DifferenceCounts(left, right)
}

// followCulled brings the differences to what both sides shade for the camera that is
// drawn: with culling that follows from what is seen.
func (a *app) followCulled() error {
	if err := a.exec(a.drawn); err != nil {
		return err
	}
	a.log.add(a.timings)
	if err := a.right.exec(a.drawn); err != nil {
		return err
	}
	before := a.diff
	shown := a.diff.count(a.counts, a.right.counts)
	if before.by != a.diff.by || before.saves != a.diff.saves || before.more != a.diff.more || before.less != a.diff.less {
		a.legendDue = true
	}
	if slices.Equal(shown, a.diff.plan.Frame.Shown) {
		return nil
	}
	copy(a.diff.plan.Frame.Shown, shown)
	return a.backend.Reshow(a.diff.plan)
}
