package reuse

import "github.com/shadeonce/shadeonce/geometry"

// Cutter cuts the index stream of a scene into the batches of Batches, piece by
// piece, in memory that does not grow with the scene: for streams whose table of
// batches is too large, or that are uploaded window by window.
type Cutter struct {
	scene    *geometry.Scene
	config   Config
	draw     int    // that the next batch lies in, unless at is its end
	at       uint32 // the next batch's first index, in the draw
	triangle uint32 // and its place in the whole stream
	seen     *idSet // of the batch at hand, where batches are dynamic
}

// NewCutter stands at the beginning of the stream.
func NewCutter(s *geometry.Scene, c Config) *Cutter {
	cut := &Cutter{scene: s, config: c}
	if c.Batching == DynamicBatching {
		cut.seen = &idSet{}
	}
	return cut
}

// Next is the next batch of the stream; not ok at its end. It takes time in
// proportion to the batch, where the indices must be read, else none.
func (c *Cutter) Next() (b Batch, ok bool) {
	draws := c.scene.Draws
	for c.draw < len(draws) && c.at == draws[c.draw].IndexCount {
		c.draw++
		c.at = 0
	}
	if c.draw == len(draws) {
		return Batch{}, false
	}
	d := &draws[c.draw]
	n := min(uint32(c.config.Batch), d.IndexCount-c.at)
	if c.config.Batching == DynamicBatching {
		n = uint32(c.dynamic(c.scene.Indices[d.FirstIndex+c.at:][:n]))
	}
	b = Batch{FirstIndex: d.FirstIndex + c.at, IndexCount: n, Draw: uint32(c.draw), FirstTriangle: c.triangle}
	c.at += n
	c.triangle += n / 3
	return b, true
}

// dynamic is the length of the batch that begins the indices, of which there are
// no more than a batch may have.
func (c *Cutter) dynamic(indices []uint32) int {
	c.seen.clear()
	unique := 0
	for k := 0; k+2 < len(indices); k += 3 {
		for _, id := range indices[k : k+3] {
			if c.seen.add(id) {
				unique++
			}
		}
		// The first triangle always fits: c.Unique is at least 3.
		if unique > c.config.Unique {
			return k
		}
	}
	return len(indices)
}

// Window appends whole batches, of at most so many triangles together, to a list.
// It appends one at least, whatever its size, unless the stream is at its end.
func (c *Cutter) Window(batches []Batch, triangles int) []Batch {
	end := int(c.triangle) + triangles
	for first := true; ; first = false {
		before := *c
		b, ok := c.Next()
		if !ok {
			return batches
		}
		if !first && int(c.triangle) > end {
			c.draw, c.at, c.triangle = before.draw, before.at, before.triangle
			return batches
		}
		batches = append(batches, b)
	}
}

// Triangle is the place in the stream of the next batch's first triangle; the
// number of triangles at the stream's end.
func (c *Cutter) Triangle() int { return int(c.triangle) }

// Seek goes to the batch that begins at that triangle of the stream: 0, or what
// Triangle has been. It takes time in proportion to the draws.
func (c *Cutter) Seek(triangle int) {
	c.draw, c.at, c.triangle = 0, 0, uint32(triangle)
	for left := 3 * triangle; c.draw < len(c.scene.Draws); c.draw++ {
		count := int(c.scene.Draws[c.draw].IndexCount)
		if left < count {
			c.at = uint32(left)
			return
		}
		left -= count
	}
}

// BatchesOf is a window of the stream: the whole batches from the one that begins
// at triangle first of the stream on, as many as have at most so many triangles
// together, but at least one. next is where they end: first of the window behind
// it, and the scene's number of triangles behind the last.
//
// first is 0 or the next of another window; windows of whatever sizes, one
// behind the other, are Batches. Nothing else is read than the indices of the
// window, none where batches are static, and the table of draws. Who takes window
// after window keeps a Cutter.
func BatchesOf(s *geometry.Scene, c Config, first, triangles int) (batches []Batch, next int) {
	cut := NewCutter(s, c)
	cut.Seek(first)
	batches = cut.Window(nil, triangles)
	return batches, cut.Triangle()
}

// idSet is a set of ids, whatever their values, that is cleared at once. It holds
// the vertices of a batch and of the triangle behind it, and with those is a
// quarter full at most: nearly every id is found at its first place.
type idSet struct {
	entries [1 << idSetLog]uint64 // round in the upper half, id in the lower; of the set where the round is the set's
	round   uint64
}

const idSetLog = 12

// clear begins a round.
func (s *idSet) clear() {
	if s.round++; s.round == 1<<32 {
		clear(s.entries[:])
		s.round = 1
	}
}

// add says whether the id is new.
func (s *idSet) add(id uint32) bool {
	const odd = 2654435769 // 2^32 over the golden ratio
	wanted := s.round<<32 | uint64(id)
	for at := id * odd >> (32 - idSetLog); ; at++ {
		e := &s.entries[at%uint32(len(s.entries))]
		if *e == wanted {
			return false
		}
		if *e>>32 != s.round {
			*e = wanted
			return true
		}
	}
}
