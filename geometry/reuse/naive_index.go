package reuse

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
	SharedBytes:      func(Config, bool, int) int { return 0 },
	Sifted:           siftedNaiveIndex,
	Reference:        naiveIndexReference,
}

func siftedNaiveIndex(c *Config) {
	if c.FitWorkgroup {
		c.Workgroup = 64
	}
	c.Batch = min(siftedRounds*3*c.Workgroup, MaxBatch)
}

func naiveIndexReference(c Config, batch []uint32, yield func(*Iteration)) {
	// Three rounds of the workgroup hold whole triangles.
	shadeEvery(3*c.Workgroup, c.Workgroup, batch, yield)
}
