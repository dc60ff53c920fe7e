package geometry

// Match maps vertices of one scene to vertices of another: the same file in two orders, which may
// renumber vertices.
type Match struct {
	Left, Right *Scene
	to          []uint32 // from a vertex of the left's pool to one of the right's; nil if numbers are the same
}

// MatchVertices matches the vertices of two orders of one scene.
func MatchVertices(left, right *Scene) Match {
	m := Match{Left: left, Right: right}
	if left == right || left == nil || right == nil || left.Origin == nil && right.Origin == nil {
		return m
	}
	origin := func(s *Scene, v int) uint32 {
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
