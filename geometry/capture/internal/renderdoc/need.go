package renderdoc

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"

	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// ranges is a set of byte ranges of a space. It consists of runs, each sorted and more than twice
// as long as the next, and a short unsorted rest, so that adding a range and searching are both
// fast.
type ranges struct {
	runs [][][2]int64 // each range is [from, to); ranges of a run do not touch
	rest [][2]int64   // ranges in the order in which they were added
}

const mostRest = 64

func (r *ranges) add(at, end int64) {
	if at >= end || at < 0 {
		return
	}
	if n := len(r.rest); n > 0 {
		if last := &r.rest[n-1]; at >= last[0] && at <= last[1] {
			last[1] = max(last[1], end)
			return
		}
	}
	if r.rest = append(r.rest, [2]int64{at, end}); len(r.rest) == mostRest {
		r.merge(2)
	}
}

// merge makes the rest a run, and joins the last runs until each is more than `times` times as long
// as the next; if `times` is 0, it joins all runs.
func (r *ranges) merge(times int) {
	r.runs = append(r.runs, joined(r.rest))
	r.rest = r.rest[:0]
	for n := len(r.runs); n > 1 && (times == 0 || len(r.runs[n-2]) <= times*len(r.runs[n-1])); n-- {
		r.runs[n-2] = joined(append(r.runs[n-2], r.runs[n-1]...))
		r.runs = r.runs[:n-1]
	}
}

// joined returns a new, sorted list in which ranges that overlap or touch are joined.
func joined(list [][2]int64) [][2]int64 {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	out := list[:0]
	for _, next := range list {
		if n := len(out); n > 0 && next[0] <= out[n-1][1] {
			out[n-1][1] = max(out[n-1][1], next[1])
			continue
		}
		out = append(out, next)
	}
	return out
}

// all returns every range in ascending order. Call merge(0) first.
func (r *ranges) all() [][2]int64 { return r.runs[0] }

// overlaps reports whether any of [at, end) is in the set.
func (r *ranges) overlaps(at, end int64) bool {
	for _, run := range r.runs {
		i := sort.Search(len(run), func(i int) bool { return run[i][1] > at })
		if i < len(run) && run[i][0] < end {
			return true
		}
	}
	return slices.ContainsFunc(r.rest, func(a [2]int64) bool { return a[0] < end && at < a[1] })
}

// needs holds, by space, the byte ranges that draws read at some time in the frame.
type needs map[uint64]*ranges

// rangeBytes is the memory of a range, in a list and as a segment of a space.
const rangeBytes = 160

// needed returns what the draws read. It walks the operations backwards: if a draw reads what a copy wrote, the copy's source is needed too.
func needed(ops []any, b *budget.Budget) needs {
	n := needs{}
	for i := len(ops) - 1; i >= 0; i-- {
		must.OK(b.Work(8 * budget.Call))
		switch op := ops[i].(type) {
		case *draw:
			must.OK(b.Work(8 * budget.Call * int64(len(op.calls))))
			must.OK(b.Memory(rangeBytes * int64(1+len(op.calls))))
			n.draw(op)
		case copying:
			if r := n[op.to.space]; r != nil && r.overlaps(op.to.at, op.to.end) {
				must.OK(b.Memory(rangeBytes))
				n.add(op.from)
			}
		}
	}
	return n
}

func (n needs) add(e extent) {
	r := n[e.space]
	if r == nil {
		r = &ranges{}
		n[e.space] = r
	}
	r.add(e.at, e.end)
}

func (n needs) draw(d *draw) {
	n.shading(d.shading)
	if d.indirect != nil {
		n.add(d.indirect.from.first(d.indirectBytes()))
		if d.indirect.whereCount {
			n.add(d.indirect.count.first(4))
		}
		n.add(d.indices)
		n.add(d.position.from)
		return
	}
	for _, a := range d.calls {
		if d.width == 0 {
			n.add(d.vertexBytes(a.first, a.first+int64(a.count)-1))
			continue
		}
		n.add(d.indexBytes(a))
	}
	if d.width > 0 {
		n.add(d.position.from) // the indices would tell which vertices are needed, but are not read yet: take all vertices
	}
}

// indexBytes returns where the indices of one draw call are; empty if they exceed their buffer.
func (d *draw) indexBytes(a arguments) extent {
	e := d.indices.from(a.first * d.width)
	if n := int64(a.count) * d.width; n <= e.size() {
		return e.first(n)
	}
	return extent{}
}

// maxStride bounds the stride of vertices, so that no product overflows.
const maxStride = 1 << 28

// vertexBytes returns where the positions of vertices lo to hi are; empty if they exceed their
// buffer.
func (d *draw) vertexBytes(lo, hi int64) extent {
	p := d.position
	if lo < 0 || hi < lo || hi > 1<<33 || p.stride > maxStride {
		return extent{}
	}
	e := p.from.from(lo * p.stride)
	if n := (hi-lo)*p.stride + int64(3*p.format.bytes); n <= e.size() {
		return e.first(n)
	}
	return extent{}
}

// space is the contents of a device memory or of a buffer. Only segments are kept: those that
// draws will read.
type space struct {
	segments []segment // in ascending order, not touching each other
	reserved int64     // number of bytes at the beginning that read as zero until they are written
	version  int       // number of writes
	budget   *budget.Budget
}

// segment is the range [at, end) of a space. The part of it beyond len(bytes) was never written.
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

// from returns the index of the first segment that ends after `at`.
func (s *space) from(at int64) int {
	return sort.Search(len(s.segments), func(i int) bool { return s.segments[i].end > at })
}

// overlap calls `do` with every kept part of [at, end).
func (s *space) overlap(at, end int64, do func(g *segment, at, end int64)) {
	for i := s.from(at); i < len(s.segments) && s.segments[i].at < end; i++ {
		g := &s.segments[i]
		do(g, max(at, g.at), min(end, g.end))
	}
}

// lastKept returns the end of the last kept part of [at, end), or `at` if nothing is kept.
func (s *space) lastKept(at, end int64) int64 {
	i := sort.Search(len(s.segments), func(i int) bool { return s.segments[i].at >= end })
	if i == 0 {
		return at
	}
	return max(at, min(end, s.segments[i-1].end))
}

// grow extends a segment's bytes with zeros, up to byte `end` of the space.
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
	clear(g.bytes[old:]) // the memory may hold older bytes, from before reserve
}

// write writes the part of `data` that lies in segments.
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

// reserve replaces the contents of the space by `size` bytes of zeros.
func (s *space) reserve(size int64) {
	must.OK(s.budget.Work(int64(len(s.segments))))
	for i := range s.segments {
		s.segments[i].bytes = s.segments[i].bytes[:0]
	}
	s.reserved = size
}

// read returns the bytes [at, end). It returns nil if some are not kept, or were neither written nor
// reserved. The slice is valid until the next write.
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
