package reuse

import "github.com/shadeonce/shadeonce/geometry"

// multi shades every vertex of every draw once and then assembles the triangles:
// ideal reuse where all vertices are referenced, at the price of a place in
// memory for each vertex of the stream at once. It is the opponent that the
// streaming strategies are measured against.
//
// Its batches serve only to deal out the work: ranges of Config.Batch indices
// for assembly, and of a third as many vertices for shading, which takes longer:
// by default twelve indices an invocation, all under way at once, and four
// vertices.
var multi = Strategy{
	Name:             "multi",
	Doc:              "every vertex shaded once, triangles by a second kernel; does not stream",
	Source:           "paper, section 4.2 and Table 2",
	WholeDraws:       true,
	Batchings:        []Batching{StaticBatching},
	Workgroup:        128, // 256 is as fast on one draw, and a quarter slower on draws of 400 vertices
	DefaultBatch:     func(c Config) int { return min(12*c.Workgroup, MaxBatch) },
	MaxUnique:        func(c Config) int { return c.Batch / 3 },
	FixedPlaces:      true,
	WorstInvocations: func(_ Config, n int) int { return n },
	SharedBytes:      func(Config, bool, int) int { return 0 },
}

// VertexBatches cuts the vertices of every draw into ranges of at most MaxUnique,
// for a strategy that takes whole draws. FirstIndex and IndexCount are the range,
// relative to the draw's first vertex; FirstTriangle is 0.
func VertexBatches(s *geometry.Scene, c Config) []Batch {
	size := uint32(c.Strategy.MaxUnique(c))
	n := 0
	for i := range s.Draws {
		n += (int(s.Draws[i].VertexCount) + int(size) - 1) / int(size)
	}
	batches := make([]Batch, 0, n)
	for i := range s.Draws {
		for left := s.Draws[i].VertexCount; left > 0; {
			count := min(size, left)
			batches = append(batches, Batch{FirstIndex: s.Draws[i].VertexCount - left, IndexCount: count, Draw: uint32(i)})
			left -= count
		}
	}
	return batches
}

// analyzeWholeDraws is Analyze for a strategy that takes whole draws. A batch of
// vertices is an iteration.
func analyzeWholeDraws(s *geometry.Scene, c Config) (Stats, []uint32) {
	counts := make([]uint32, s.DrawVertices())
	offsets := CountOffsets(s)
	batches := VertexBatches(s, c)
	laneSlots := 0
	for _, b := range batches {
		for id := b.FirstIndex; id < b.FirstIndex+b.IndexCount; id++ {
			counts[offsets[b.Draw]+id]++
		}
		laneSlots += c.VertexLaneSlots(b)
	}
	st := NewStats(s, counts)
	st.Batches, st.Iterations, st.LaneSlots = len(StaticBatches(s, c))+len(batches), len(batches), laneSlots
	return st, counts
}

// VertexLaneSlots is how many lanes a batch of VertexBatches occupies, idle ones
// included.
func (c Config) VertexLaneSlots(b Batch) int {
	rounds := (int(b.IndexCount) + c.Workgroup - 1) / c.Workgroup
	return rounds * c.Workgroup
}
