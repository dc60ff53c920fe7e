package reuse

import "github.com/shadeonce/shadeonce/geometry"

// The factors that mix claim's ids, modulo 2^32. Any odd one gives the same
// counts; in which round an id is placed depends on it, and so does the time.
const (
	goldenMultiplier = 2654435769 // 2^32 over the golden ratio: neighbours lie far apart
	sampledFactors   = 61 // prime: rows of a grid are often a power of two apart
)

// claimMultiplier finds, on a sample of the batches, the factor at which the
// fewest need a second round. Beside the golden one it tries those that take
// neighbouring ids to neighbouring entries, 1 to 2 apart: runs of ids, of which a
// mesh in a useful order is full, then collide with each other or not, depending
// on how far apart the runs begin. Its time does not depend on the scene's size.
func claimMultiplier(s *geometry.Scene, c Config) uint32 {
	sample := sampleBatches(s, c)
	entries := uint32(claimTable(c))
	best, bestScore := uint32(goldenMultiplier), claimLosers(sample, entries, goldenMultiplier)
	for i := range uint32(sampledFactors) {
		factor := uint32((1<<31)/uint64(entries)*uint64(sampledFactors+i)/sampledFactors) | 1
		if score := claimLosers(sample, entries, factor); score < bestScore {
			best, bestScore = factor, score
		}
	}
	return best
}

// claimLosers judges a factor: batches that need a second round weigh as much as
// many ids that lose.
func claimLosers(sample [][]uint32, entries, factor uint32) int {
	const roundWeight = 32
	holder := make([]uint32, entries) // id + 1
	score := 0
	for _, batch := range sample {
		clear(holder)
		lost := 0
		for _, id := range batch {
			entry := &holder[uint64(id<<1*factor)*uint64(entries)>>32]
			if *entry != 0 && *entry != id+1 {
				lost++
			} else {
				*entry = id + 1
			}
		}
		if lost > 0 {
			score += roundWeight + lost
		}
	}
	return score
}
