package reuse

import "slices"

// Stats describes how often the vertices of one or several draws were shaded. A vertex is a
// (draw, vertex) pair throughout: two draws of one mesh shade each of its vertices at least twice
// in all.
type Stats struct {
	Draws       int
	Vertices    int // (draw, vertex) pairs, referenced or not
	Referenced  int // pairs that at least one index of their draw names
	Triangles   int
	Indices     int
	Invocations int // how often the vertex shader ran

	Batches    int // 0 if only counts were read back, as are the two below
	Iterations int // rounds of shading
	LaneSlots  int // lanes over all rounds of shading, including idle ones

	Histogram []int // Histogram[i]: referenced vertices shaded i times
}

// histogramCap is the last entry of a histogram: it counts the vertices that were shaded at least
// that often. It bounds the histogram's length, since a count can be as large as the index
// stream.
const histogramCap = 1 << 16

// StatsOf derives the statistics of one draw from its indices and its shading
// counts, one per vertex. Indices beyond the counts are an error.
func StatsOf(indices, counts []uint32) (Stats, error) {
	named := make([]bool, len(counts))
	if err := name(named, indices); err != nil {
		return Stats{}, err
	}
	return statsOf(len(indices), named, counts), nil
}

// name marks each vertex that an index references.
func name(named []bool, indices []uint32) error {
	for k, id := range indices {
		if int(id) >= len(named) {
			return badIndex(k, id, len(named))
		}
		named[id] = true
	}
	return nil
}

// statsOf is StatsOf for a number of indices that reference the vertices in named.
func statsOf(indices int, named []bool, counts []uint32) Stats {
	st := newStats(indices, len(counts))
	for v, n := range counts {
		st.addVertex(n, named[v])
	}
	return st
}

// newStats returns the statistics of a draw before its vertices are added.
func newStats(indices, vertices int) Stats {
	return Stats{Draws: 1, Vertices: vertices, Triangles: indices / 3, Indices: indices, Histogram: []int{0}}
}

// addVertex adds a vertex that was shaded n times; named reports whether an index references it.
func (s *Stats) addVertex(n uint32, named bool) {
	s.Invocations += int(n)
	at := int(min(n, histogramCap))
	for len(s.Histogram) <= at {
		s.Histogram = append(s.Histogram, 0)
	}
	if named {
		s.Referenced++
		s.Histogram[at]++
	}
}

// Add adds the statistics of a draw that occurs times times.
func (s *Stats) Add(draw Stats, times int) {
	s.Draws += draw.Draws * times
	s.Vertices += draw.Vertices * times
	s.Referenced += draw.Referenced * times
	s.Triangles += draw.Triangles * times
	s.Indices += draw.Indices * times
	s.Invocations += draw.Invocations * times
	s.Batches += draw.Batches * times
	s.Iterations += draw.Iterations * times
	s.LaneSlots += draw.LaneSlots * times
	if missing := len(draw.Histogram) - len(s.Histogram); missing > 0 {
		s.Histogram = append(s.Histogram, make([]int, missing)...)
	}
	for i, n := range draw.Histogram {
		s.Histogram[i] += n * times
	}
}

// Culled returns the statistics of a frame that shaded only what the remaining triangles need
// after culling: ratios are over those triangles and their vertices. Otherwise a culled triangle
// that was never shaded would count as reuse.
func (s Stats) Culled(left int) Stats {
	s.Triangles, s.Indices = left, 3*left
	if len(s.Histogram) == 0 {
		return s
	}
	s.Referenced -= s.Histogram[0]
	s.Histogram = slices.Clone(s.Histogram)
	s.Histogram[0] = 0
	return s
}

// Reuse is 1 - invocations / indices: the share of shader runs that were saved
// (paper, section 5). It is negative where a strategy shades more than once per
// index.
func (s Stats) Reuse() float64 { return 1 - float64(s.Invocations)/float64(s.Indices) }

// Ideal is the reuse of shading every referenced vertex once.
func (s Stats) Ideal() float64 { return 1 - float64(s.Referenced)/float64(s.Indices) }

// ACMR is the average cache miss ratio: invocations per triangle, 3 without
// reuse.
func (s Stats) ACMR() float64 { return float64(s.Invocations) / float64(s.Triangles) }

// ATVR is the average transform to vertex ratio: invocations per referenced
// vertex, 1 at best.
func (s Stats) ATVR() float64 { return float64(s.Invocations) / float64(s.Referenced) }

// LaneUtilization is the share of lanes that had a vertex to shade; 0 if it was not recorded.
func (s Stats) LaneUtilization() float64 {
	if s.LaneSlots == 0 {
		return 0
	}
	return float64(s.Invocations) / float64(s.LaneSlots)
}
