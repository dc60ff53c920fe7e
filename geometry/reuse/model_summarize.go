package reuse

import "github.com/shadeonce/shadeonce/geometry"

// Summarize yields the statistics that follow from the model's counts, and a sum
// a draw. Where nothing outlives a draw, the draws are counted one by one and
// those over the same ranges once, so that memory is that of the largest draw:
// some 9 bytes a vertex. A model whose waves run on from draw to draw (one with a
// Partition) is counted whole.
func (m *Model) Summarize(s *geometry.Scene, p ModelParams) (Stats, []DrawSum) {
	if p.Partition != "" {
		counts := m.Count(s, p)
		return NewStats(s, counts), sumCounts(s, counts)
	}
	st := Stats{
		Draws: len(s.Draws), Vertices: s.DrawVertices(), Triangles: s.Triangles(), Indices: s.IndexStreamLen(), Histogram: []int{0},
	}
	sums := oncePerShape(s, func(i, times int) DrawSum {
		alone := &geometry.Scene{Positions: s.Positions, Indices: s.Indices, Draws: s.Draws[i : i+1]}
		return st.addTimes(NewStats(alone, m.Count(alone, p)), times)
	})
	return st, sums
}

// addTimes adds what follows from the counts of a draw that is there so many
// times.
func (s *Stats) addTimes(draw Stats, times int) DrawSum {
	s.Referenced += draw.Referenced * times
	s.Invocations += draw.Invocations * times
	for len(s.Histogram) < len(draw.Histogram) {
		s.Histogram = append(s.Histogram, 0)
	}
	for i, n := range draw.Histogram {
		s.Histogram[i] += n * times
	}
	return DrawSum{draw.Invocations, draw.Referenced}
}

// sumCounts sums the counts of (draw, vertex) pairs up to those of draws.
func sumCounts(s *geometry.Scene, counts []uint32) []DrawSum {
	sums := make([]DrawSum, len(s.Draws))
	referenced := ReferencedOf(s)
	for i, offset := range CountOffsets(s) {
		sums[i].Referenced = referenced[i]
		for _, n := range counts[offset:][:s.Draws[i].VertexCount] {
			sums[i].Invocations += int(n)
		}
	}
	return sums
}
