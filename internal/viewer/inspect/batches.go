package inspect

import (
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// Use is a batch that shaded a vertex, and how often it did.
type Use struct {
	Batch, Times int
	At           reuse.Batch
}

// BatchesOf returns the batches of a plan that shaded a vertex of a draw, in stream
// order, by the CPU reference. It returns nil for a strategy that takes whole draws,
// and for a plan in windows, which keeps no batches (see Searches).
func BatchesOf(p *plan.Plan, draw int, vertex uint32) []Use {
	f := &p.Frame
	if p.Batchless() != "" {
		return nil
	}
	var uses []Use
	for i := firstBatch(p, draw); i < len(p.Batches) && int(p.Batches[i].Draw) == draw; i++ {
		indices := Indices(p, p.Batches[i])
		if slices.Contains(indices, vertex) {
			uses = append(uses, Use{i, timesIn(f, indices, vertex), p.Batches[i]})
		}
	}
	return uses
}

// timesIn returns how often a batch with those indices shades a vertex.
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

// firstBatch returns the first batch of a draw. Batches are in the order of draws.
func firstBatch(p *plan.Plan, draw int) int {
	i, _ := slices.BinarySearchFunc(p.Batches, uint32(draw), func(b reuse.Batch, d uint32) int { return int(b.Draw) - int(d) })
	return i
}

// Indices returns the indices of a batch.
func Indices(p *plan.Plan, b reuse.Batch) []uint32 {
	return p.Frame.Scene.IndicesAt(b.FirstIndex, b.IndexCount, new([]uint32))
}

// BatchOf returns the number of the batch that holds a triangle of a draw, or -1.
func BatchOf(p *plan.Plan, draw, triangle int) int {
	d := &p.Frame.Scene.Draws[draw]
	at := d.FirstIndex + uint32(3*triangle)
	for i := firstBatch(p, draw); i < len(p.Batches) && int(p.Batches[i].Draw) == draw; i++ {
		if b := p.Batches[i]; at >= b.FirstIndex && at < b.FirstIndex+b.IndexCount {
			return i
		}
	}
	return -1
}

// Slot is one vertex that a batch shaded.
type Slot struct {
	Iteration, Slot int
	Vertex          uint32
	Uses            int // indices in the iteration that use the slot
}

// Slots returns the vertices that a batch shaded, in order.
func Slots(p *plan.Plan, b reuse.Batch) []Slot {
	f := &p.Frame
	if p.Batchless() != "" {
		return nil
	}
	var list []Slot
	iteration := 0
	f.Reuse.Strategy.Reference(f.Reuse, Indices(p, b), func(it *reuse.Iteration) {
		first := len(list)
		for slot, id := range it.Unique {
			list = append(list, Slot{iteration, slot, id, 0})
		}
		for _, slot := range it.Slots {
			list[first+int(slot)].Uses++
		}
		iteration++
	})
	return list
}

// TimesShaded returns how often a geometry stage shaded a vertex of a draw, by the
// scene's counts.
func TimesShaded(s *geometry.Scene, counts []uint32, draw int, vertex uint32) int {
	at := vertex
	for i := range s.Draws[:draw] {
		at += s.Draws[i].VertexCount
	}
	return int(counts[at])
}

// Difference compares how often two frames of one scene shade its vertices.
type Difference struct {
	More, Less int // vertices that the right frame shades more, or less, often
	By, Saves  int // additional and saved invocations
}

// Compare counts the differences. It also returns them by the left's vertices, for a picture of
// them (renderer.Frame.Shown).
func Compare(m *geometry.Match, left, right []uint32) (d Difference, shown []uint32) {
	right = m.Counts(right)
	for i := range left {
		switch {
		case right[i] > left[i]:
			d.More, d.By = d.More+1, d.By+int(right[i]-left[i])
		case right[i] < left[i]:
			d.Less, d.Saves = d.Less+1, d.Saves+int(left[i]-right[i])
		}
	}
	return d, picture.DifferenceCounts(left, right)
}

// SameDraws reports whether two orders have the same draws: one may have a single draw while the
// other has all.
func SameDraws(a, b *geometry.Scene) bool {
	return len(a.Positions) == len(b.Positions) && slices.EqualFunc(a.Draws, b.Draws, func(a, b geometry.Draw) bool {
		return a.VertexOffset == b.VertexOffset && a.VertexCount == b.VertexCount
	})
}
