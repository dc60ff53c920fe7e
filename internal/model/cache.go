package model

// ideal shades every referenced vertex of a draw once, which no cache can beat.
var ideal = Model{
	Name:     "ideal",
	Doc:      "every referenced vertex of a draw is shaded once: a cache without end or delay",
	Source:   "paper, section 5.1",
	Variants: []Params{{}},
	draw: func(_ Params, indices, counts, _ []uint32) {
		for _, id := range indices {
			counts[id] = 1
		}
	},
}

// cacheSizes are the usual sizes of modelled post-transform caches, in entries. Fixed-function GPUs,
// for which the index orders were made, had 16 and 24. Forsyth proposes 32 for a cache of unknown
// size.
var cacheSizes = []Params{{Entries: 16}, {Entries: 24}, {Entries: 32}}

// fifo evicts the vertex that was shaded earliest; a hit changes nothing. With more entries it
// can shade more often (Belady's anomaly).
var fifo = Model{
	Name:     "fifo",
	Doc:      "one first-in first-out cache, emptied at each draw",
	Source:   "Hoppe 1999, Optimization of mesh locality for transparent vertex caching",
	Variants: cacheSizes,
	draw:     countFIFO,
}

// countFIFO needs no queue: the k-th vertex shaded stays cached until p.Entries more have been
// shaded. stamps[id] is the k, counted from 1, at which id was last shaded, or 0 if it never was.
func countFIFO(p Params, indices, counts, stamps []uint32) {
	entries := uint32(p.Entries)
	shaded, oldest := uint32(0), uint32(1) // oldest is the least stamp still cached
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

// lru evicts the least recently used vertex. With more entries it never shades more often.
var lru = Model{
	Name:     "lru",
	Doc:      "one least-recently-used cache, emptied at each draw",
	Source:   "Forsyth 2006, Linear-speed vertex cache optimisation",
	Variants: cacheSizes,
	draw: func(p Params, indices, counts, memory []uint32) {
		cache := newLRUSet(p.Entries, memory)
		for _, id := range indices {
			if !cache.touch(id) {
				counts[id]++
				cache.insert(id)
			}
		}
	},
}

// lruSet is a least-recently-used set of (draw, vertex) pairs with constant-time operations: a
// circular list through its entries, newest first.
type lruSet struct {
	entries []lruEntry // entries in use; entry 0 only closes the circle
	entryOf []uint32   // by pair: its entry, or 0 if it is not cached
	size    int        // most entries it may have
}

type lruEntry struct {
	newer, older uint32 // neighbouring entries in the circle
	pair         uint32
}

// newLRUSet makes an empty cache for pairs below len(entryOf); entryOf must be
// all zero. It never holds more entries than there are pairs, whatever the size.
func newLRUSet(size int, entryOf []uint32) *lruSet {
	size = min(size, len(entryOf))
	return &lruSet{entries: make([]lruEntry, 1, size+1), entryOf: entryOf, size: size}
}

// reset empties the cache, in time linear in its size.
func (c *lruSet) reset() {
	for _, e := range c.entries[1:] {
		c.entryOf[e.pair] = 0
	}
	c.entries = c.entries[:1]
	c.entries[0] = lruEntry{}
}

// touch reports whether the pair is cached, and if so makes it the newest.
func (c *lruSet) touch(pair uint32) bool {
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

// insert adds a pair, which must not be cached yet, as the newest. If the cache is full, it evicts
// the oldest.
func (c *lruSet) insert(pair uint32) {
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

// unlink removes an entry from the circle.
func (c *lruSet) unlink(e uint32) {
	newer, older := c.entries[e].newer, c.entries[e].older
	c.entries[newer].older = older
	c.entries[older].newer = newer
}

// linkNewest inserts an entry at the circle's newest end: entry 0's older neighbour is the newest
// entry, and its newer neighbour the oldest.
func (c *lruSet) linkNewest(e uint32) {
	newest := c.entries[0].older
	c.entries[e].newer, c.entries[e].older = 0, newest
	c.entries[newest].newer = e
	c.entries[0].older = e
}
