package reuse

// naive shades every index: the baseline without reuse, one thread per triangle (paper, section
// 3.2: statically batched naive).
var naive = Strategy{
	Name:             "naive",
	UsesLanes:        true,
	Batchings:        []Batching{StaticBatching},
	DefaultBatch:     func(c Config) int { return 3 * c.Lanes },
	MaxUnique:        func(c Config) int { return 3 * c.Lanes },
	FixedPlaces:      true,
	WorstInvocations: func(_ Config, n int) int { return n },
	SharedBytes:      func(Config, bool, int) int { return ballotBytes },
	Sifted:           func(c *Config) { c.Batch = siftedRounds * 3 * c.Lanes },
	Reference: func(c Config, batch []uint32, yield func(*Iteration)) {
		// A lane takes one triangle, so a subgroup takes 3*lanes indices at once.
		shadeEvery(3*c.Lanes, 3*c.Lanes, batch, yield)
	},
}

// ballotBytes is the size of the shared memory that shaders/include/lanes.glsl declares, used or
// not.
const ballotBytes = 24

// shadeEvery yields iterations of `width` indices, a multiple of 3, which shade every index.
// `round` is how many lanes shade at once.
func shadeEvery(width, round int, batch []uint32, yield func(*Iteration)) {
	slots := make([]uint16, width)
	for k := range slots {
		slots[k] = uint16(k)
	}
	for cStart := 0; cStart < len(batch); cStart += width {
		n := min(width, len(batch)-cStart)
		yield(shaded(batch[cStart:cStart+n], slots[:n], round))
	}
}

// togetherBytes is how many bytes of shared memory an invocation of the fused pass takes if several
// invocations draw a triangle together.
const togetherBytes = 12

// naiveIndex gives each index its own thread, whose output position follows from the index's
// position. This is the fastest form without reuse, which every strategy must beat. It is not in
// the paper.
var naiveIndex = Strategy{
	Name:             "naive-index",
	Batchings:        []Batching{StaticBatching},
	DefaultBatch:     func(c Config) int { return 3 * c.Workgroup },
	MaxUnique:        func(c Config) int { return 3 * c.Workgroup },
	FixedPlaces:      true,
	WorstInvocations: func(_ Config, n int) int { return n },
	SharedBytes:      func(c Config, _ bool, vertexBytes int) int { return min(vertexBytes, togetherBytes) * c.Workgroup },
	Together:         true,
	Sifted: func(c *Config) {
		if c.FitWorkgroup {
			c.Workgroup = 64
		}
		c.Batch = min(siftedRounds*3*c.Workgroup, MaxBatch)
	},
	Reference: func(c Config, batch []uint32, yield func(*Iteration)) {
		// Three rounds of one index per invocation, so that no triangle is split.
		shadeEvery(3*c.Workgroup, c.Workgroup, batch, yield)
	},
}
