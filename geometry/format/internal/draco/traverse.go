package draco

// walk visits triangles, and numbers values in the order in which their vertices are met.
type walk struct {
	*group
	visited []bool // by triangle
}

// newWalk begins a walk over a group's table; stack is how many corners it may remember for each
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

// beside returns the corners across the edges to the right and to the left of one.
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

// byDegree orders values by a walk that prefers vertices that more than one visited triangle
// predicts.
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
