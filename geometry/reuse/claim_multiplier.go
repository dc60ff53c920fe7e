package reuse

// The factors that mix claim's ids, modulo 2^32. Counts are the same with any odd
// factor. The round in which an id is placed depends on it, and so does the time.
const (
	goldenMultiplier = 2654435769 // 2^32 over the golden ratio: neighbours lie far apart
	sampledFactors   = 61         // prime: rows of a grid are often a power of two apart
)

// claimMultiplier returns the factor with which the fewest batches of a sample need a
// second round. It tries the golden one, and factors that take neighbouring ids to
// entries 1 to 2 apart. A mesh in a useful order is full of runs of ids. With such a
// factor a run does not collide with itself, and whether two runs collide depends on
// how far apart they begin. The time does not depend on the scene's size.
func claimMultiplier(sample [][]uint32, c Config) uint32 {
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

// claimLosers scores a factor, lower is better: the ids that lose, and for each batch
// that needs a second round as much as for many ids.
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
