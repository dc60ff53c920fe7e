package plan

import (
	"context"
	"fmt"
	"math"
	"sort"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/clock"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// Chunk is the part of the stream that one pass through the queues takes.
type Chunk struct {
	FirstBatch, BatchCount       int
	FirstTriangle, TriangleCount int
	WorstVertices                int // vertices that the vertex queue needs in the worst case
}

// Half returns the half of the queues that a chunk uses, 0 or 1.
func (p *Plan) Half(chunk int) int { return chunk % p.Halves }

// cut cuts the whole stream into batches and chunks.
func (whole) cut(p *planner) error {
	took := clock.Start()
	err := p.cutBatches()
	if err != nil {
		return err
	}
	p.Batching = took()
	err = p.plugs.sink.cutAll(p)
	p.BatchCount = len(p.Batches)
	p.countByChunk()
	return err
}

// cutBatches cuts the stream into batches and, for a strategy with meshlets, makes the meshlets. It returns the
// context's cause if planning is cancelled.
func (p *planner) cutBatches() error {
	s, c := p.Frame.Scene, p.Frame.Reuse
	const window = 1 << 18 // triangles to cut between two checks for cancellation: some milliseconds with dynamic batches
	cut := reuse.NewCutter(s, c)
	p.Batches = make([]reuse.Batch, 0, s.IndexStreamLen()/max(1, c.Batch)+len(s.Draws))
	for more := true; more; {
		if err := context.Cause(p.ctx); err != nil {
			return err
		}
		n := len(p.Batches)
		p.Batches = cut.Window(p.Batches, window)
		more = len(p.Batches) > n
	}
	p.Meshlets = reuse.MakeMeshlets(p.ctx, s, c, p.Batches)
	return context.Cause(p.ctx)
}

// countByChunk makes FirstVertex of each meshlet relative to its chunk, since the vertices go to the chunk's queue.
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

// cutHalves cuts chunks that each fit half of the queue budget, if halves are wanted, the frame is drawn without
// OneHalf, and every batch fits a half. Otherwise each chunk may take the whole budget.
func (p *planner) cutHalves(wanted bool, cut func() error) error {
	again := func(halves int) error {
		p.Halves, p.budget = halves, p.Frame.QueueBudget/int64(halves)
		p.Chunks, p.TriangleCapacity, p.VertexCapacity = nil, 0, 0
		return cut()
	}
	if wanted && p.plugs.raster.about().draws && !p.Frame.OneHalf && again(2) == nil {
		return nil
	}
	return again(1)
}

// places returns how many slots of the vertex queue are reserved per triangle, in sixteenths of a slot,
// for a strategy that spills. The rest of the queue is for batches that need more.
func (p *Plan) places() int {
	if p.VertexShare == 1 {
		return 16 * 3
	}
	return int(16 * 3 * p.VertexShare / spillMargin)
}

// SpillFirst returns the first slot of the vertex queue for batches that need more than their
// reserved slots; 0 if no slots are reserved.
func (p *Plan) SpillFirst(chunk int) int {
	if !p.Fills(VertexPositions) || !p.Frame.Reuse.Strategy.Spills {
		return 0
	}
	return p.Chunks[chunk].TriangleCount * p.places() >> 4
}

// fit returns the most batches, from `first` on, that one chunk can take: its queues must stay within the budget and the
// device's limits.
func (p *planner) fit(first int) int {
	return sort.Search(len(p.Batches)-first, func(n int) bool {
		c := p.chunk(first, n+1)
		return p.queueBytes(c) > p.budget || !p.bindable(c)
	})
}

func (p *planner) bindable(c Chunk) bool {
	return c.TriangleCount <= mostTriangles && p.drawable(c) && int64(p.vertices(c))*16 <= p.limits.MaxBufferBytes && int64(c.TriangleCount)*p.triangleBytes() <= p.limits.MaxBufferBytes
}

func (p *planner) chunk(first, n int) Chunk {
	c := p.span(first, n)
	c.WorstVertices = 3 * c.TriangleCount
	if p.Frame.Queue == renderer.Indexed {
		c.WorstVertices = p.worst[first+n] - p.worst[first]
	}
	return c
}

// span returns a chunk of n batches. It leaves WorstVertices 0, since not all sinks queue vertices.
func (p *planner) span(first, n int) Chunk {
	start, last := int(p.Batches[first].FirstTriangle), p.Batches[first+n-1]
	return Chunk{FirstBatch: first, BatchCount: n, FirstTriangle: start, TriangleCount: int(last.FirstTriangle) + int(last.IndexCount)/3 - start}
}

// sumWorst computes the prefix sums of the batches' worst-case vertex counts. With meshlets, the
// count of a batch is exact: its meshlet's number of vertices.
func (p *planner) sumWorst() {
	r := p.Frame.Reuse
	p.worst = make([]int, len(p.Batches)+1)
	for i, b := range p.Batches {
		worst := r.Strategy.WorstInvocations(r, int(b.IndexCount))
		if lists := p.Meshlets.Table; lists != nil {
			worst = int(lists[i].VertexCount)
		}
		p.worst[i+1] = p.worst[i] + worst
	}
}

func (p *planner) vertices(c Chunk) int {
	return max(int(p.VertexShare*float64(c.WorstVertices)), min(c.WorstVertices, p.Frame.Reuse.Strategy.MaxUnique(p.Frame.Reuse)))
}

// vertexBytes returns the bytes of a vertex in the queues.
func (p *Plan) vertexBytes() int {
	if !p.hasAttributes() {
		return positionBytes
	}
	return positionBytes + attributeBytes
}

func (p *planner) queueBytes(c Chunk) int64 {
	return int64(p.vertices(c))*int64(p.vertexBytes()) + int64(c.TriangleCount)*p.triangleBytes()
}

// batchesOf returns the batches of a chunk; nil if windows have them.
func (p *planner) batchesOf(chunk int) []reuse.Batch {
	if p.Batches == nil {
		return nil
	}
	c := &p.Chunks[chunk]
	return p.Batches[c.FirstBatch:][:c.BatchCount]
}

// oneDraw reports whether consecutive batches all belong to one draw.
func oneDraw(batches []reuse.Batch) bool {
	return len(batches) > 0 && batches[0].Draw == batches[len(batches)-1].Draw
}

// leastSlice is the number of triangles to which a smaller Frame.Slice is raised: the size of the largest batch.
const leastSlice = 1024

// sliceMost returns the most triangles that a pass of the geometry stage processes; 0 for no
// bound.
func (p *planner) sliceMost() int {
	if p.Frame.Slice == 0 {
		return 0
	}
	return max(p.Frame.Slice, leastSlice)
}

// slices returns the push constants of the passes for a chunk's batches: one pass, or as many as Frame.Slice requires.
// The passes share the chunk's queues. Slots depend only on the chunk, so several passes give the result of one.
func (p *planner) slices(chunk int) []shaders.ChunkPush {
	whole, most := p.push(chunk), p.sliceMost()
	if most == 0 || p.Chunks[chunk].TriangleCount <= most {
		return []shaders.ChunkPush{whole}
	}
	var list []shaders.ChunkPush
	for first := uint32(0); first < whole.BatchCount; {
		push := whole
		push.FirstBatch += first
		push.BatchCount = p.sliceLength(chunk, int(first), most)
		list = append(list, push)
		first += push.BatchCount
	}
	return list
}

// sliceLength returns how many of a chunk's batches, beginning with `first`, have at most the given
// number of triangles in all; at least one. The batches of windows are not known here, so it takes
// their average size.
func (p *planner) sliceLength(chunk, first, most int) uint32 {
	c, batches := &p.Chunks[chunk], p.batchesOf(chunk)
	if batches == nil {
		each := max(1, c.BatchCount*most/c.TriangleCount)
		return uint32(min(each, c.BatchCount-first))
	}
	batches = batches[first:]
	end := batches[0].FirstTriangle + uint32(most)
	n := sort.Search(len(batches), func(i int) bool { return batches[i].FirstTriangle+batches[i].IndexCount/3 > end })
	return uint32(max(1, n))
}

// drawMost returns the most triangles that a pass of the graphics pipeline draws; 0 for no bound.
// The pipeline draws a triangle in about half the time that the geometry stage takes for it, so the
// bound is twice that of sliceMost.
func (p *planner) drawMost() int {
	if !p.plugs.raster.about().sliced {
		return 0
	}
	return 2 * p.sliceMost()
}

// drawable reports whether the graphics pipeline may draw a chunk in one pass.
func (p *planner) drawable(c Chunk) bool {
	most := p.drawMost()
	return most == 0 || c.TriangleCount <= most
}

// roomy reports whether slices make chunks so small that their worst case fits half the budget. Then
// the vertex queue has room for the worst case: a sample predicts small chunks less well than large ones.
func (p *planner) roomy() bool {
	most := p.drawMost()
	return most > 0 && int64(most)*(int64(3*p.vertexBytes())+p.triangleBytes()) <= p.Frame.QueueBudget/2
}

// numberRange is a range of triangle numbers.
type numberRange struct{ first, count int }

// numbers returns the numbers of a chunk's triangles, by which passes know them: their positions in the stream,
// or, if Numbered is set, Numbered for each batch, of which a shorter batch leaves some unused.
func (p *Plan) numbers(chunk int) numberRange {
	c := &p.Chunks[chunk]
	if p.Numbered == 0 {
		return numberRange{c.FirstTriangle, c.TriangleCount}
	}
	return numberRange{p.Numbered * (int(p.batchNumber(chunk)) + c.FirstBatch), p.Numbered * c.BatchCount}
}

// positions returns a function from a triangle's number to its position in the stream.
func (p *Plan) positions() func(number int) int {
	if p.Numbered == 0 {
		return func(number int) int { return number }
	}
	windows := map[int][]reuse.Batch{}
	return func(number int) int {
		batch, batches := number/p.Numbered, p.Batches
		if batches == nil {
			i := sort.Search(len(p.Windows), func(i int) bool { return p.Windows[i].FirstBatch > batch }) - 1
			w := &p.Windows[i]
			if windows[i] == nil {
				windows[i] = p.windowBatches(w)
			}
			batch, batches = batch-w.FirstBatch, windows[i]
		}
		return int(batches[batch].FirstTriangle) + number%p.Numbered
	}
}

// numbersFit returns an error if the triangles' numbers do not fit the 32 bits that the visibility buffer has for them.
func numbersFit(batches, each int) error {
	if int64(batches)*int64(each) < math.MaxUint32 {
		return nil
	}
	return fmt.Errorf("raster host fused numbers triangles in 32 bits, %d for each of %d batches: too many", each, batches)
}

// VisibleTriangles decodes the lower halves of the visibility buffer's words, for Output.Visible.
func (p *Plan) VisibleTriangles(words []uint64) []uint32 {
	out, position := make([]uint32, len(words)), p.positions()
	for i, w := range words {
		if w != 0 {
			out[i] = uint32(position(int(^uint32(w)))) + 1
		}
	}
	return out
}

// VisibleTrianglesNarrow decodes the buffer VisibleTriangles of a narrow plan. The words of a chunk whose numbers are
// first to first+count-1 are first+1 to first+count, the largest for the first triangle.
func (p *Plan) VisibleTrianglesNarrow(words []uint32) []uint32 {
	out, position := make([]uint32, len(words)), p.positions()
	for i, w := range words {
		if w == 0 {
			continue
		}
		k := sort.Search(len(p.Chunks), func(chunk int) bool { n := p.numbers(chunk); return n.first+n.count >= int(w) })
		n := p.numbers(k)
		out[i] = uint32(position(2*n.first+n.count-int(w))) + 1
	}
	return out
}
