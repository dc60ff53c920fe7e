package reuse

import "github.com/shadeonce/shadeonce/geometry"

// Stats describes how often the vertices of a scene were shaded. A vertex is a
// (draw, vertex) pair throughout: two draws of one mesh shade it twice at best.
type Stats struct {
	Draws       int
	Vertices    int // (draw, vertex) pairs, referenced or not
	Referenced  int // pairs that at least one index of their draw names
	Triangles   int
	Indices     int
	Invocations int // how often the vertex shader ran

	Batches    int // 0 where only counts were read back, as for the two below
	Iterations int // rounds of shading
	LaneSlots  int // lanes over all rounds of shading, idle ones included

	Histogram []int // Histogram[i]: referenced vertices shaded i times
}

// NewStats derives the statistics that follow from the shading counts alone.
// counts is laid out as Analyze returns it.
func NewStats(s *geometry.Scene, counts []uint32) Stats {
	st := Stats{
		Draws:     len(s.Draws),
		Vertices:  s.DrawVertices(),
		Triangles: s.Triangles(),
		Indices:   s.IndexStreamLen(),
	}
	referenced := Referenced(s)
	most := uint32(0)
	for _, n := range counts {
		most = max(most, n)
	}
	// A count is bounded by the index stream, but a histogram need not be: all
	// above the cap are counted in its last entry.
	st.Histogram = make([]int, min(most, histogramCap)+1)
	for v, n := range counts {
		st.Invocations += int(n)
		if referenced[v] {
			st.Referenced++
			st.Histogram[min(n, histogramCap)]++
		}
	}
	return st
}

// histogramCap is the last entry of a histogram: it counts the vertices that
// were shaded that often or more.
const histogramCap = 1 << 16

// Referenced says of each (draw, vertex) pair whether an index names it.
func Referenced(s *geometry.Scene) []bool {
	referenced := make([]bool, s.DrawVertices())
	for i, offset := range CountOffsets(s) {
		own := referenced[offset:]
		for _, id := range s.DrawIndices(i) {
			own[id] = true
		}
	}
	return referenced
}

// Reuse is 1 - invocations / indices: the share of shader runs that were saved
// (paper, section 5). It is negative where a strategy shades more than once an
// index.
func (s Stats) Reuse() float64 { return 1 - float64(s.Invocations)/float64(s.Indices) }

// Ideal is the reuse of shading every referenced vertex once.
func (s Stats) Ideal() float64 { return 1 - float64(s.Referenced)/float64(s.Indices) }

// ACMR is the average cache miss ratio: invocations a triangle, 3 without reuse.
func (s Stats) ACMR() float64 { return float64(s.Invocations) / float64(s.Triangles) }

// ATVR is the average transform to vertex ratio: invocations a referenced
// vertex, 1 at best.
func (s Stats) ATVR() float64 { return float64(s.Invocations) / float64(s.Referenced) }

// LaneUtilization is the share of lanes that had a vertex to shade; 0 where it
// was not recorded.
func (s Stats) LaneUtilization() float64 {
	if s.LaneSlots == 0 {
		return 0
	}
	return float64(s.Invocations) / float64(s.LaneSlots)
}
