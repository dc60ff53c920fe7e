package reuse

// hash gives a batch to a workgroup, which enters its indices into a table in shared memory by
// compare-and-swap (paper, Algorithm 3). Every vertex of the batch is shaded once.
var hash = Strategy{
	Name:             "hash",
	Batchings:        []Batching{StaticBatching, DynamicBatching},
	DefaultBatch:     hashDefaultBatch,
	LeastBatch:       func(c Config) int { return 3 * c.Workgroup / 2 },
	Room:             2,
	Workgroup:        128,
	MaxUnique:        hashMaxUnique,
	WorstInvocations: func(c Config, n int) int { return min(n, hashMaxUnique(c)) },
	SharedBytes: func(c Config, _ bool, vertexBytes int) int {
		unique := hashMaxUnique(c)
		return 2*4*hashTable(c) + 4*unique + 8 + assemblyBytes(unique, vertexBytes)
	},
	Reference: hashReference,
}

// hashDefaultBatch returns the paper's batch if batches are dynamic. In a static batch each of the
// 128 invocations has one triangle.
func hashDefaultBatch(c Config) int {
	if c.Batching == DynamicBatching {
		return 1023
	}
	return 384
}

// hashMaxUnique returns the most vertices that a batch can have: in a static batch all indices may
// differ.
func hashMaxUnique(c Config) int {
	if c.Batching == DynamicBatching {
		return min(c.Unique, c.Batch)
	}
	return c.Batch
}

// hashTable returns the number of table entries: the least power of two with at least Config.Room
// entries per vertex that a batch may have. With a room of 1 and the paper's other parameters, the
// table has as many entries as the workgroup has invocations, as in the paper. But the last ids then
// probe almost the whole table: ids that are not consecutive collide, and each collision lengthens the
// runs that linear probing walks. A room of 2 keeps the table at most half full.
func hashTable(c Config) int { return tableOf(max(1, c.Room) * hashMaxUnique(c)) }

// tableOf returns the least power of two that is at least `entries`, and at least 4.
func tableOf(entries int) int {
	n := 4
	for n < entries {
		n *= 2
	}
	return n
}

// Table returns the number of entries of the table in shared memory; 0 for a strategy without
// one.
func (c Config) Table() int {
	switch {
	case c.Check() != nil:
	case c.Strategy.Table != nil:
		return c.Strategy.Table(c)
	case c.Strategy.Room > 0:
		return hashTable(c)
	}
	return 0
}

// hashReference is a specification, not the shader's steps: it defines which vertices a batch
// shades, and numbers them in order of first use. The shader's slots are in the order in which
// its invocations happen to enter them.
func hashReference(c Config, batch []uint32, yield func(*Iteration)) {
	slotOf := make(map[uint32]uint16, hashMaxUnique(c))
	unique := make([]uint32, 0, hashMaxUnique(c))
	slots := make([]uint16, len(batch))
	for i, id := range batch {
		slot, found := slotOf[id]
		if !found {
			slot = uint16(len(unique))
			slotOf[id] = slot
			unique = append(unique, id)
		}
		slots[i] = slot
	}
	yield(shaded(unique, slots, c.Workgroup))
}
