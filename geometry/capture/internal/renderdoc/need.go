package renderdoc

import (
	"cmp"
	"slices"
)

// ranges is a set of byte ranges of a space.
type ranges struct {
	list  [][2]int64 // from and to; those up to clean are sorted and do not touch
	clean int
}

func (r *ranges) add(at, end int64) {
	if at >= end || at < 0 {
		return
	}
	if n := len(r.list); n > 0 {
		if last := &r.list[n-1]; at >= last[0] && at <= last[1] && n > r.clean {
			last[1] = max(last[1], end)
			return
		}
	}
	r.list = append(r.list, [2]int64{at, end})
	const most = 1024 // so that neither adding nor asking takes long
	if len(r.list)-r.clean > most+r.clean/2 {
		r.merge()
	}
}

// merge sorts the ranges and joins those that overlap or touch.
func (r *ranges) merge() {
	slices.SortFunc(r.list, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	joined := r.list[:0]
	for _, next := range r.list {
		if n := len(joined); n > 0 && next[0] <= joined[n-1][1] {
			joined[n-1][1] = max(joined[n-1][1], next[1])
			continue
		}
		joined = append(joined, next)
	}
	r.list, r.clean = joined, len(joined)
}

// overlaps says whether any of [at, end) is in the set.
func (r *ranges) overlaps(at, end int64) bool {
	i, _ := slices.BinarySearchFunc(r.list[:r.clean], at, func(a [2]int64, at int64) int {
		if a[1] <= at {
			return -1
		}
		return 1
	})
	if i < r.clean && r.list[i][0] < end {
		return true
	}
	for _, a := range r.list[r.clean:] {
		if a[0] < end && at < a[1] {
			return true
		}
	}
	return false
}

// needs is what of each space the draws will read, at any time of the frame.
type needs map[uint64]*ranges

// needed goes through the operations backwards: if a draw reads what a copy wrote,
// the copy's source is needed, too.
func needed(ops []any) needs {
	n := needs{}
	for i := len(ops) - 1; i >= 0; i-- {
		switch op := ops[i].(type) {
		case *draw:
			n.draw(op)
		case copying:
			if r := n[op.to.space]; r != nil && r.overlaps(op.to.at, op.to.end) {
				n.add(op.from)
			}
		}
	}
	for _, r := range n {
		r.merge()
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
		n.add(d.position.from) // which of them, only the indices tell
	}
}

// indexBytes is where the indices of one draw lie; empty if not in their buffer.
func (d *draw) indexBytes(a arguments) extent {
	e := d.indices.from(a.first * d.width)
	if n := int64(a.count) * d.width; n <= e.size() {
		return e.first(n)
	}
	return extent{}
}

// maxStride bounds the stride of vertices, so that no product overflows.
const maxStride = 1 << 28

// vertexBytes is where the positions of vertices lo to hi lie; empty if not in
// their buffer.
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
