package reuse

import "github.com/shadeonce/shadeonce/geometry"

// cacheSizes are the entries that post-transform caches are commonly modelled
// with: 16 and 24 from the fixed-function GPUs for which the orders were made,
// 32 as Forsyth proposes for a cache of unknown size.
var cacheSizes = []ModelParams{{Entries: 16}, {Entries: 24}, {Entries: 32}}

// fifoModel evicts the vertex that was shaded first; a hit changes nothing. More
// entries can shade more (Belady's anomaly).
var fifoModel = Model{
	Name:     "fifo",
	Doc:      "one first-in first-out cache, emptied at each draw",
	Source:   "Hoppe 1999, Optimization of mesh locality for transparent vertex caching",
	Variants: cacheSizes,
	Count: func(s *geometry.Scene, p ModelParams) []uint32 {
		counts := make([]uint32, s.DrawVertices())
		stamps := make([]uint32, len(counts))
		for i, offset := range CountOffsets(s) {
			countFIFO(s.DrawIndices(i), counts[offset:], stamps[offset:], uint32(p.Entries))
		}
		return counts
	},
}

// countFIFO needs no queue: the k-th vertex shaded is still cached until entries
// more have been. stamps[id] is that k, counted from 1, and 0 before the first.
func countFIFO(indices, counts, stamps []uint32, entries uint32) {
	shaded, oldest := uint32(0), uint32(1) // oldest: least stamp still cached
	for _, id := range indices {
		if stamps[id] >= oldest {
			continue
		}
		counts[id]++
		shaded++
		stamps[id] = shaded
		if shaded > entries {
			oldest = shaded - entries + 1
		}
	}
}

// lruModel evicts the vertex whose last use is longest ago. More entries never
// shade more.
var lruModel = Model{
	Name:     "lru",
	Doc:      "one least-recently-used cache, emptied at each draw",
	Source:   "Forsyth 2006, Linear-speed vertex cache optimisation",
	Variants: cacheSizes,
	Count: func(s *geometry.Scene, p ModelParams) []uint32 {
		counts := make([]uint32, s.DrawVertices())
		cache := newLRU(p.Entries, len(counts))
		for i, offset := range CountOffsets(s) {
			cache.reset()
			for _, id := range s.DrawIndices(i) {
				if pair := offset + id; !cache.touch(pair) {
					counts[pair]++
					cache.insert(pair)
				}
			}
		}
		return counts
	},
}

// lru is a least-recently-used set of (draw, vertex) pairs, every operation in
// constant time: a circular list through its entries, from the newest on.
type lru struct {
	entries []lruEntry // those in use; 0 is no entry but where the circle closes
	entryOf []uint32   // by pair: its entry, 0 when not cached
	size    int        // entries that it may have
}

type lruEntry struct {
	newer, older uint32 // entries
	pair         uint32
}

// newLRU makes an empty cache for pairs below pairs. It never holds more entries
// than there are pairs, whatever the size.
func newLRU(size, pairs int) *lru {
	size = min(size, pairs)
	return &lru{entries: make([]lruEntry, 1, size+1), entryOf: make([]uint32, pairs), size: size}
}

// reset empties the cache, in time linear in what it holds.
func (c *lru) reset() {
	for _, e := range c.entries[1:] {
		c.entryOf[e.pair] = 0
	}
	c.entries = c.entries[:1]
	c.entries[0] = lruEntry{}
}

// touch says whether the pair is cached, and makes it the newest if so.
func (c *lru) touch(pair uint32) bool {
	e := c.entryOf[pair]
	if e == 0 {
		return false
	}
	if c.entries[0].older != e {
		c.unlink(e)
		c.linkNewest(e)
	}
	return true
}

// insert makes a pair that is not cached the newest, in place of the oldest when
// the cache is full.
func (c *lru) insert(pair uint32) {
	e := uint32(len(c.entries))
	if len(c.entries) <= c.size {
		c.entries = c.entries[:e+1]
	} else {
		e = c.entries[0].newer
		c.entryOf[c.entries[e].pair] = 0
		c.unlink(e)
	}
	c.entries[e].pair = pair
	c.entryOf[pair] = e
	c.linkNewest(e)
}

// unlink takes an entry out of the circle.
func (c *lru) unlink(e uint32) {
	newer, older := c.entries[e].newer, c.entries[e].older
	c.entries[newer].older = older
	c.entries[older].newer = newer
}

// linkNewest puts an entry that is in no circle at its newest end: entry 0's
// older is the newest, and its newer the oldest.
func (c *lru) linkNewest(e uint32) {
	newest := c.entries[0].older
	c.entries[e].newer, c.entries[e].older = 0, newest
	c.entries[newest].newer = e
	c.entries[0].older = e
}
