package reuse

// claim gives a batch to a subgroup. The ids of its lanes claim the entries of a small
// table by plain stores: the last one to write an entry wins it, and ids that lost
// claim other entries in the next round (claimRounds). Every vertex of the batch is
// shaded once. claim needs no atomics, only the subgroup's barriers and, since its
// batches are static, no preprocessing.
var claim = Strategy{
	Name:      "claim",
	Doc:       "a subgroup's ids claim the entries of a small table, the last writer wins",
	Source:    "ours; not in the paper",
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

// Triangles per lane: by default, and at most. Their ids stay in registers and are
// bits of a word.
const (
	claimTriangles     = 4
	claimMostTriangles = 10
)

// claimTable returns the entries of the table: the least power of two that is half as
// many as the subgroup's indices, or more. In a useful order a batch has a fifth to a
// quarter as many vertices as indices. With a smaller table more ids lose; a larger
// one saves fewer rounds than its shared memory costs subgroups.
func claimTable(c Config) int {
	triangles := (c.Batch/3 + c.Lanes - 1) / c.Lanes
	return tableOf((3*triangles*c.Lanes + 1) / 2)
}
