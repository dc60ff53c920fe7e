package reuse

import (
	"fmt"
	"iter"

	"github.com/shadeonce/shadeonce/geometry"
)

// Batching says how the index stream is cut into batches.
type Batching int

// The ways to cut the stream.
const (
	StaticBatching  Batching = iota // after every Config.Batch indices, without reading them
	DynamicBatching                 // before a triangle that would exceed Config.Unique vertices or Config.Batch indices
)

// BatchingNames are the flag values, in value order.
var BatchingNames = []string{"static", "dynamic"}

func (b Batching) String() string {
	if b < 0 || int(b) >= len(BatchingNames) {
		return fmt.Sprintf("batching %d", int(b))
	}
	return BatchingNames[b]
}

// Batches cuts the indices of one draw, a triangle list, into batches, and yields them in order
// as subslices.
//
// Static batches have Config.Batch indices, the last one perhaps fewer. A dynamic batch ends before a
// triangle that would exceed Config.Unique different vertices or Config.Batch indices (paper,
// section 3.3). A Config that Check refuses has no batches.
func (c Config) Batches(indices []uint32) iter.Seq[[]uint32] {
	return func(yield func([]uint32) bool) {
		if c.Check() == nil && len(indices)%3 == 0 {
			c.batches(indices)(yield)
		}
	}
}

func (c Config) batches(indices []uint32) iter.Seq[[]uint32] {
	return func(yield func([]uint32) bool) {
		for cut := newCut(c, indices); len(cut.rest) > 0; {
			if !yield(cut.next()) {
				return
			}
		}
	}
}

// cut cuts the indices of a draw into batches. `rest` holds the indices that are in no batch yet; the
// caller may replace it.
type cut struct {
	config Config
	rest   []uint32
	seen   *idSet // the vertices of the current batch; nil for static batches
}

func newCut(c Config, indices []uint32) cut {
	made := cut{config: c, rest: indices}
	if c.Batching == DynamicBatching {
		made.seen = &idSet{}
	}
	return made
}

// next takes the next batch from the front of `rest`. It takes constant time for static batches,
// and time linear in the batch's indices for dynamic ones.
func (c *cut) next() []uint32 {
	n := min(c.config.Batch, len(c.rest))
	if c.seen != nil {
		n = c.dynamic(c.rest[:n])
	}
	batch := c.rest[:n:n]
	c.rest = c.rest[n:]
	return batch
}

// dynamic returns the length of the dynamic batch at the front of `indices`. These must be at most
// Config.Batch indices.
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

// idSet is a set of ids, numbered in order of insertion, that is cleared in constant time. It
// holds the vertices of a batch and of one more triangle. These fill at most a quarter of it, so
// that nearly every id is found at the first place probed.
type idSet struct {
	entries [1 << idSetLog]uint64 // round in the upper half, id in the lower half; an entry is in the set if its round is the current one
	slots   [1 << idSetLog]uint16 // number of each entry's id
	round   uint64
	count   int // ids in the set
}

const idSetLog = 12

// clear empties the set by beginning a new round.
func (s *idSet) clear() {
	s.count = 0
	if s.round++; s.round == 1<<32 {
		clear(s.entries[:])
		s.round = 1
	}
}

// add returns an id's number, and whether the id is new to the set.
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

// Batches cuts the index stream of a scene into batches.
func Batches(s *geometry.Scene, c Config) []Batch {
	cut := NewCutter(s, c)
	batches := make([]Batch, 0, cut.scene.IndexStreamLen()/max(1, c.Batch)+len(cut.scene.Draws))
	for b, ok := cut.Next(); ok; b, ok = cut.Next() {
		batches = append(batches, b)
	}
	return batches
}

// Cutter cuts the index stream of a scene into the same batches as Batches, one at a time, in
// memory that does not grow with the scene. It serves streams whose table of batches would be too
// large, and streams that are uploaded window by window.
type Cutter struct {
	scene    *geometry.Scene
	cut      cut      // cuts dynamic batches; its `rest` holds the current draw's remaining indices, or only the next ones of a computed mesh
	left     uint32   // indices of the current draw that are in no batch yet
	room     []uint32 // memory for the indices of a computed mesh
	draw     int      // index of the current draw; -1 at the beginning of the stream
	triangle uint32   // stream position of the next batch's first triangle
}

// NewCutter returns a Cutter at the beginning of the stream. Like Config.Batches it has no batches
// if the configuration is wrong, or if CheckScene refuses a draw's range.
func NewCutter(s *geometry.Scene, c Config) *Cutter {
	if c.Check() != nil || checkDraws(s) != nil {
		s = &geometry.Scene{}
	}
	return &Cutter{scene: s, cut: newCut(c, nil), draw: -1}
}

// Next returns the next batch of the stream; ok is false at the end. It takes constant time for
// static batches, and time linear in the batch's indices for dynamic ones.
func (c *Cutter) Next() (b Batch, ok bool) {
	for c.left == 0 {
		if c.scene == nil || c.draw+1 >= len(c.scene.Draws) {
			return Batch{}, false
		}
		c.begin(c.draw+1, 0)
	}
	d := &c.scene.Draws[c.draw]
	b = Batch{FirstIndex: d.FirstIndex + d.IndexCount - c.left, Draw: uint32(c.draw), FirstTriangle: c.triangle}
	b.IndexCount = c.take(b.FirstIndex)
	c.left -= b.IndexCount
	c.triangle += b.IndexCount / 3
	return b, true
}

// begin moves to index `at` of a draw.
func (c *Cutter) begin(draw int, at uint32) {
	c.draw, c.left = draw, c.scene.Draws[draw].IndexCount-at
	c.cut.rest = nil
}

// take takes the next batch, which begins at index `first` of the pool, and returns its length.
func (c *Cutter) take(first uint32) uint32 {
	most := min(c.left, uint32(c.cut.config.Batch))
	if c.cut.seen == nil {
		return most // static batches do not depend on the indices
	}
	if len(c.cut.rest) < int(most) {
		c.room = nil // a copy of this Cutter may still hold the old part
		c.cut.rest = c.scene.PartAt(first, c.left, &c.room)
	}
	return uint32(len(c.cut.next()))
}

// Window appends the next whole batches to a list: as many as fit the given number of triangles, but
// at least one, unless the stream is at its end.
func (c *Cutter) Window(batches []Batch, triangles int) []Batch {
	end := int(c.triangle) + triangles
	for first := true; ; first = false {
		before := *c
		b, ok := c.Next()
		if !ok {
			return batches
		}
		if !first && int(c.triangle) > end {
			*c = before
			return batches
		}
		batches = append(batches, b)
	}
}

// Triangle returns the stream position of the next batch's first triangle; at the end of the
// stream, the number of triangles.
func (c *Cutter) Triangle() int { return int(c.triangle) }

// Seek moves to the batch that begins at the given triangle of the stream, which must be 0 or an
// earlier result of Triangle. It takes time linear in the number of draws.
func (c *Cutter) Seek(triangle int) {
	c.draw, c.left, c.triangle = -1, 0, uint32(triangle)
	left := uint32(3 * triangle)
	for c.scene != nil && c.draw+1 < len(c.scene.Draws) {
		n := c.scene.Draws[c.draw+1].IndexCount
		if left < n {
			c.begin(c.draw+1, left)
			return
		}
		c.draw++
		left -= n
	}
}

// BatchesOf returns one window of the stream: the whole batches from triangle `first` on, as many
// as fit the given number of triangles, but at least one, unless the stream ends at `first`. `next`
// is the triangle at which the window ends.
//
// `first` is 0 or the `next` of another window. Consecutive windows of any sizes together give the
// same batches as Batches. BatchesOf reads the table of draws and, if batches are dynamic, the
// indices of the window. For many windows in a row, a Cutter is faster.
func BatchesOf(s *geometry.Scene, c Config, first, triangles int) (batches []Batch, next int) {
	cut := NewCutter(s, c)
	cut.Seek(first)
	batches = cut.Window(nil, triangles)
	return batches, cut.Triangle()
}

// Stream is an index stream: primitives of one or three corners. A corner is the id of the element
// to shade, such as a vertex.
type Stream struct {
	Name    string
	Indices []uint32 // a multiple of 3: Triples pads single corners
	IDs     int      // every id is less than this
}

// Triples pads a list of single corners to whole triples with copies of its last corner.
// Strategies never split a triple, and those that find repeated indices do not shade the copies
// again.
func Triples(ids []uint32) []uint32 {
	for len(ids)%3 != 0 {
		ids = append(ids, ids[len(ids)-1])
	}
	return ids
}
