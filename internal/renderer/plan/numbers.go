package plan

import (
	"fmt"
	"math"
	"sort"

	"github.com/shadeonce/shadeonce/geometry/reuse"
)

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
