package model

import (
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/shape"
)

// Count returns how often each vertex is shaded when one draw with these indices, a triangle
// list, is drawn. p comes from Resolve. reuse.StatsOf computes statistics from the counts.
func (m *Model) Count(indices []uint32, vertices int, p Params) []uint32 {
	counts := make([]uint32, vertices)
	if m.stream != nil {
		var s pairStream
		s.add(indices, 0)
		m.stream(p, s, counts)
	} else {
		m.draw(p, indices, counts, make([]uint32, vertices))
	}
	return counts
}

// Analyze counts the draws of a valid scene. The counts are laid out as those of reuse.Analyze.
func (m *Model) Analyze(s *geometry.Scene, p Params) (reuse.Stats, []uint32) {
	counts := make([]uint32, s.DrawVertices())
	if m.stream != nil {
		var stream pairStream
		for i, offset := range reuse.CountOffsets(s) {
			stream.add(s.DrawIndices(i), offset)
		}
		m.stream(p, stream, counts)
	} else {
		for i, offset := range reuse.CountOffsets(s) {
			copy(counts[offset:], m.Count(s.DrawIndices(i), int(s.Draws[i].VertexCount), p))
		}
	}
	return must.Get(reuse.NewStats(s, counts)), counts
}

// Summarize returns the statistics of Analyze, and a sum per draw instead of the counts. If no
// cache outlives a draw, draws over the same ranges are counted once, and memory is that of the
// largest draw: some 9 bytes per vertex. A model with a Partition counts the whole stream at
// once.
func (m *Model) Summarize(s *geometry.Scene, p Params) (reuse.Stats, []reuse.DrawSum) {
	if m.stream != nil {
		st, counts := m.Analyze(s, p)
		return st, sumCounts(s, counts)
	}
	return SumDraws(s, func(indices []uint32, vertices int) reuse.Stats {
		return must.Get(reuse.StatsOf(indices, m.Count(indices, vertices, p)))
	})
}

// SumDraws counts the draws of a valid scene one by one, those over the same ranges only once. It
// returns the statistics of all draws, and a sum per draw.
func SumDraws(s *geometry.Scene, count func(indices []uint32, vertices int) reuse.Stats) (reuse.Stats, []reuse.DrawSum) {
	st := reuse.Stats{Histogram: []int{0}}
	sums := shape.Once(s, func(i, times int) reuse.DrawSum {
		draw := count(s.DrawIndices(i), int(s.Draws[i].VertexCount))
		st.Add(draw, times)
		return reuse.DrawSum{Invocations: draw.Invocations, Referenced: draw.Referenced}
	})
	return st, sums
}

// sumCounts adds up the counts of (draw, vertex) pairs by draw.
func sumCounts(s *geometry.Scene, counts []uint32) []reuse.DrawSum {
	sums := make([]reuse.DrawSum, len(s.Draws))
	for i, offset := range reuse.CountOffsets(s) {
		st := must.Get(reuse.StatsOf(s.DrawIndices(i), counts[offset:][:s.Draws[i].VertexCount]))
		sums[i] = reuse.DrawSum{Invocations: st.Invocations, Referenced: st.Referenced}
	}
	return sums
}
