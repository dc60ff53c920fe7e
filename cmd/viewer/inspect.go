package main

import (
	"slices"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// batchUse is a batch that shaded a vertex, and how often.
type batchUse struct{ batch, times int }

// mostUses is how many batches are named that shaded a vertex.
const mostUses = 8

// batchesOf are the batches of a plan that shaded a vertex of a draw, in stream
// order, by the reference: nil for a strategy that takes whole draws, whose
// vertices belong to no batch of triangles, and where the plan keeps no batches,
// since the device does not hold the scene at once: see batchSearch.
func batchesOf(p *plan.Plan, draw int, vertex uint32) []batchUse {
	f := &p.Frame
	if f.Reuse.Strategy.WholeDraws {
		return nil
	}
	var uses []batchUse
	for i := firstBatch(p, draw); i < len(p.Batches) && int(p.Batches[i].Draw) == draw; i++ {
		indices := batchIndices(p, i)
		if slices.Contains(indices, vertex) {
			uses = append(uses, batchUse{i, timesIn(f, indices, vertex)})
		}
	}
	return uses
}

// timesIn is how often the batch of those indices shades a vertex.
func timesIn(f *renderer.Frame, indices []uint32, vertex uint32) (times int) {
	f.Reuse.Strategy.Reference(f.Reuse, indices, func(it *reuse.Iteration) {
		for _, id := range it.Unique {
			if id == vertex {
				times++
			}
		}
	})
	return times
}

// firstBatch is the first batch of a draw; batches lie in the order of draws.
func firstBatch(p *plan.Plan, draw int) int {
	i, _ := slices.BinarySearchFunc(p.Batches, uint32(draw), func(b reuse.Batch, d uint32) int { return int(b.Draw) - int(d) })
	return i
}

func batchIndices(p *plan.Plan, batch int) []uint32 { return indicesOf(p, p.Batches[batch]) }

func indicesOf(p *plan.Plan, b reuse.Batch) []uint32 {
	return p.Frame.Scene.Indices[b.FirstIndex : b.FirstIndex+b.IndexCount]
}

// batchOf is the batch that holds a triangle of a draw; -1 for none.
func batchOf(p *plan.Plan, draw, triangle int) int {
	d := &p.Frame.Scene.Draws[draw]
	at := d.FirstIndex + uint32(3*triangle)
	for i := firstBatch(p, draw); i < len(p.Batches) && int(p.Batches[i].Draw) == draw; i++ {
		if b := p.Batches[i]; at >= b.FirstIndex && at < b.FirstIndex+b.IndexCount {
			return i
		}
	}
	return -1
}

// batchSlot is one vertex that a batch shaded.
type batchSlot struct {
	iteration, slot int
	vertex          uint32
	uses            int // indices of the iteration that name the slot
}

// batchSlots are the vertices that a batch shaded, in the order in which it did.
func batchSlots(p *plan.Plan, b reuse.Batch) []batchSlot {
	f := &p.Frame
	if f.Reuse.Strategy.WholeDraws {
		return nil
	}
	var list []batchSlot
	iteration := 0
	f.Reuse.Strategy.Reference(f.Reuse, indicesOf(p, b), func(it *reuse.Iteration) {
		first := len(list)
		for slot, id := range it.Unique {
			list = append(list, batchSlot{iteration, slot, id, 0})
		}
		for _, slot := range it.Slots {
			list[first+int(slot)].uses++
		}
		iteration++
	})
	return list
}

// timesShaded is how often a side's geometry stage shaded a vertex of a draw.
func (d *side) timesShaded(draw int, vertex uint32) int {
	if d.offsets == nil || d.offsetsOf != d.plan {
		d.offsets, d.offsetsOf = reuse.CountOffsets(d.plan.Frame.Scene), d.plan
	}
	return int(d.counts[d.offsets[draw]+vertex])
}
