package plan

import (
	"fmt"
	"time"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/bytesize"
	"github.com/shadeonce/shadeonce/renderer"
)

// Bytes of one element in the queues.
const (
	positionBytes  = 16 // clip position
	attributeBytes = 8
	recordBytes    = 8 // of a triangle of the indexed form
)

const (
	shareMargin   = 1.15    // of the vertex queue over what a sample needs
	spillMargin   = 1.05    // of the vertex queue over its fixed places
	mostTriangles = 1 << 26 // of a chunk, so that places fit 32 bits when multiplied
)

// Chunk is the part of the stream that one pass through the queues takes.
type Chunk struct {
	FirstBatch, BatchCount       int
	FirstTriangle, TriangleCount int
	WorstVertices                int // what the vertex queue needs at most
}

// Half is the half of the queues that a chunk uses, 0 or 1.
func (p *Plan) Half(chunk int) int { return chunk % p.Halves }

// cutStream cuts the whole stream into batches and chunks.
func (p *planner) cutStream() error {
	began := time.Now()
	p.Batches = reuse.Batches(p.Frame.Scene, p.Frame.Reuse)
	p.Meshlets = reuse.MakeMeshlets(p.Frame.Scene, p.Frame.Reuse, p.Batches)
	p.Batching = time.Since(began)
	err := p.cutChunks()
	p.BatchCount = len(p.Batches)
	p.countByChunk()
	return err
}

// countByChunk has the vertices of lists counted from the first of their chunk, whose
// queue they go to.
func (p *planner) countByChunk() {
	if p.Meshlets.Table == nil {
		return
	}
	for _, c := range p.Chunks {
		lists := p.Meshlets.Table[c.FirstBatch:][:c.BatchCount]
		first := lists[0].FirstVertex
		for i := range lists {
			lists[i].FirstVertex -= first
		}
	}
}

// cutChunks cuts the batches so that the queues keep to the budget: one chunk
// where that holds all, else chunks for two halves of it, which take turns. Where
// half the budget does not hold a batch, chunks follow each other through all of it.
func (p *planner) cutChunks() error {
	f := &p.Frame
	switch {
	case f.Reuse.Strategy.WholeDraws:
		p.wholeChunk()
		return nil
	case f.Fuses():
		p.chooseShare()
		return p.cutFused()
	}
	p.sumWorst()
	whole := p.chunk(0, len(p.Batches))
	p.chooseShare()
	fits := p.queueBytes(whole) <= f.QueueBudget && p.bindable(whole)
	return p.cutHalves(!fits, p.cutBudget)
}

// cutHalves cuts chunks for two halves of the budget, where these are wanted, may be
// and hold a batch; else for all of it.
func (p *planner) cutHalves(wanted bool, cut func() error) error {
	f := &p.Frame
	if wanted && !f.NoRaster && !f.OneHalf {
		p.budget, p.Halves = f.QueueBudget/2, 2
		if cut() == nil {
			return nil
		}
	}
	p.budget, p.Halves = f.QueueBudget, 1
	return cut()
}

// chooseShare guesses what share of the worst case the vertex queue needs, by a
// sample of the batches; so, of a fused frame, what lists and spilled vertices need.
// Where that is too little it overflows, and the need is known.
func (p *planner) chooseShare() {
	f := &p.Frame
	s := f.Reuse.Strategy
	p.VertexShare = 1
	switch {
	case f.Fuses():
		p.VertexShare = p.fusedShare()
	case f.Queue == renderer.Expanded, s.FixedPlaces && !s.Spills:
	case f.VertexShare != 0:
		p.VertexShare = min(1, f.VertexShare)
	case p.roomy():
	default:
		mean, most := reuse.Sample(f.Scene, f.Reuse)
		p.VertexShare = min(1, (mean+most)/2*shareMargin)
	}
}

// places is how many sixteenths of a vertex a triangle has places for in the vertex
// queue, where places are fixed: what is left of the queue is for batches that
// need more.
func (p *Plan) places() int {
	if p.VertexShare == 1 {
		return 16 * 3
	}
	return int(16 * 3 * p.VertexShare / spillMargin)
}

// SpillFirst is where the places begin in the vertex queue that batches are given
// which need more than their own.
func (p *Plan) SpillFirst(chunk int) int {
	if !p.Frame.Reuse.Strategy.Spills || p.Frame.Fuses() {
		return 0
	}
	return p.Chunks[chunk].TriangleCount * p.places() >> 4
}

// cutBudget cuts the batches into chunks of at most the budget.
func (p *planner) cutBudget() error {
	p.Chunks, p.TriangleCapacity, p.VertexCapacity = nil, 0, 0
	return p.cutBatches()
}

// cutBatches adds the chunks of Batches.
func (p *planner) cutBatches() error {
	for first := 0; first < len(p.Batches); {
		n := p.fit(first)
		if n == 0 {
			c := p.chunk(first, 1)
			return fmt.Errorf("queue budget of %s is too small: one batch of %d indices needs %s",
				bytesize.Text(p.Frame.QueueBudget), p.Frame.Reuse.Batch, bytesize.Text(p.queueBytes(c)))
		}
		c := p.chunk(first, n)
		p.Chunks = append(p.Chunks, c)
		p.TriangleCapacity = max(p.TriangleCapacity, c.TriangleCount)
		p.VertexCapacity = max(p.VertexCapacity, p.vertices(c))
		first += n
	}
	return nil
}

// fit is the largest number of batches from first that keeps to the budget.
func (p *planner) fit(first int) int {
	lo, hi := 0, len(p.Batches)-first
	for lo < hi {
		n := (lo + hi + 1) / 2
		c := p.chunk(first, n)
		if p.queueBytes(c) <= p.budget && p.bindable(c) {
			lo = n
		} else {
			hi = n - 1
		}
	}
	return lo
}

func (p *planner) bindable(c Chunk) bool {
	return c.TriangleCount <= mostTriangles && p.drawable(c) && int64(p.vertices(c))*16 <= p.limits.MaxBufferBytes && int64(c.TriangleCount)*p.triangleBytes() <= p.limits.MaxBufferBytes
}

func (p *planner) chunk(first, n int) Chunk {
	batches := p.Batches[first : first+n]
	c := Chunk{FirstBatch: first, BatchCount: n, FirstTriangle: int(batches[0].FirstTriangle)}
	last := batches[n-1]
	c.TriangleCount = int(last.FirstTriangle) + int(last.IndexCount)/3 - c.FirstTriangle
	c.WorstVertices = 3 * c.TriangleCount
	if p.Frame.Queue == renderer.Indexed {
		c.WorstVertices = p.worst[first+n] - p.worst[first]
	}
	return c
}

// sumWorst makes the prefix sum of the vertices that each batch yields at most: of
// batches with lists, what it yields.
func (p *planner) sumWorst() {
	r := p.Frame.Reuse
	p.worst = make([]int, len(p.Batches)+1)
	for i, b := range p.Batches {
		worst := 0
		if r.Strategy.Listed {
			worst = int(p.Meshlets.Table[i].VertexCount)
		} else {
			worst = r.Strategy.WorstInvocations(r, int(b.IndexCount))
		}
		p.worst[i+1] = p.worst[i] + worst
	}
}

func (p *planner) vertices(c Chunk) int {
	return max(int(p.VertexShare*float64(c.WorstVertices)), min(c.WorstVertices, p.Frame.Reuse.Strategy.MaxUnique(p.Frame.Reuse)))
}

// vertexBytes is the bytes of a vertex in the queues.
func (p *Plan) vertexBytes() int {
	if !p.hasAttributes() {
		return positionBytes
	}
	return positionBytes + attributeBytes
}

func (p *planner) queueBytes(c Chunk) int64 {
	return int64(p.vertices(c))*int64(p.vertexBytes()) + int64(c.TriangleCount)*p.triangleBytes()
}
