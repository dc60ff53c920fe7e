package reuse

import "github.com/shadeonce/shadeonce/geometry"

// sampledBatches is enough to tell an order of indices that is useful from one
// that is not, in a time that does not depend on the scene's size.
const sampledBatches = 32

// Sample is what share of the worst case (WorstInvocations) batches from all over the
// stream shade: in the mean, and at most.
func Sample(s *geometry.Scene, c Config) (mean, most float64) {
	invocations, worst := 0, 0
	for _, batch := range sampleBatches(s, c) {
		n, bound := 0, c.Strategy.WorstInvocations(c, len(batch))
		c.Strategy.Reference(c, batch, func(it *Iteration) { n += len(it.Unique) })
		invocations, worst = invocations+n, worst+bound
		most = max(most, float64(n)/float64(max(1, bound)))
	}
	return float64(invocations) / float64(max(1, worst)), most
}

// sampleBatches are batches from all over the stream, cut statically: where a
// batch begins matters little here. They are not evenly spaced, since meshes often
// repeat themselves evenly.
func sampleBatches(s *geometry.Scene, c Config) [][]uint32 {
	var sample [][]uint32
	step := max(1, s.IndexStreamLen()/sampledBatches)
	next := func() int {
		n := uint32(len(sample))
		return int(n)*step + int(uint64(n*goldenMultiplier)*uint64(step)>>32)
	}
	at := 0
	for i := range s.Draws {
		indices := s.DrawIndices(i)
		for next() < at+len(indices) && len(sample) < sampledBatches {
			first := (next() - at) / 3 * 3
			sample = append(sample, indices[first:min(first+c.Batch, len(indices))])
		}
		at += len(indices)
	}
	return sample
}
