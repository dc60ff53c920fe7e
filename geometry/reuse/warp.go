package reuse

import "github.com/shadeonce/shadeonce/geometry/simt"

// warp is the paper's Algorithm 1 with its pseudocode corrected: a subgroup
// loads a chunk of indices, votes each against the ids its lanes already hold,
// and shades once every lane has a vertex or the batch ends. A triangle that
// the last lane splits is left for the next iteration, whose lanes know nothing
// of this one: its vertices are shaded again.
//
// Shading only the vertices of triangles that fit whole, and reading on until one
// does not, matters where lanes are few: the Stanford bunny in Forsyth order has
// .222, .397, .615, .715 and .754 so at 4 to 64 lanes, and .030, .368, .613, .715
// and .754 by the pseudocode.
var warp = Strategy{
	Name:         "warp",
	Doc:          "static batches, repeated indices found by subgroup voting",
	Source:       "paper, Algorithm 1",
	UsesLanes:    true,
	Batchings:    []Batching{StaticBatching},
	DefaultBatch: func(c Config) int { return 3 * c.Lanes },
	MaxUnique:    func(c Config) int { return c.Lanes },
	// An iteration that does not end the batch consumes at least the whole
	// triangles among its lanes' vertices.
	WorstInvocations: func(c Config, n int) int {
		whole := c.Lanes - c.Lanes%3
		return n + (n/whole)*(c.Lanes%3)
	},
	SharedBytes: warpSharedBytes,
	Reference:   warpReference,
}

// warpSharedBytes: the batch's map; ids and incoming indices, vertices and, in
// a virtual subgroup, a table of four entries a lane and three words each.
func warpSharedBytes(c Config, virtual bool, vertexBytes int) int {
	n := ballotBytes + 4*c.Batch + c.Lanes*(8+vertexBytes) + 8 + vertexBytes
	if virtual {
		n += 4 * 3 * 4 * c.Lanes
	}
	return n
}

// warpReference is Algorithm 1 as the paper has it, which votes on one index after
// the other; the shader looks up a chunk at once and finds the same slots. Chunks
// are loaded only while lanes are free, and failed stands for the pseudocode's -1.
func warpReference(c Config, batch []uint32, yield func(*Iteration)) {
	lanes := c.Lanes
	myID := make([]uint32, lanes)
	assigned := make([]bool, lanes)
	failed := make([]bool, lanes)
	slotMap := make([]uint16, len(batch)+lanes)

	for cStart := 0; cStart < len(batch); {
		fill, done, offset := 0, 0, cStart
		clear(assigned)
		for offset < len(batch) && fill < lanes {
			for i := range lanes {
				if failed[i] = offset+i >= len(batch); failed[i] {
					continue
				}
				current := batch[offset+i]
				match := simt.BallotEqual(myID, assigned, current)
				if match == 0 {
					if fill == lanes {
						failed[i] = true
						continue
					}
					myID[fill], assigned[fill] = current, true
					match = 1 << fill
					fill++
				}
				slotMap[done+i] = uint16(simt.FindFirst(match, lanes))
			}
			done += simt.FindFirst(simt.Ballot(failed), lanes)
			offset += lanes
		}
		triangles := done / 3
		yield(&Iteration{Unique: myID[:fill], Slots: slotMap[:3*triangles], LaneSlots: lanes})
		cStart += 3 * triangles
	}
}
