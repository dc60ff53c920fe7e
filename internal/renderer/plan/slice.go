package plan

import (
	"sort"

	"github.com/shadeonce/shadeonce/internal/shaders"
)

// leastSlice is the smallest Frame.Slice, in triangles: that of the largest batch.
const leastSlice = 1024

// sliceMost returns the most triangles that a pass of the geometry stage processes; 0 for no
// bound.
func (p *planner) sliceMost() int {
	if p.Frame.Slice == 0 {
		return 0
	}
	return max(p.Frame.Slice, leastSlice)
}

// slices returns the pushes of the passes for a chunk's batches: one, or as many as Frame.Slice
// requires. They share the chunk's queues. Slots depend only on the chunk, so the passes leave
// the same as one pass would.
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

// sliceLength returns how many batches of a chunk, from a given one on, have at most that many
// triangles together; at least one. For windows' batches only the mean is known.
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
// A triangle takes it about half the time that it takes the geometry stage.
func (p *planner) drawMost() int {
	if !p.plugs.raster.about().sliced {
		return 0
	}
	return 2 * p.sliceMost()
}

// drawable reports whether the graphics pipeline may draw a chunk, which it does in one pass.
func (p *planner) drawable(c Chunk) bool {
	most := p.drawMost()
	return most == 0 || c.TriangleCount <= most
}

// roomy reports whether slices make chunks so small that their worst case fits the budget: small
// chunks differ more from a sample than large ones.
func (p *planner) roomy() bool {
	most := p.drawMost()
	return most > 0 && int64(most)*(int64(3*p.vertexBytes())+p.triangleBytes()) <= p.Frame.QueueBudget/2
}
