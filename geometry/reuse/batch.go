package reuse

import "github.com/shadeonce/shadeonce/geometry"

// Batch is the part of the index stream that one subgroup or workgroup takes.
// It lies within one draw. Its layout is the shader's `Batch`.
type Batch struct {
	FirstIndex    uint32 // into the index pool
	IndexCount    uint32 // a multiple of 3, at most Config.Batch
	Draw          uint32
	FirstTriangle uint32 // place of its first triangle in the whole stream
}

// StaticBatches cuts every draw into batches of c.Batch indices, the last of a
// draw shorter. No index is read: this needs no preprocessing.
func StaticBatches(s *geometry.Scene, c Config) []Batch {
	n := 0
	for i := range s.Draws {
		n += (int(s.Draws[i].IndexCount) + c.Batch - 1) / c.Batch
	}
	batches := make([]Batch, 0, n)
	triangle := uint32(0)
	for i := range s.Draws {
		d := &s.Draws[i]
		for k := uint32(0); k < d.IndexCount; k += uint32(c.Batch) {
			count := min(uint32(c.Batch), d.IndexCount-k)
			batches = append(batches, Batch{d.FirstIndex + k, count, uint32(i), triangle})
			triangle += count / 3
		}
	}
	return batches
}
