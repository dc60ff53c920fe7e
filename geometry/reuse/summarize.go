package reuse

import (
	"cmp"
	"slices"
	"sync"
)

// summary adds up what a strategy does with one draw after another. The draws share its memory: a
// byte per vertex of the largest draw.
type summary struct {
	config Config
	onAll  func(most int, work func()) // runs work on all cores
	counts []uint8                     // of the current draw, by vertex: at most countMost, plus the bit named
	more   map[uint32]uint32           // by vertex: its count's excess over countMost
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
	s.counts, s.more = cleared(s.counts, vertices), map[uint32]uint32{}
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

// run runs the reference over the draw's batches, window by window, and counts what they shade.
// Each core lists shaded vertices and adds them under a lock, since an atomic addition per vertex
// costs more.
func (s *summary) run(indices []uint32, st *Stats) (err error) {
	var lock sync.Mutex
	cut := newCut(s.config, indices)
	s.onAll((len(indices)+summaryWindow-1)/summaryWindow, func() {
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

// window appends the next batches, of about summaryWindow indices together.
func (c *cut) window(batches [][]uint32) [][]uint32 {
	for before := len(c.rest); len(c.rest) > 0 && before-len(c.rest) < summaryWindow; {
		batches = append(batches, c.next())
	}
	return batches
}

// count counts vertices that were shaded.
func (s *summary) count(shaded []uint32) {
	for _, id := range shaded {
		if s.counts[id]&countMost < countMost {
			s.counts[id]++
		} else {
			s.more[id]++
		}
	}
}

// name marks the vertices that indices reference; at is the position of the first.
func (s *summary) name(indices []uint32, at int) error {
	for k, id := range indices {
		if int(id) >= len(s.counts) {
			return badIndex(at+k, id, len(s.counts))
		}
		s.counts[id] |= named
	}
	return nil
}

// cleared returns n zeros, in the memory of the given list if it is large enough.
func cleared[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	list = list[:n]
	clear(list)
	return list
}
