package reuse

import (
	"iter"
	"strings"
)

// Batching is how the index stream is cut into batches.
type Batching int

// The ways to cut it.
const (
	StaticBatching  Batching = iota // every Config.Batch indices: no index is read
	DynamicBatching                 // where the next triangle would exceed Config.Unique vertices or Config.Batch indices
)

// BatchingNames are the flag values, in value order.
var BatchingNames = []string{"static", "dynamic"}

func (b Batching) String() string { return BatchingNames[b] }

func joinNames(list []Batching) string {
	names := make([]string, len(list))
	for i, b := range list {
		names[i] = b.String()
	}
	return strings.Join(names, " or ") + " batches"
}

// Batches cuts the indices of one draw, a triangle list, into batches, and yields
// them in order as slices of it.
//
// Static batches have Config.Batch indices, the last one fewer. A dynamic batch
// ends where the next triangle would bring more than Config.Unique different
// vertices or Config.Batch indices (paper, section 3.3).
func (c Config) Batches(indices []uint32) iter.Seq[[]uint32] {
	return func(yield func([]uint32) bool) {
		for cut := newCut(c, indices); len(cut.rest) > 0; {
			if !yield(cut.next()) {
				return
			}
		}
	}
}

// cut cuts the indices of a draw. What is left of them, rest, may be replaced.
type cut struct {
	config Config
	rest   []uint32
	seen   *idSet // the vertices of the current batch; nil where batches are static
}

func newCut(c Config, indices []uint32) cut {
	made := cut{config: c, rest: indices}
	if c.Batching == DynamicBatching {
		made.seen = &idSet{}
	}
	return made
}

// next takes the next batch off the rest. A dynamic batch takes time in proportion to
// its indices; a static one constant time.
func (c *cut) next() []uint32 {
	n := min(c.config.Batch, len(c.rest))
	if c.seen != nil {
		n = c.dynamic(c.rest[:n])
	}
	batch := c.rest[:n:n]
	c.rest = c.rest[n:]
	return batch
}

// dynamic returns the length of the first dynamic batch of indices, which are at most
// Config.Batch.
func (c *cut) dynamic(indices []uint32) int {
	c.seen.clear()
	for k := 0; k+2 < len(indices); k += 3 {
		for _, id := range indices[k : k+3] {
			c.seen.add(id)
		}
		// The first triangle always fits: Unique is at least 3.
		if c.seen.count > c.config.Unique {
			return k
		}
	}
	return len(indices)
}

// idSet is a set of ids, numbered as they come, that is cleared in constant time. It
// holds the vertices of a batch and of the triangle behind it, which fill a quarter of
// it at most: nearly every id is found at its first place.
type idSet struct {
	entries [1 << idSetLog]uint64 // round in the upper half, id in the lower; in the set where the round is the current one
	slots   [1 << idSetLog]uint16 // the number of an entry's id
	round   uint64
	count   int // ids in the set
}

const idSetLog = 12

// clear begins a round.
func (s *idSet) clear() {
	s.count = 0
	if s.round++; s.round == 1<<32 {
		clear(s.entries[:])
		s.round = 1
	}
}

// add returns an id's number, and whether the id is new.
func (s *idSet) add(id uint32) (slot uint16, fresh bool) {
	const odd = 2654435769 // 2^32 over the golden ratio
	wanted := s.round<<32 | uint64(id)
	for at := id * odd >> (32 - idSetLog); ; at++ {
		at %= uint32(len(s.entries))
		e := &s.entries[at]
		if *e == wanted {
			return s.slots[at], false
		}
		if *e>>32 != s.round {
			*e, s.slots[at] = wanted, uint16(s.count)
			s.count++
			return s.slots[at], true
		}
	}
}
