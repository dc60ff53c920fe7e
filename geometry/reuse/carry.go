package reuse

// carry is subgroup voting's idea without its re-shading: the vertices of the
// iterations before stay addressable. It takes static batches, long ones, since
// what one batch knows the next does not.
//
// Exactly: a subgroup reads a round of Config.Lanes triangles, first corners,
// then second, then third. An index is found if its vertex was shaded in the
// iteration that was filling when the round began, in one of the Config.Keep
// before it, or earlier in this round; it is then not shaded again, and does not
// stay longer for having been found. Otherwise it takes the next slot. Each
// Config.Lanes slots are an iteration, whose lanes are all busy; the last of a
// batch may be short. Triangles are not split: slots are numbered through the
// batch, so that one may lie across iterations.
//
// Slots are 10 bits: in the round that could exceed them, a batch starts over as
// if it were two. With rounds of 32 triangles that takes 928 vertices, which no
// batch of 960 in a useful order has.
var carry = Strategy{
	Name:             "carry",
	Doc:              "static batches, the vertices of the last iterations stay addressable",
	Source:           "NOTES: warp with carry-over; not in the paper",
	UsesLanes:        true,
	Batchings:        []Batching{StaticBatching},
	DefaultBatch:     func(Config) int { return 960 },
	Keep:             4,
	MaxUnique:        func(c Config) int { return min(c.Batch, MaxUnique) },
	FixedPlaces:      true,
	WorstInvocations: func(_ Config, n int) int { return n },
	SharedBytes:      carrySharedBytes,
	Reference:        carryReference,
}

// carryRing is how many vertices are held, a lane: those of MaxKeep iterations
// and of the one that fills, and three more that a round may bring.
const carryRing = MaxKeep + 1 + 3

// carrySharedBytes: the ring of ids and, for assembly, of vertices; a table of
// two entries a vertex held, two words each.
func carrySharedBytes(c Config, _ bool, vertexBytes int) int {
	held := carryRing * c.Lanes
	entries, vertices := 2*held, 1
	if vertexBytes > 0 {
		vertices = held
	}
	return ballotBytes + 4*held + 2*4*entries + vertexBytes*vertices
}

// carryReference keeps the shader's local names.
func carryReference(c Config, batch []uint32, yield func(*Iteration)) {
	lanes := c.Lanes
	triangles := len(batch) / 3
	slotOf := make(map[uint32]int, min(len(batch), MaxUnique))
	unique := make([]uint32, 0, min(len(batch), MaxUnique))
	slots := make([]uint16, 0, len(batch))
	for tStart := 0; tStart < triangles; tStart += lanes {
		window := max(len(unique)/lanes-c.Keep, 0) * lanes
		here := batch[3*tStart : 3*min(tStart+lanes, triangles)]
		first := len(slots)
		slots = slots[:first+len(here)]
		for corner := range 3 {
			for k := corner; k < len(here); k += 3 {
				slot, seen := slotOf[here[k]]
				if !seen || slot < window {
					slot = len(unique)
					slotOf[here[k]] = slot
					unique = append(unique, here[k])
				}
				slots[first+k] = uint16(slot)
			}
		}
		if tStart+lanes >= triangles || len(unique)+3*lanes > MaxUnique {
			iterations := (len(unique) + lanes - 1) / lanes
			yield(&Iteration{Unique: unique, Slots: slots, LaneSlots: iterations * lanes})
			clear(slotOf)
			unique, slots = unique[:0], slots[:0]
		}
	}
}
