package reuse

import "iter"

// Run runs the strategy's reference over the indices of one draw, a triangle list.
// It yields every iteration, in order, with the number of its batch; index
// Iteration.First+k of the draw is vertex Unique[Slots[k]]. The slices of an
// iteration are valid until the next one.
//
// A strategy of whole draws (Strategy.WholeDraws) has no iterations: its Count
// says what it shades.
func (c Config) Run(indices []uint32) iter.Seq2[int, *Iteration] {
	return func(yield func(int, *Iteration) bool) {
		if c.Strategy.WholeDraws {
			return
		}
		number, first, more := 0, 0, true
		for batch := range c.Batches(indices) {
			c.Strategy.Reference(c, batch, func(it *Iteration) {
				it.First = first
				first += len(it.Slots)
				more = more && yield(number, it)
			})
			if !more {
				return
			}
			number++
		}
	}
}

// Count runs the strategy over the indices of one draw, a triangle list whose
// indices are all below vertices. It returns the draw's statistics and how often
// each of its vertices is shaded.
func (c Config) Count(indices []uint32, vertices int) (Stats, []uint32) {
	counts := make([]uint32, vertices)
	if c.Strategy.WholeDraws {
		for v := range counts {
			counts[v] = 1
		}
		st := StatsOf(indices, counts)
		c.addWholeDraw(&st)
		return st, counts
	}
	batches, iterations, laneSlots := 0, 0, 0
	for batch, it := range c.Run(indices) {
		for _, id := range it.Unique {
			counts[id]++
		}
		batches = batch + 1
		iterations++
		laneSlots += it.LaneSlots
	}
	st := StatsOf(indices, counts)
	st.Batches, st.Iterations, st.LaneSlots = batches, iterations, laneSlots
	return st, counts
}
