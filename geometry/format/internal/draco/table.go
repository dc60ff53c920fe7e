package draco

import "github.com/shadeonce/shadeonce/internal/base/must"

// table is the connectivity of triangles by their corners: corners 3t, 3t+1 and 3t+2 are those of
// triangle t. A corner that does not exist is -1.
type table struct {
	vertex   []int32 // by corner: its vertex
	opposite []int32 // by corner: the corner across the edge that it does not touch
	corner   []int32 // by vertex: its leftmost corner, or any corner if triangles surround the vertex; -1 if unused
	seam     []bool  // by corner: whether the edge that it does not touch is a seam; nil if there are no seams
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

// across returns the corner across the edge that c does not touch; -1 if that edge is a border or a
// seam.
func (t *table) across(c int32) int32 {
	if c < 0 || t.seam != nil && t.seam[c] {
		return -1
	}
	return t.opposite[c]
}

// swingLeft and swingRight return the corner at the same vertex in the triangle to the left or right of c's; -1 if there is none.
func (t *table) swingLeft(c int32) int32  { return next(t.across(next(c))) }
func (t *table) swingRight(c int32) int32 { return previous(t.across(previous(c))) }

// open reports whether a vertex lies on a border or a seam: triangles do not surround it.
func (t *table) open(vertex int32) bool { return t.swingLeft(t.corner[vertex]) < 0 }

// connect makes two corners opposite to each other.
func (t *table) connect(a, b int32) {
	if a < 0 || a == b || t.opposite[a] >= 0 || t.opposite[b] >= 0 {
		must.Fail("an edge has more than two triangles")
	}
	t.opposite[a], t.opposite[b] = b, a
}

// check fails unless swingRight, from the first corners of all vertices, reaches every corner exactly once.
// No two corners have the same right neighbour, since opposite corners come in pairs. So each turn around a
// vertex ends at a border, or returns to its first corner.
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

// split makes the connectivity of an attribute whose values are not shared across seams: around a
// vertex, the triangles between two seams get a vertex of their own. `seams` has a flag for each
// inner edge. If no edge is a seam, split returns `base`.
func (d *decoder) split(base *table, seams *flags) *table {
	d.charge(len(base.vertex), 1)
	t, any := &table{opposite: base.opposite, seam: make([]bool, len(base.vertex))}, false
	for c := range int32(len(base.vertex)) {
		o := base.opposite[c]
		if o < 0 || o/3 < c/3 { // on the border, or its flag was read before
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

// assignPoints numbers the vertices of the mesh: corners at one vertex share a number only if no
// attribute has a seam between them.
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

// firstSeam returns the corner after the first seam to the right of a corner, in the first table with a seam there; the corner itself if there is none.
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

// walk visits triangles, and numbers values in the order in which their vertices are met.
type walk struct {
	*group
	visited []bool // by triangle: whether the walk has visited it
}

// newWalk begins a walk over a group's table; `stack` is how many corners it may remember for each
// triangle.
func (d *decoder) newWalk(g *group, stack int) *walk {
	faces := len(g.table.vertex) / 3
	d.charge(faces, 1+4*stack)
	w := &walk{group: g, visited: make([]bool, faces)}
	g.value = d.ints(len(g.table.corner))
	for v := range g.value {
		g.value[v] = -1
	}
	d.charge(len(g.table.corner), 4)
	g.corners = make([]int32, 0, len(g.table.corner))
	return w
}

func (d *decoder) endWalk(w *walk, stack int) {
	d.release(len(w.visited), 1+4*stack)
	w.count = len(w.corners)
}

// meet numbers the value at a corner, unless it has a number.
func (w *walk) meet(c int32) {
	if v := w.table.vertex[c]; w.value[v] < 0 {
		w.value[v] = int32(len(w.corners))
		w.corners = append(w.corners, c)
	}
}

// new reports whether a corner's triangle exists and has not been visited.
func (w *walk) new(c int32) bool { return c >= 0 && !w.visited[c/3] }

// beside returns the corners across the edges to the right and to the left of a corner.
func (w *walk) beside(c int32) (right, left int32) {
	return w.table.across(next(c)), w.table.across(previous(c))
}

// depthFirst orders values by a walk that prefers triangles to the right.
func (d *decoder) depthFirst(g *group) {
	w := d.newWalk(g, 1)
	var stack []int32
	for face := range w.visited {
		c := int32(3 * face)
		if !w.new(c) {
			continue
		}
		w.meet(next(c))
		w.meet(previous(c))
		for stack = append(stack, c); len(stack) > 0; {
			c = stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for w.new(c) {
				w.visited[c/3] = true
				v := w.table.vertex[c]
				first := w.value[v] < 0
				w.meet(c)
				right, left := w.beside(c)
				switch {
				case first && !w.table.open(v), w.new(right) && !w.new(left):
					c = right
				case !w.new(right):
					c = left
				default:
					stack = append(stack, left)
					c = right
				}
			}
		}
	}
	d.endWalk(w, 1)
}

// byDegree orders values by a walk. It prefers triangles without a new vertex, then those whose new
// vertex several visited triangles predict.
func (d *decoder) byDegree(g *group) {
	w := d.newWalk(g, 2)
	degree := d.ints(len(g.table.corner))
	var stacks [3][]int32 // by priority, the highest first
	best := 0
	priority := func(c int32) int {
		v := w.table.vertex[c]
		if w.value[v] >= 0 {
			return 0
		}
		if degree[v]++; degree[v] > 1 {
			return 1
		}
		return 2
	}
	push := func(c int32, at int) {
		stacks[at] = append(stacks[at], c)
		best = min(best, at)
	}
	pop := func() (c int32) {
		for ; best < len(stacks); best++ {
			if last := len(stacks[best]) - 1; last >= 0 {
				c, stacks[best] = stacks[best][last], stacks[best][:last]
				return c
			}
		}
		return -1
	}
	for face := range w.visited {
		c := int32(3 * face)
		best = 0
		push(c, 0)
		w.meet(next(c))
		w.meet(previous(c))
		w.meet(c)
		for c = pop(); c >= 0; c = pop() {
			for w.new(c) {
				w.visited[c/3] = true
				w.meet(c)
				right, left := w.beside(c)
				c = -1
				if w.new(left) {
					if at := priority(left); !w.new(right) && at <= best {
						c = left
						continue
					} else {
						push(left, at)
					}
				}
				if w.new(right) {
					if at := priority(right); at <= best {
						c = right
					} else {
						push(right, at)
					}
				}
			}
		}
	}
	d.release(len(degree), 4)
	d.endWalk(w, 2)
}
