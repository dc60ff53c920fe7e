package draco

import (
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// table is the connectivity of triangles by their corners: corners 3t, 3t+1 and 3t+2 are those of
// triangle t. A corner that does not exist is -1.
type table struct {
	vertex   []int32 // of each corner
	opposite []int32 // the corner across the edge that a corner does not touch
	corner   []int32 // by vertex: its leftmost corner, or any where triangles surround it; -1 if unused
	seam     []bool  // whether the edge that a corner does not touch is a seam; nil if none is
}

// next returns the next corner of the same triangle.
func next(c int32) int32 {
	switch {
	case c < 0:
		return c
	case c%3 == 2:
		return c - 2
	}
	return c + 1
}

func previous(c int32) int32 {
	switch {
	case c < 0:
		return c
	case c%3 == 0:
		return c + 2
	}
	return c - 1
}

// across returns the corner across the edge that c does not touch.
func (t *table) across(c int32) int32 {
	if c < 0 || t.seam != nil && t.seam[c] {
		return -1
	}
	return t.opposite[c]
}

// swingLeft and swingRight turn around the vertex of c, to the next triangle.
func (t *table) swingLeft(c int32) int32  { return next(t.across(next(c))) }
func (t *table) swingRight(c int32) int32 { return previous(t.across(previous(c))) }

// open reports whether triangles do not surround a vertex.
func (t *table) open(vertex int32) bool { return t.swingLeft(t.corner[vertex]) < 0 }

// connect makes two corners opposite ones.
func (t *table) connect(a, b int32) {
	if a < 0 || a == b || t.opposite[a] >= 0 || t.opposite[b] >= 0 {
		must.Fail("an edge has more than two triangles")
	}
	t.opposite[a], t.opposite[b] = b, a
}

// check fails unless every corner is reached exactly once from the vertices, turning right. As
// opposite corners are mutual, turns are a permutation: they end, or return to where they began.
func (t *table) check() {
	reached := 0
	for v, first := range t.corner {
		for c := first; c >= 0; {
			if t.vertex[c] != int32(v) {
				must.Fail("triangle %d has vertex %d where it should have %d", c/3, t.vertex[c], v)
			}
			reached++
			if c = t.swingRight(c); c == first {
				break
			}
		}
	}
	if reached != len(t.vertex) {
		must.Fail("triangles of a vertex are not connected")
	}
}

// split makes the connectivity of an attribute with seams, over which its values are not shared:
// the triangles between two seams have one vertex. seams reads them.
func (d *decoder) split(base *table, seams *flags) *table {
	d.charge(len(base.vertex), 1)
	t, any := &table{opposite: base.opposite, seam: make([]bool, len(base.vertex))}, false
	for c := range int32(len(base.vertex)) {
		o := base.opposite[c]
		if o < 0 || o/3 < c/3 { // the border, or read before
			continue
		}
		if seams.next() {
			t.seam[c], t.seam[o], any = true, true, true
		}
	}
	if !any {
		d.release(len(base.vertex), 1)
		return base
	}
	t.vertex = d.ints(len(base.vertex))
	for _, c := range base.corner {
		if c < 0 {
			continue
		}
		first := c
		for left := t.swingLeft(c); left >= 0; left = t.swingLeft(left) {
			if first = left; left == c {
				break
			}
		}
		t.addVertex(d, first)
		for c := base.swingRight(first); c >= 0 && c != first; c = base.swingRight(c) {
			if t.seam[next(c)] {
				t.addVertex(d, c)
			}
			t.vertex[c] = int32(len(t.corner) - 1)
		}
	}
	return t
}

// addVertex adds a vertex with its leftmost corner.
func (t *table) addVertex(d *decoder, leftmost int32) {
	d.charge(1, 4)
	t.vertex[leftmost] = int32(len(t.corner))
	t.corner = append(t.corner, leftmost)
}

// assignPoints numbers the vertices of the mesh: corners of one vertex are one only if no attribute
// has a seam between them.
func (d *decoder) assignPoints() {
	t := d.table
	if len(d.further) == 0 {
		d.points, d.count = t.vertex, len(t.corner)
		return
	}
	d.points = d.ints(len(t.vertex))
	for v, first := range t.corner {
		if first < 0 {
			continue
		}
		if !t.open(int32(v)) {
			first = d.firstSeam(first)
		}
		d.points[first] = int32(d.count)
		d.count++
		before := first
		for c := t.swingRight(first); c >= 0 && c != first; before, c = c, t.swingRight(c) {
			for _, f := range d.further {
				if f.vertex[c] != f.vertex[before] {
					d.count++
					break
				}
			}
			d.points[c] = int32(d.count - 1)
		}
	}
}

// firstSeam returns the corner after the first seam to the right of one; the corner itself if there
// is none.
func (d *decoder) firstSeam(first int32) int32 {
	for _, f := range d.further {
		for c := d.table.swingRight(first); c != first; c = d.table.swingRight(c) {
			if f.vertex[c] != f.vertex[first] {
				return c
			}
		}
	}
	return first
}
