package reuse

// naive shades every index: the baseline without reuse, one thread a triangle.
var naive = Strategy{
	Name:             "naive",
	Doc:              "no reuse: one thread a triangle shades its three vertices",
	Source:           "paper, section 3.2, statically batched naive",
	DefaultBatch:     func(lanes int) int { return 3 * lanes },
	MaxUnique:        func(c Config) int { return 3 * c.Lanes },
	FixedPlaces:      true,
	WorstInvocations: func(_ Config, n int) int { return n },
	Reference:        naiveReference,
}

func naiveReference(c Config, batch []uint32, yield func(*Iteration)) {
	slots := make([]uint16, 3*c.Lanes)
	for k := range slots {
		slots[k] = uint16(k)
	}
	// A lane takes one triangle, so a subgroup takes 3*lanes indices at once.
	for cStart := 0; cStart < len(batch); cStart += len(slots) {
		n := min(len(slots), len(batch)-cStart)
		yield(&Iteration{
			Unique:    batch[cStart : cStart+n],
			Slots:     slots[:n],
			LaneSlots: 3 * c.Lanes,
		})
	}
}
