package reuse

// claim gives a batch to a subgroup, whose ids claim the entries of a small
// table by plain stores: the last one to write an entry has it, and ids that
// lost claim again elsewhere. Every vertex of the batch is shaded once. It needs
// no atomics, no barrier but the subgroup's and, on static batches, no
// preprocessing.
var claim = Strategy{
	Name:      "claim",
	Doc:       "a subgroup's ids claim the entries of a small table, the last writer wins",
	Source:    "ours; not in the paper",
	UsesLanes: true,
	Batchings: []Batching{StaticBatching},
	DefaultBatch: func(c Config) int {
		return claimTriangles * 3 * c.Lanes
	},
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

// A lane's triangles: its ids stay in registers, and are bits of a word.
const (
	claimTriangles     = 4
	claimMostTriangles = 10
)

// claimTable is the entries of the table: half the least power of two that
// numbers all the ids of the subgroup's lanes. The batch has a fifth to a quarter
// as many vertices in a useful order; with fewer entries more ids lose, with
// more the shared memory costs more subgroups than it saves rounds.
func claimTable(c Config) int {
	triangles := (c.Batch/3 + c.Lanes - 1) / c.Lanes
	return tableOf((3*triangles*c.Lanes + 1) / 2)
}
