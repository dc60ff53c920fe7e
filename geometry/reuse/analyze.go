package reuse

import "github.com/shadeonce/shadeonce/geometry"

// Analyze runs the reference over the whole scene and returns its statistics
// and the shading counts: one number a (draw, vertex) pair, draws in order, each
// with the vertices of its range (geometry.Scene.DrawVertices in all). Who has no
// use for the counts calls Summarize.
func Analyze(s *geometry.Scene, c Config) (Stats, []uint32) {
	if c.Strategy.WholeDraws {
		return analyzeWholeDraws(s, c)
	}
	counts := make([]uint32, s.DrawVertices())
	offsets := CountOffsets(s)
	iterations, laneSlots := 0, 0
	batches, cut := 0, NewCutter(s, c)
	for b, ok := cut.Next(); ok; b, ok = cut.Next() {
		batches++
		own := counts[offsets[b.Draw]:]
		c.Strategy.Reference(c, s.Indices[b.FirstIndex:b.FirstIndex+b.IndexCount], func(it *Iteration) {
			for _, id := range it.Unique {
				own[id]++
			}
			iterations++
			laneSlots += it.LaneSlots
		})
	}
	st := NewStats(s, counts)
	st.Batches, st.Iterations, st.LaneSlots = batches, iterations, laneSlots
	return st, counts
}

// CountOffsets gives where each draw's shading counts begin: the prefix sum of
// the draws' vertex counts.
func CountOffsets(s *geometry.Scene) []uint32 {
	offsets := make([]uint32, len(s.Draws))
	sum := uint32(0)
	for i := range s.Draws {
		offsets[i] = sum
		sum += s.Draws[i].VertexCount
	}
	return offsets
}
