package reuse

// multi shades every vertex of every draw once, and then a second kernel assembles the triangles
// (paper, section 4.2 and table 2): ideal reuse if all vertices are referenced. It needs memory for
// all vertices of the stream at once. The streaming strategies are compared with it.
//
// Its batches only divide the work: ranges of Config.Batch indices for assembly, and of a third
// as many vertices for shading, which takes longer. The default gives each invocation twelve
// indices, all in flight at once, and four vertices.
var multi = Strategy{
	Name:             "multi",
	WholeDraws:       true,
	Batchings:        []Batching{StaticBatching},
	Workgroup:        128, // 256 is as fast on one draw, and 25 % slower on draws of 400 vertices
	DefaultBatch:     func(c Config) int { return min(12*c.Workgroup, MaxBatch) },
	LeastBatch:       func(c Config) int { return 3 * c.Workgroup },
	MaxUnique:        func(c Config) int { return c.Batch / 3 },
	FixedPlaces:      true,
	WorstInvocations: func(_ Config, n int) int { return n },
	SharedBytes:      func(Config, bool, int) int { return 0 },
}

// VertexLaneSlots returns how many lanes a batch of VertexBatches occupies, including idle ones.
func (c Config) VertexLaneSlots(b Batch) int {
	rounds := (int(b.IndexCount) + c.Workgroup - 1) / max(1, c.Workgroup)
	return rounds * c.Workgroup
}

// addWholeDraw adds to st the work of a whole-draw strategy on a draw with st.Vertices vertices and
// st.Indices indices. Each batch of vertices is an iteration.
func (c Config) addWholeDraw(st *Stats) {
	size := c.Strategy.MaxUnique(c)
	for left := st.Vertices; left > 0; left -= size {
		st.Batches++
		st.Iterations++
		st.LaneSlots += c.VertexLaneSlots(Batch{IndexCount: uint32(min(size, left))})
	}
	st.Batches += (st.Indices + c.Batch - 1) / c.Batch
}
