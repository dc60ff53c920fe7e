package renderdoc

import (
	"encoding/binary"
	"sort"

	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// space is the contents of a device memory or of a buffer. Only segments are kept: those that
// draws will read.
type space struct {
	segments []segment // in order, not touching each other
	reserved int64     // bytes that read as zero before they are written
	version  int       // number of writes
	budget   *budget.Budget
}

// segment is bytes [at, end) of a space; those beyond bytes were never written.
type segment struct {
	at, end int64
	bytes   []byte
}

func newSpace(r *ranges, b *budget.Budget) *space {
	r.merge(0)
	s := &space{budget: b, segments: make([]segment, len(r.all()))}
	for i, a := range r.all() {
		s.segments[i] = segment{at: a[0], end: a[1]}
	}
	return s
}

// from returns the index of the first segment that ends after at.
func (s *space) from(at int64) int {
	return sort.Search(len(s.segments), func(i int) bool { return s.segments[i].end > at })
}

// overlap calls do with every kept part of [at, end).
func (s *space) overlap(at, end int64, do func(g *segment, at, end int64)) {
	for i := s.from(at); i < len(s.segments) && s.segments[i].at < end; i++ {
		g := &s.segments[i]
		do(g, max(at, g.at), min(end, g.end))
	}
}

// lastKept returns the end of the last kept part of [at, end), or at if nothing is kept.
func (s *space) lastKept(at, end int64) int64 {
	i := sort.Search(len(s.segments), func(i int) bool { return s.segments[i].at >= end })
	if i == 0 {
		return at
	}
	return max(at, min(end, s.segments[i-1].end))
}

// grow extends a segment's bytes to end, with zeros.
func (s *space) grow(g *segment, end int64) {
	n, old := int(end-g.at), len(g.bytes)
	if n <= old {
		return
	}
	if was := cap(g.bytes); n > was {
		wide := int(min(max(int64(n), 2*int64(was)), g.end-g.at))
		must.OK(s.budget.Memory(int64(wide)))
		s.budget.Free(int64(was))
		g.bytes = append(make([]byte, 0, wide), g.bytes...)
	}
	must.OK(s.budget.Work(int64(n - old)))
	g.bytes = g.bytes[:n]
	clear(g.bytes[old:]) // bytes from before reserve
}

// write writes the kept part of data.
func (s *space) write(at int64, data []byte) {
	s.overlap(at, at+int64(len(data)), func(g *segment, from, to int64) {
		s.grow(g, to)
		copy(g.bytes[from-g.at:], data[from-at:to-at])
	})
}

// fill repeats a word over [at, end), whose length is a multiple of the word's.
func (s *space) fill(at, end int64, word uint32) {
	var pattern [4]byte
	binary.LittleEndian.PutUint32(pattern[:], word)
	s.overlap(at, end, func(g *segment, from, to int64) {
		s.grow(g, to)
		must.OK(s.budget.Work(budget.Call + to - from))
		for i := from; i < to; i++ {
			g.bytes[i-g.at] = pattern[(i-at)&3]
		}
	})
}

// reserve makes the space size bytes of zeros.
func (s *space) reserve(size int64) {
	must.OK(s.budget.Work(int64(len(s.segments))))
	for i := range s.segments {
		s.segments[i].bytes = s.segments[i].bytes[:0]
	}
	s.reserved = size
}

// read returns the bytes [at, end), or nil if some of them are not known. They are valid until
// the next write.
func (s *space) read(at, end int64) []byte {
	i := s.from(at)
	if i == len(s.segments) || at < s.segments[i].at || end > s.segments[i].end || at > end {
		return nil
	}
	g := &s.segments[i]
	if end > g.at+int64(len(g.bytes)) {
		if end > s.reserved {
			return nil
		}
		s.grow(g, end)
	}
	return g.bytes[at-g.at : end-g.at]
}
