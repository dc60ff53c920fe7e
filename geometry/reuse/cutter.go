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
	cut      cut    // of the current draw
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
	for len(c.cut.rest) == 0 {
		if c.draw+1 >= len(c.scene.Draws) {
			return Batch{}, false
		}
		c.draw++
		c.cut.rest = c.scene.DrawIndices(c.draw)
	}
	d := &c.scene.Draws[c.draw]
	b = Batch{FirstIndex: d.FirstIndex + d.IndexCount - uint32(len(c.cut.rest)), Draw: uint32(c.draw), FirstTriangle: c.triangle}
	b.IndexCount = uint32(len(c.cut.next()))
	c.triangle += b.IndexCount / 3
	return b, true
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
	c.draw, c.cut.rest, c.triangle = -1, nil, uint32(triangle)
	for left := 3 * triangle; c.draw+1 < len(c.scene.Draws); left -= len(c.cut.rest) {
		c.draw++
		if c.cut.rest = c.scene.DrawIndices(c.draw); left < len(c.cut.rest) {
			c.cut.rest = c.cut.rest[left:]
			return
		}
	}
	c.cut.rest = nil
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
