package reuse

// claim gives a batch to a subgroup. The lanes' ids claim entries of a small table by plain
// stores: the last id written to an entry wins it, and ids that lost claim other entries in the
// next round (claimRounds). Every vertex of the batch is shaded once. claim needs no atomics, only
// the subgroup's barriers. Since its batches are static, it needs no preprocessing either. It is
// not in the paper.
var claim = Strategy{
	Name:      "claim",
	UsesLanes: true,
	Batchings: []Batching{StaticBatching},
	DefaultBatch: func(c Config) int {
		return claimTriangles * 3 * c.Lanes
	},
	LeastBatch:       func(c Config) int { return 3 * c.Lanes / 2 },
	LargestBatch:     func(c Config) int { return min(claimMostTriangles*3*c.Lanes, MaxUnique/3*3) },
	MaxUnique:        hashMaxUnique,
	FixedPlaces:      true,
	Spills:           true,
	WorstInvocations: func(_ Config, n int) int { return n },
	Table:            claimTable,
	Multiplier:       claimMultiplier,
	SharedBytes: func(c Config, _ bool, vertexBytes int) int {
		return ballotBytes + 4*claimTable(c) + assemblyBytes(2*c.Lanes, vertexBytes)
	},
	Reference: claimReference,
}

// Triangles per lane: the default and the maximum. A lane keeps the triangles' ids in registers,
// and one bit per id in a mask word.
const (
	claimTriangles     = 4
	claimMostTriangles = 10
)

// claimTable returns the number of table entries: the least power of two that is at least half the
// subgroup's indices. In an order with much reuse a batch has a fifth to a quarter as many vertices
// as indices. With a smaller table more ids lose; a larger one saves rounds, but fewer subgroups
// fit into shared memory, which costs more.
func claimTable(c Config) int {
	triangles := (c.Batch/3 + c.Lanes - 1) / c.Lanes
	return tableOf((3*triangles*c.Lanes + 1) / 2)
}

// The factors by which claim multiplies ids, modulo 2^32. Counts are the same for any odd factor,
// but the round in which an id is placed depends on it, and so does the time.
const (
	goldenMultiplier = 2654435769 // 2^32 over the golden ratio: spreads neighbouring ids
	sampledFactors   = 61         // number of further factors tried; prime, since rows of a grid are often a power of two apart
)

// claimMultiplier returns the factor that claimLosers scores best on a sample of the batches. It
// tries goldenMultiplier, and factors that take neighbouring ids to entries 1 to 2 apart. A mesh
// in an order with much reuse is full of runs of consecutive ids. With such a factor a run does not
// collide with itself, and whether two runs collide depends on how far apart they begin. The time
// does not depend on the scene's size.
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

// claimLosers scores a factor; lower is better. It counts the indices whose ids lose, plus roundWeight for each batch
// that needs a second round.
func claimLosers(sample [][]uint32, entries, factor uint32) int {
	const roundWeight = 32
	holder := make([]uint32, entries) // by entry: 1 + the id that holds it, or 0
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
