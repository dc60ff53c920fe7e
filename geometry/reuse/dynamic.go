package reuse

import "github.com/shadeonce/shadeonce/geometry"

// DynamicBatches scans every draw from its start and closes a batch where the
// next triangle would bring more than c.Unique unique vertices or c.Batch
// indices (paper, section 3.3). A triangle is never split. Linear; a batch costs
// no allocation of its own. A Cutter does the same piece by piece.
func DynamicBatches(s *geometry.Scene, c Config) []Batch {
	c.Batching = DynamicBatching
	batches := make([]Batch, 0, s.IndexStreamLen()/c.Batch+len(s.Draws))
	cut := NewCutter(s, c)
	for b, ok := cut.Next(); ok; b, ok = cut.Next() {
		batches = append(batches, b)
	}
	return batches
}
