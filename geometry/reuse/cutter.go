package reuse

import "github.com/shadeonce/shadeonce/geometry"

// Batches cuts the index stream of a scene as the configuration says.
func Batches(s *geometry.Scene, c Config) []Batch {
	batches := make([]Batch, 0, s.IndexStreamLen()/c.Batch+len(s.Draws))
	cut := NewCutter(s, c)
	for b, ok := cut.Next(); ok; b, ok = cut.Next() {
		batches = append(batches, b)
	}
	return batches
}

// Cutter cuts the index stream of a scene into the batches of Batches, piece by
// piece, in memory that does not grow with the scene. It serves streams whose table
// of batches is too large, and streams that are uploaded window by window.
type Cutter struct {
	scene    *geometry.Scene
	cut      cut    // of the current draw; of a computed mesh, of the next part of it
	left     uint32 // indices of the current draw that no batch has yet
	room     []uint32
	draw     int    // the current draw; -1 at the beginning of the stream
	triangle uint32 // place in the stream of the next batch's first triangle
}

// NewCutter returns a Cutter at the beginning of the stream.
func NewCutter(s *geometry.Scene, c Config) *Cutter {
	return &Cutter{scene: s, cut: newCut(c, nil), draw: -1}
}

// Next returns the next batch of the stream; ok is false at the end. A dynamic batch
// takes time in proportion to its indices, a static one constant time.
func (c *Cutter) Next() (b Batch, ok bool) {
	for c.left == 0 {
		if c.draw+1 >= len(c.scene.Draws) {
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

// begin goes to an index of a draw.
func (c *Cutter) begin(draw int, at uint32) {
	c.draw, c.left = draw, c.scene.Draws[draw].IndexCount-at
	c.cut.rest = nil
	if c.scene.Computed == nil {
		c.cut.rest = c.scene.DrawIndices(draw)[at:]
	}
}

// computedPart is how many indices of a computed mesh are held at a time.
const computedPart = 3 << 14

// take returns the length of the batch that begins at an index of the pool.
func (c *Cutter) take(first uint32) uint32 {
	most := min(c.left, uint32(c.cut.config.Batch))
	if c.scene.Computed != nil {
		if c.cut.seen == nil {
			return most
		}
		if len(c.cut.rest) < int(most) {
			c.room = nil // a Cutter that was copied may still have the old part
			c.cut.rest = c.scene.IndicesAt(first, min(c.left, computedPart), &c.room)
		}
	}
	return uint32(len(c.cut.next()))
}

// Window appends whole batches, of at most so many triangles together, to a list.
// It appends at least one, whatever its size, unless the stream is at its end.
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

// Triangle is the place in the stream of the next batch's first triangle; the
// number of triangles at the stream's end.
func (c *Cutter) Triangle() int { return int(c.triangle) }

// Seek goes to the batch that begins at that triangle of the stream: 0, or an earlier
// result of Triangle. It takes time in proportion to the number of draws.
func (c *Cutter) Seek(triangle int) {
	c.draw, c.left, c.triangle = -1, 0, uint32(triangle)
	left := uint32(3 * triangle)
	for c.draw+1 < len(c.scene.Draws) {
		n := c.scene.Draws[c.draw+1].IndexCount
		if left < n {
			c.begin(c.draw+1, left)
			return
		}
		c.draw++
		left -= n
	}
}

// BatchesOf is a window of the stream: the whole batches from the one that begins
// at triangle first of the stream on, as many as have at most so many triangles
// together, but at least one. next is where they end: first of the next window,
// and the scene's number of triangles behind the last.
//
// first is 0 or the next of another window; consecutive windows of any sizes together
// are Batches. It reads the table of draws and, if batches are dynamic, the indices of
// the window. For many windows in a row, a Cutter is faster.
func BatchesOf(s *geometry.Scene, c Config, first, triangles int) (batches []Batch, next int) {
	cut := NewCutter(s, c)
	cut.Seek(first)
	batches = cut.Window(nil, triangles)
	return batches, cut.Triangle()
}
