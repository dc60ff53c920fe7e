package soft

import (
	"fmt"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// This file mirrors shaders/geometry/multi*.comp and queue/assemble.comp: strategies of whole draws, whose queues have
// exactly the necessary size.

// wholeDraws runs a geometry pass of a whole-draw strategy.
func (f *frame) wholeDraws(pass *plan.Pass, op *plan.Dispatch, threads int) error {
	first := int(op.Push.FirstBatch)
	batches := f.plan.Batches[first : first+int(op.Push.BatchCount)]
	// `each` calls `work` for every batch, with the batch's number. Each thread takes runs of batches.
	each := func(work func(number uint32, b *reuse.Batch)) {
		parallel((len(batches)+batchesPerRange-1)/batchesPerRange, threads, func(run int) {
			for i := run * batchesPerRange; i < min((run+1)*batchesPerRange, len(batches)); i++ {
				work(op.Push.FirstBatch+uint32(i), &batches[i])
			}
		})
	}
	f.states[op.Push.Chunk].vertexCount = uint64(f.plan.VertexCapacity)
	name := "geometry/" + f.plan.Frame.Reuse.Strategy.Name
	switch plan.Plain(op.Shaders[0]) {
	case name:
		f.shadeDraws(op, each)
		for i := range batches {
			if op.Spec["COUNT"] != 0 {
				f.stats.Iterations++
				f.stats.LaneSlots += f.plan.Frame.Reuse.VertexLaneSlots(batches[i])
			}
		}
	case "queue/assemble":
		each(func(_ uint32, b *reuse.Batch) {
			for i, id := range f.plan.Frame.Scene.IndicesAt(b.FirstIndex, b.IndexCount, new([]uint32)) {
				f.queues.Corners[3*int(b.FirstTriangle)+i] = f.draws[b.Draw].CountOffset + id
			}
		})
	case name + "-expand":
		each(func(_ uint32, b *reuse.Batch) {
			for i, id := range f.plan.Frame.Scene.IndicesAt(b.FirstIndex, b.IndexCount, new([]uint32)) {
				place, from := 3*int(b.FirstTriangle)+i, f.draws[b.Draw].CountOffset+id
				f.queues.Positions[place], f.queues.Attributes[place] = f.scratch.Positions[from], f.scratch.Attributes[from]
			}
		})
	default:
		return fmt.Errorf("soft: pass %s: no shader %s here", pass.Name, op.Shaders[0])
	}
	return nil
}

// shadeDraws shades every vertex once and stores it in the queue or, in the expanded form, in
// scratch memory. No two batches share a vertex, so counting needs no atomics.
func (f *frame) shadeDraws(op *plan.Dispatch, each func(func(number uint32, b *reuse.Batch))) {
	s := f.newShader(op)
	to := &f.queues
	if renderer.QueueForm(op.Spec["QUEUE"]) == renderer.Expanded {
		to = &f.scratch
	}
	count := op.Spec["COUNT"]
	each(func(number uint32, b *reuse.Batch) {
		dr := &f.draws[b.Draw]
		for id := b.FirstIndex; id < b.FirstIndex+b.IndexCount; id++ {
			place := dr.CountOffset + id
			to.Positions[place], to.Attributes[place] = s.shade(dr, id, number)
			if !s.cull && count != 0 {
				f.counts[place]++
			}
		}
		if s.cull {
			f.positioned(int(b.IndexCount * count))
		}
	})
}
