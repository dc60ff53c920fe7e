package model

import "sort"

// parallel is the cache that the paper compares its batches with: one LRU per multiprocessor,
// which shades in waves of InFlight invocations. A wave's results reach the cache when the wave
// ends, so repeated indices within a wave are all shaded.
//
// The paper leaves details open, which we read as follows. An entry is 32 bytes (its 16, 32 and
// 64 KB are 512, 1024 and 2048 entries). An index that hits takes no place in a wave and
// refreshes its entry at once. A wave ends when it has InFlight invocations or at the end of the
// multiprocessor's stream, but not at the end of a draw. Partition says how the stream is dealt.
// For the sphere in Forsyth order the paper has a reuse of .063 / .065 / .069 at these sizes:
// PartitionRange gives .065 / .068 / .068, PartitionDealt .052 at each size, and a single
// multiprocessor that takes the whole stream .073 / .080 / .086.
var parallel = Model{
	Name:   "parallel",
	Doc:    "an LRU per multiprocessor, 32 bytes per entry, in which a wave of invocations cannot find its own results",
	Source: "paper, section 5.1 and table 1",
	Variants: []Params{
		parallelParams(512, PartitionRange), parallelParams(1024, PartitionRange), parallelParams(2048, PartitionRange),
		parallelParams(512, PartitionDealt), parallelParams(1024, PartitionDealt), parallelParams(2048, PartitionDealt),
	},
	stream: func(p Params, s pairStream, counts []uint32) {
		w := wave{cache: newLRUSet(p.Entries, make([]uint32, len(counts))), counts: counts, limit: p.InFlight}
		// Multiprocessors share nothing, so they can be simulated one after another.
		for mp := range p.Multiprocessors {
			w.cache.reset()
			p.eachSpan(mp, s.length, func(lo, hi int) { s.each(lo, hi, w.shade) })
			w.end()
		}
	},
}

// parallelParams are the parameters of the paper's GTX 1080 Ti.
func parallelParams(entries int, partition Partition) Params {
	return Params{Entries: entries, Multiprocessors: 28, InFlight: 1024, Partition: partition}
}

const dealtWaves = 3 // the number of indices per chunk of PartitionDealt, in units of InFlight

// eachSpan yields, in order, the spans [lo, hi) that multiprocessor `mp` processes of an index
// stream with `length` indices. All spans hold whole triangles.
func (p Params) eachSpan(mp, length int, yield func(lo, hi int)) {
	if p.Partition == PartitionRange {
		triangles := length / 3
		yield(3*(triangles*mp/p.Multiprocessors), 3*(triangles*(mp+1)/p.Multiprocessors))
		return
	}
	chunk := dealtWaves * p.InFlight
	for lo := mp * chunk; lo < length; lo += p.Multiprocessors * chunk {
		yield(lo, min(lo+chunk, length))
	}
}

// wave is the work in flight on one multiprocessor.
type wave struct {
	cache  *lruSet
	counts []uint32 // shading counts by pair
	shaded []uint32 // pairs in flight, in stream order
	limit  int      // most invocations in flight
}

// shade looks up the pairs offset+id in order, and shades those that are not in the cache.
func (w *wave) shade(offset uint32, ids []uint32) {
	for _, id := range ids {
		pair := offset + id
		if w.cache.touch(pair) {
			continue
		}
		w.counts[pair]++
		if w.shaded = append(w.shaded, pair); len(w.shaded) == w.limit {
			w.end()
		}
	}
}

// end adds the wave's results to the cache in stream order.
func (w *wave) end() {
	for _, pair := range w.shaded {
		if !w.cache.touch(pair) {
			w.cache.insert(pair)
		}
	}
	w.shaded = w.shaded[:0]
}

// pairStream is the index stream of all draws, one after the other.
type pairStream struct {
	draws   [][]uint32 // indices by draw
	offsets []uint32   // by draw: its first pair
	starts  []int      // by draw: stream position of its first index
	length  int        // number of indices
}

// add appends a draw whose first pair is `offset`.
func (p *pairStream) add(indices []uint32, offset uint32) {
	p.draws, p.offsets, p.starts = append(p.draws, indices), append(p.offsets, offset), append(p.starts, p.length)
	p.length += len(indices)
}

// each yields the stream positions [lo, hi) draw by draw: the draw's first pair, and the vertex ids
// at those positions, relative to that pair.
func (p pairStream) each(lo, hi int, yield func(offset uint32, ids []uint32)) {
	draw := sort.SearchInts(p.starts, lo+1) - 1
	for ; lo < hi; draw++ {
		from := lo - p.starts[draw]
		to := min(len(p.draws[draw]), from+hi-lo)
		yield(p.offsets[draw], p.draws[draw][from:to])
		lo += to - from
	}
}
