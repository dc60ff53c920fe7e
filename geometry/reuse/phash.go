package reuse

import "slices"

// phash is hash in two tiers (paper: dynamically batched parallel hashing): an invocation probes
// Config.Probes entries of the table on its own. Then its subgroup places, one after another, the
// indices that found no entry. That bounds how long lanes diverge in a full table.
var phash = Strategy{
	Name:             "phash",
	Batchings:        hash.Batchings,
	DefaultBatch:     hash.DefaultBatch,
	LeastBatch:       hash.LeastBatch,
	Probes:           4,
	Room:             hash.Room,
	Workgroup:        hash.Workgroup,
	MaxUnique:        hashMaxUnique,
	WorstInvocations: hash.WorstInvocations,
	SharedBytes: func(c Config, _ bool, vertexBytes int) int {
		unique := hashMaxUnique(c)
		return 2*4*hashTable(c) + 4*unique + 4*c.Batch + 3*4 + assemblyBytes(unique, vertexBytes)
	},
	Reference: func(c Config, batch []uint32, yield func(*Iteration)) {
		it, _ := phashReference(c, DefaultLanes, batch)
		yield(it)
	},
}

// phashReference keeps the shader's local names, and also returns how many indices the second
// tier placed. It processes the indices of one subgroup after another. The vertices that it finds
// do not depend on the number of lanes.
func phashReference(c Config, lanes int, batch []uint32) (it *Iteration, cooperated int) {
	t := phashTable{key: slices.Repeat([]uint32{noID}, hashTable(c)), slot: make([]uint16, hashTable(c))}
	entries := make([]int, len(batch))
	probe, waiting := make([]int, lanes), make([]bool, lanes)
	for first := 0; first < len(batch); first += lanes {
		id := batch[first:min(first+lanes, len(batch))]
		for lane := range id {
			probe[lane], waiting[lane] = 0, true
			for waiting[lane] && probe[lane] < min(c.Probes, len(t.key)) {
				if waiting[lane] = !t.take(t.entry(id[lane], probe[lane]), id[lane]); waiting[lane] {
					probe[lane]++
				}
			}
			if waiting[lane] {
				cooperated++
			}
		}
		t.cooperate(id, waiting[:len(id)], probe)
		for lane := range id {
			entries[first+lane] = t.entry(id[lane], probe[lane])
		}
	}
	slots := make([]uint16, len(batch))
	for i, entry := range entries {
		slots[i] = t.slot[entry]
	}
	return shaded(t.unique, slots, c.Workgroup), cooperated
}

const noID = 1<<32 - 1 // no draw has this many vertices

type phashTable struct {
	key    []uint32 // an id, or noID
	slot   []uint16 // slot of each entry's id
	unique []uint32 // ids in slot order
}

func (t *phashTable) entry(id uint32, probe int) int {
	return (int(id*2654435769>>12) + probe) & (len(t.key) - 1)
}

func (t *phashTable) take(entry int, id uint32) bool {
	held := t.key[entry]
	if held == noID {
		t.key[entry], t.slot[entry] = id, uint16(len(t.unique))
		t.unique = append(t.unique, id)
	}
	return held == noID || held == id
}

// cooperate is the second tier. Each waiting lane in turn is the leader. All lanes then probe
// consecutive entries for the leader's id, from the one at which its own probes ended.
func (t *phashTable) cooperate(id []uint32, waiting []bool, probe []int) {
	for leader := 0; leader < len(id); {
		if !waiting[leader] {
			leader++
			continue
		}
		wanted, hit := id[leader], false
		for lane := 0; lane < len(id) && !hit; lane++ {
			entry := t.entry(wanted, probe[leader])
			if hit = t.key[entry] == wanted || t.key[entry] == noID; hit {
				waiting[leader] = !t.take(entry, wanted)
			} else {
				probe[leader]++
			}
		}
		if probe[leader] >= len(t.key) {
			waiting[leader] = false // more ids than entries, which no batch has
		}
	}
}
