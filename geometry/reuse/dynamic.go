package reuse

import "github.com/shadeonce/shadeonce/geometry"

// DynamicBatches scans every draw from its start and closes a batch where the
// next triangle would bring more than c.Unique unique vertices or c.Batch
// indices (paper, section 3.3). A triangle is never split. Linear; a batch costs
// no allocation of its own.
func DynamicBatches(s *geometry.Scene, c Config) []Batch {
	batches := make([]Batch, 0, s.IndexStreamLen()/c.Batch+len(s.Draws))
	most := uint32(0)
	for i := range s.Draws {
		most = max(most, s.Draws[i].VertexCount)
	}
	// seenIn[v] is the batch, counted from 1, that saw vertex v of the draw last.
	seenIn := make([]uint32, most)
	number, triangle := uint32(0), uint32(0)
	for i := range s.Draws {
		indices := s.DrawIndices(i)
		for first := 0; first < len(indices); {
			number++
			n := dynamicBatch(indices[first:], c, seenIn, number)
			batches = append(batches, Batch{s.Draws[i].FirstIndex + uint32(first), uint32(n), uint32(i), triangle})
			triangle += uint32(n / 3)
			first += n
		}
	}
	return batches
}

// dynamicBatch is the length of the batch that begins the indices.
func dynamicBatch(indices []uint32, c Config, seenIn []uint32, number uint32) int {
	unique := 0
	limit := min(len(indices), c.Batch)
	for k := 0; k+2 < limit; k += 3 {
		found := 0
		for _, id := range indices[k : k+3] {
			if seenIn[id] != number {
				seenIn[id] = number
				found++
			}
		}
		// The first triangle always fits: c.Unique is at least 3.
		if unique += found; unique > c.Unique {
			return k
		}
	}
	return limit
}
