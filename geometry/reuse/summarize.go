package reuse

import (
	"sync"

	"github.com/shadeonce/shadeonce/geometry"
)

// DrawSum is what a strategy did in one draw.
type DrawSum struct{ Invocations, Referenced int }

// Summarize runs the reference over the whole scene, as Analyze does, and yields
// the same statistics, and a sum a draw in place of the counts of all vertices.
//
// Memory is a byte a vertex of the largest draw, and does not grow with the
// stream: batches are cut as they are needed, and a draw's counts are folded into
// the histogram when it is done. (It cannot be before: any vertex of a draw may be
// shaded again up to its last index.) Vertices that are shaded 127 times and more
// take an entry of a map each, so that there is less than one in 127 indices.
// Draws over the same ranges do the same, and so are run once. Large draws run on
// all cores.
func Summarize(s *geometry.Scene, c Config) (Stats, []DrawSum) {
	t := tally{
		config: c, cut: NewCutter(s, c),
		st: Stats{Draws: len(s.Draws), Vertices: s.DrawVertices(), Triangles: s.Triangles(), Indices: s.IndexStreamLen()},
	}
	sums := oncePerShape(s, func(i, times int) DrawSum {
		return t.draw(&geometry.Scene{Indices: s.Indices, Draws: s.Draws[i : i+1]}, times)
	})
	if t.st.Histogram == nil {
		t.st.Histogram = []int{0}
	}
	return t.st, sums
}

// drawShape is what the counts of a draw follow from: where its vertices lie does
// not matter.
type drawShape struct{ firstIndex, indexCount, vertexCount uint32 }

func shapeOf(d *geometry.Draw) drawShape {
	return drawShape{d.FirstIndex, d.IndexCount, d.VertexCount}
}

// oncePerShape runs the first draw of every shape, which is told how many there are,
// and returns what came out for each draw.
func oncePerShape[T any](s *geometry.Scene, run func(draw, times int) T) []T {
	times := make(map[drawShape]int)
	for i := range s.Draws {
		times[shapeOf(&s.Draws[i])]++
	}
	done := make(map[drawShape]T, len(times))
	list := make([]T, len(s.Draws))
	for i := range s.Draws {
		shape := shapeOf(&s.Draws[i])
		result, known := done[shape]
		if !known {
			result = run(i, times[shape])
			done[shape] = result
		}
		list[i] = result
	}
	return list
}

// ReferencedOf is how many vertices of each draw an index names, in memory of a
// bit a vertex of the largest draw.
func ReferencedOf(s *geometry.Scene) []int {
	var seen []uint64
	return oncePerShape(s, func(i, _ int) (n int) {
		seen = cleared(seen, (int(s.Draws[i].VertexCount)+63)/64)
		for _, id := range s.DrawIndices(i) {
			if word, bit := &seen[id/64], uint64(1)<<(id%64); *word&bit == 0 {
				*word |= bit
				n++
			}
		}
		return n
	})
}

// cleared is a list of n zeros, in the memory of another where that is large enough.
func cleared[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// tally sums up what a strategy does, draw by draw.
type tally struct {
	config Config
	cut    *Cutter
	st     Stats
	counts []uint8           // of the draw at hand, at most countMost, with named
	more   map[uint32]uint32 // what is beyond countMost
}

// named is set in the count of a vertex that an index names.
const (
	named     = 1 << 7
	countMost = named - 1
)

// tallyWindow is how many triangles a core takes at a time. Draws of no more run
// on one core.
const tallyWindow = 1 << 14

// draw runs the one draw of a scene, which is there so many times.
func (t *tally) draw(s *geometry.Scene, times int) DrawSum {
	d := &s.Draws[0]
	t.counts, t.more = cleared(t.counts, int(d.VertexCount)), map[uint32]uint32{}
	before := t.st.Invocations
	if t.config.Strategy.WholeDraws {
		t.whole(s, times)
	}
	t.cut.scene = s
	t.cut.Seek(0)
	var lock sync.Mutex
	geometry.OnAllCores((s.Triangles()+tallyWindow-1)/tallyWindow, func() {
		var own Stats
		var window []Batch
		var shaded []uint32
		for {
			lock.Lock()
			t.count(s.Indices, window, shaded)
			window, shaded = t.cut.Window(window[:0], tallyWindow), shaded[:0]
			lock.Unlock()
			if len(window) == 0 {
				break
			}
			own.Batches += len(window)
			shaded = t.run(s.Indices, window, shaded, &own)
		}
		lock.Lock()
		defer lock.Unlock()
		t.st.Batches += own.Batches * times
		t.st.Iterations += own.Iterations * times
		t.st.LaneSlots += own.LaneSlots * times
	})
	referenced := t.fold(times)
	t.st.Referenced += referenced * times
	return DrawSum{(t.st.Invocations - before) / times, referenced}
}

// run lists what batches of the draw shade. Counting waits for the lock: an atomic
// addition a vertex costs more than the list.
func (t *tally) run(indices []uint32, window []Batch, shaded []uint32, own *Stats) []uint32 {
	if t.config.Strategy.WholeDraws {
		return shaded
	}
	for _, b := range window {
		t.config.Strategy.Reference(t.config, indices[b.FirstIndex:b.FirstIndex+b.IndexCount], func(it *Iteration) {
			shaded = append(shaded, it.Unique...)
			own.Iterations++
			own.LaneSlots += it.LaneSlots
		})
	}
	return shaded
}

// count counts what batches have shaded and named.
func (t *tally) count(indices []uint32, window []Batch, shaded []uint32) {
	for _, id := range shaded {
		if t.counts[id]&countMost < countMost {
			t.counts[id]++
		} else {
			t.more[id]++
		}
	}
	for _, b := range window {
		for _, id := range indices[b.FirstIndex : b.FirstIndex+b.IndexCount] {
			t.counts[id] |= named
		}
	}
}

// whole shades every vertex of the draw once, as analyzeWholeDraws does.
func (t *tally) whole(s *geometry.Scene, times int) {
	for v := range t.counts {
		t.counts[v] = 1
	}
	size := uint32(t.config.Strategy.MaxUnique(t.config))
	for left := s.Draws[0].VertexCount; left > 0; {
		b := Batch{IndexCount: min(size, left)}
		t.st.Batches += times
		t.st.Iterations += times
		t.st.LaneSlots += t.config.VertexLaneSlots(b) * times
		left -= b.IndexCount
	}
}

// fold adds the draw's counts to the histogram and tells how many vertices it
// names.
func (t *tally) fold(times int) (referenced int) {
	for id, count := range t.counts {
		isNamed, n := count&named != 0, uint32(count&countMost)
		if n == countMost {
			n += t.more[uint32(id)]
		}
		t.st.Invocations += int(n) * times
		at := int(min(n, histogramCap))
		for len(t.st.Histogram) <= at {
			t.st.Histogram = append(t.st.Histogram, 0)
		}
		if isNamed {
			referenced++
			t.st.Histogram[at] += times
		}
	}
	return referenced
}
