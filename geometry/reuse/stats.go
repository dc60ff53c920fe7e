package reuse

import (
	"cmp"
	"slices"
	"sync"

	"github.com/shadeonce/shadeonce/internal/base/cores"
)

// Stats describes how often the vertices of one or several draws were shaded. A vertex is a
// (draw, vertex) pair throughout: two draws of one mesh shade each of its vertices at least twice
// in all.
type Stats struct {
	Draws       int
	Vertices    int // (draw, vertex) pairs, referenced or not
	Referenced  int // pairs that at least one index of their draw references
	Triangles   int
	Indices     int
	Invocations int // how often the vertex shader ran

	Batches    int // 0 if only counts were read back; so are the next two fields
	Iterations int // rounds of shading
	LaneSlots  int // lanes occupied over all rounds of shading, including idle ones

	Histogram []int // Histogram[i]: referenced vertices shaded i times
}

// histogramCap is the last entry of a histogram: it counts the vertices that were shaded at least
// that often. It bounds the histogram's length, since a count can be as large as the index
// stream.
const histogramCap = 1 << 16

// StatsOf derives the statistics of one draw from its indices and its shading
// counts, one per vertex. Indices beyond the counts are an error.
func StatsOf(indices, counts []uint32) (Stats, error) {
	named := make([]bool, len(counts))
	if err := name(named, indices); err != nil {
		return Stats{}, err
	}
	return statsOf(len(indices), named, counts), nil
}

// name marks each vertex that an index references.
func name(named []bool, indices []uint32) error {
	for k, id := range indices {
		if int(id) >= len(named) {
			return badIndex(k, id, len(named))
		}
		named[id] = true
	}
	return nil
}

// statsOf computes StatsOf for a known number of indices, which reference the vertices that `named`
// marks.
func statsOf(indices int, named []bool, counts []uint32) Stats {
	st := newStats(indices, len(counts))
	for v, n := range counts {
		st.addVertex(n, named[v])
	}
	return st
}

// newStats returns the statistics of a draw before its vertices are added.
func newStats(indices, vertices int) Stats {
	return Stats{Draws: 1, Vertices: vertices, Triangles: indices / 3, Indices: indices, Histogram: []int{0}}
}

// addVertex adds a vertex that was shaded n times; named reports whether an index references it.
func (s *Stats) addVertex(n uint32, named bool) {
	s.Invocations += int(n)
	at := int(min(n, histogramCap))
	for len(s.Histogram) <= at {
		s.Histogram = append(s.Histogram, 0)
	}
	if named {
		s.Referenced++
		s.Histogram[at]++
	}
}

// Add adds the statistics of a draw, multiplied by the number of times that it occurs.
func (s *Stats) Add(draw Stats, times int) {
	s.Draws += draw.Draws * times
	s.Vertices += draw.Vertices * times
	s.Referenced += draw.Referenced * times
	s.Triangles += draw.Triangles * times
	s.Indices += draw.Indices * times
	s.Invocations += draw.Invocations * times
	s.Batches += draw.Batches * times
	s.Iterations += draw.Iterations * times
	s.LaneSlots += draw.LaneSlots * times
	if missing := len(draw.Histogram) - len(s.Histogram); missing > 0 {
		s.Histogram = append(s.Histogram, make([]int, missing)...)
	}
	for i, n := range draw.Histogram {
		s.Histogram[i] += n * times
	}
}

// Culled returns the statistics of a frame that shaded vertices only for the `left` triangles that
// culling kept. Its ratios are over those triangles and their vertices. Otherwise a culled triangle
// that was never shaded would count as reuse.
func (s Stats) Culled(left int) Stats {
	s.Triangles, s.Indices = left, 3*left
	if len(s.Histogram) == 0 {
		return s
	}
	s.Referenced -= s.Histogram[0]
	s.Histogram = slices.Clone(s.Histogram)
	s.Histogram[0] = 0
	return s
}

// Reuse is 1 - invocations / indices: the share of shader runs that were saved
// (paper, section 5). It is negative where a strategy shades more than once per
// index.
func (s Stats) Reuse() float64 { return 1 - float64(s.Invocations)/float64(s.Indices) }

// Ideal is the reuse of shading every referenced vertex once.
func (s Stats) Ideal() float64 { return 1 - float64(s.Referenced)/float64(s.Indices) }

// ACMR is the average cache miss ratio: invocations per triangle, 3 without
// reuse.
func (s Stats) ACMR() float64 { return float64(s.Invocations) / float64(s.Triangles) }

// ATVR is the average transform to vertex ratio: invocations per referenced
// vertex, 1 at best.
func (s Stats) ATVR() float64 { return float64(s.Invocations) / float64(s.Referenced) }

// LaneUtilization is the share of lanes that had a vertex to shade; 0 if it was not recorded.
func (s Stats) LaneUtilization() float64 {
	if s.LaneSlots == 0 {
		return 0
	}
	return float64(s.Invocations) / float64(s.LaneSlots)
}

// summary adds up a strategy's work on one draw after another. The draws share its memory: a byte
// per vertex of the largest draw.
type summary struct {
	config Config
	counts []uint8           // of the current draw, by vertex: a count of at most countMost, plus the bit `named`
	more   map[uint32]uint32 // by vertex: by how much its count exceeds countMost
}

// named is the bit of a vertex's count that says that an index references the vertex.
const (
	named     = 1 << 7
	countMost = named - 1
)

// summaryWindow is how many indices a core takes at a time. Draws of at most this many indices
// run on one core.
const summaryWindow = 3 << 14

// draw returns the same statistics and errors as Config.Count.
func (s *summary) draw(indices []uint32, vertices int) (Stats, error) {
	var err error
	s.counts, s.more = append(s.counts[:0], make([]uint8, vertices)...), map[uint32]uint32{}
	st := newStats(len(indices), vertices)
	if s.config.Strategy.WholeDraws {
		s.config.addWholeDraw(&st)
		for v := range s.counts {
			s.counts[v] = 1
		}
		err = s.name(indices, 0)
	} else {
		err = s.run(indices, &st)
	}
	if err != nil {
		return Stats{}, err
	}
	for id, count := range s.counts {
		n := uint32(count & countMost)
		if n == countMost {
			n += s.more[uint32(id)]
		}
		st.addVertex(n, count&named != 0)
	}
	return st, nil
}

// run runs the reference over the draw's batches and counts what they shade. Each core takes batches
// of about summaryWindow indices at a time. It lists the vertices that they shade and counts them under
// a lock, since an atomic addition per vertex costs more.
func (s *summary) run(indices []uint32, st *Stats) (err error) {
	var lock sync.Mutex
	cut := newCut(s.config, indices)
	cores.OnAll((len(indices)+summaryWindow-1)/summaryWindow, func() {
		var own Stats
		var window [][]uint32
		var shaded []uint32
		turn := func() {
			lock.Lock()
			defer lock.Unlock() // deferred, since reading a mapped file may panic
			s.count(shaded)
			window, shaded = cut.window(window[:0]), shaded[:0]
			at := len(indices) - len(cut.rest)
			for _, batch := range slices.Backward(window) {
				at -= len(batch)
				err = cmp.Or(err, s.name(batch, at))
			}
			if err != nil {
				window, cut.rest = nil, nil
			}
		}
		for {
			if turn(); len(window) == 0 {
				break
			}
			own.Batches += len(window)
			for _, batch := range window {
				s.config.Strategy.Reference(s.config, batch, func(it *Iteration) {
					shaded = append(shaded, it.Unique...)
					own.Iterations++
					own.LaneSlots += it.LaneSlots
				})
			}
		}
		lock.Lock()
		defer lock.Unlock()
		st.Add(own, 1)
	})
	return err
}

// window appends the next batches, of about summaryWindow indices in total.
func (c *cut) window(batches [][]uint32) [][]uint32 {
	for before := len(c.rest); len(c.rest) > 0 && before-len(c.rest) < summaryWindow; {
		batches = append(batches, c.next())
	}
	return batches
}

// count adds 1 to the count of each vertex in `shaded`.
func (s *summary) count(shaded []uint32) {
	for _, id := range shaded {
		if s.counts[id]&countMost < countMost {
			s.counts[id]++
		} else {
			s.more[id]++
		}
	}
}

// name marks the vertices that `indices` reference; `at` is the position of the first index in the
// draw, for errors.
func (s *summary) name(indices []uint32, at int) error {
	for k, id := range indices {
		if int(id) >= len(s.counts) {
			return badIndex(at+k, id, len(s.counts))
		}
		s.counts[id] |= named
	}
	return nil
}
