package reuse

import "github.com/shadeonce/shadeonce/internal/simt"

// warp is the paper's Algorithm 1 with its pseudocode corrected. A subgroup loads a chunk of
// indices and compares each with the ids that its lanes hold; new ids take free lanes. Once every
// lane has a vertex, or the batch ends, the subgroup shades them. A triangle that does not fit is
// left for the next iteration, which begins with empty lanes, so vertices of this iteration may
// be shaded again.
//
// The paper can also be read differently: shade only the vertices of triangles that fit, and read
// on until one does not. The difference matters if there are few lanes. At 4, 8, 16, 32 and 64
// lanes the Stanford bunny in Forsyth order then has a reuse of .222, .397, .615, .715 and .754;
// with the reading used here, that of the pseudocode, .030, .368, .613, .715 and .754.
var warp = Strategy{
	Name:         "warp",
	UsesLanes:    true,
	Batchings:    []Batching{StaticBatching},
	DefaultBatch: func(c Config) int { return 3 * c.Lanes },
	MaxUnique:    func(c Config) int { return c.Lanes },
	// An iteration that does not end the batch consumes at least the whole triangles that fit its
	// lanes.
	WorstInvocations: func(c Config, n int) int {
		whole := c.Lanes - c.Lanes%3
		return n + (n/whole)*(c.Lanes%3)
	},
	SharedBytes: func(c Config, virtual bool, vertexBytes int) int {
		n := ballotBytes + 4*c.Batch + c.Lanes*(8+vertexBytes) + 8 + vertexBytes // the batch's map, ids, incoming indices and vertices
		if virtual {
			n += 4 * 3 * 4 * c.Lanes // a table of four entries per lane with three words each
		}
		return n
	},
	Reference: warpReference,
}

// warpReference is Algorithm 1 as in the paper, which votes on one index after another; the shader
// looks up a whole chunk at once and finds the same slots. Chunks are loaded only while lanes are
// free, and `failed` replaces the pseudocode's -1.
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
