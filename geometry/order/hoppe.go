package order

import (
	"context"
	"math"
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// hoppe grows triangle strips side by side. A strip ends before a FIFO cache would evict the
// vertices of the strip beside it: greedy strip growing (Hoppe, Optimization of Mesh Locality for
// Transparent Vertex Caching, 1999). Time grows with the square of the cache size.
var hoppe = Order{Name: "hoppe", Cache: 16, Apply: hoppeOrder}

const (
	hoppeAhead = 5             // how many triangles beyond the cache's size a simulation runs
	processed  = math.MaxInt32 // value of `visited` for triangles in the result
)

// strips is the state of greedy strip growing. A triangle is identified by the edge through which
// the strip enters it (see adjacency.go). Any edge of a strip's first triangle identifies it.
type strips struct {
	list   List
	across []uint32
	adj    adjacency // corners of the triangles not yet in the result
	size   int       // vertices that the cache holds

	visited []int32 // by triangle: `processed`, or the number of the last simulation that took it
	run     int32   // number of the current simulation

	time    int    // number of vertices that have entered the cache so far, plus `size`
	entered []int  // by vertex: time of its entry; it stays in the cache for the next `size` entries
	undo    []past // vertices that entered the cache in the current simulation, with the times before

	restarts []uint32 // edges at which a new strip can begin (Q in the paper)
	head     int      // first restart place that may still be free

	recent    []uint32 // the last `size` vertices to enter, by time modulo `size`
	seeds     []uint32 // all triangles, those with the fewest neighbours first
	seed      int      // seeds before it are all in the result
	result    []uint32
	simulated bool // whether a simulation is running
}

type past struct {
	vertex  uint32
	entered int
}

func hoppeOrder(ctx context.Context, l List, cache int) (_ []uint32, err error) {
	defer must.Catch(&err)
	h := newStrips(progress.Part(ctx, 0, prepared), l, cache)
	ahead := cache + hoppeAhead // the work per triangle is proportional to ahead
	meter := progress.NewMeter(progress.Part(ctx, prepared, 1), l.Triangles()*ahead)
	for edge := h.firstEdge(); edge != none; {
		must.OK(meter.At(len(h.result) * ahead))
		h.visit(edge)
		next := h.grow(edge)
		if next == none || h.pays() && h.restartBeats(next) {
			next = h.restart(&h.head)
		}
		if next == none {
			next = h.firstEdge()
		}
		edge = next
	}
	return h.result, nil
}

func newStrips(ctx context.Context, l List, cache int) *strips {
	h := &strips{
		list: l, across: pairEdges(progress.Part(ctx, 0, .7), l), adj: newAdjacency(progress.Part(ctx, .7, 1), l), size: cache, time: cache,
		visited: make([]int32, l.Triangles()), entered: make([]int, l.Vertices), recent: slices.Repeat([]uint32{none}, cache), result: make([]uint32, 0, l.Triangles()),
	}
	h.seeds = countingSort(progress.Silent(ctx), identity(l.Triangles()), 4, func(t uint32) uint32 { return h.neighbours(t) })
	return h
}

// neighbours returns how many neighbours of triangle t are not yet in the result.
func (h *strips) neighbours(t uint32) uint32 {
	n := uint32(0)
	for k := 3 * t; k < 3*t+3; k++ {
		if h.free(h.across[k]) {
			n++
		}
	}
	return n
}

// free reports whether the triangle across an edge exists, and neither the result nor the current
// simulation has taken it.
func (h *strips) free(edge uint32) bool {
	return edge != none && h.visited[edge/3] != processed &&
		!(h.simulated && h.visited[edge/3] == h.run)
}

func (h *strips) cached(v uint32) bool { return h.time-h.entered[v] < h.size }

// visit takes the triangle of an edge, and returns how many of its vertices missed the cache. Unless a
// simulation is running, the triangle goes into the result.
func (h *strips) visit(edge uint32) (misses int) {
	t := edge / 3
	if h.simulated {
		h.visited[t] = h.run
	} else {
		h.visited[t] = processed
		h.result = append(h.result, t)
	}
	for k := 3 * t; k < 3*t+3; k++ {
		v := h.list.Indices[k]
		if !h.simulated {
			h.adj.remove(k, v)
		}
		if h.cached(v) {
			continue
		}
		if h.simulated {
			h.undo = append(h.undo, past{v, h.entered[v]})
		} else {
			h.recent[h.time%h.size] = v
		}
		h.time++
		h.entered[v] = h.time
		misses++
	}
	return misses
}

// grow returns the edge through which the strip leaves a triangle that it entered by `edge`. It goes
// left if the triangle there is free, to follow the previous strip. Otherwise it goes right; it returns
// none if neither side is free. If both are free, the right edge becomes a restart place.
func (h *strips) grow(edge uint32) uint32 {
	right := h.across[nextEdge(edge)]
	left := h.across[nextEdge(nextEdge(edge))]
	switch {
	case !h.free(left) && !h.free(right):
		return none
	case !h.free(left):
		return right
	case h.free(right):
		h.restarts = append(h.restarts, right)
	}
	return left
}

// restart returns the first restart place that is still free, or none, and drops all places. A
// simulation examines only `offered` places, since every simulation begins again at h.head.
func (h *strips) restart(head *int) uint32 {
	end := len(h.restarts)
	if h.simulated {
		end = min(end, *head+offered)
	}
	found := none
	for ; *head < end && found == none; *head++ {
		if h.free(h.restarts[*head]) {
			found = h.restarts[*head]
		}
	}
	*head = len(h.restarts)
	if !h.simulated {
		h.restarts, h.head = h.restarts[:0], 0
	}
	return found
}

// pays reports whether there is a place to restart at.
func (h *strips) pays() bool {
	for ; h.head < len(h.restarts); h.head++ {
		if h.free(h.restarts[h.head]) {
			return true
		}
	}
	return false
}

// restartBeats reports whether restarting now costs fewer misses per triangle than going on to
// `next` and restarting later, after any number of triangles that the cache could span.
func (h *strips) restartBeats(next uint32) bool {
	now, nowOf := h.simulate(next, 0)
	for length := 1; length <= h.size+hoppeAhead; length++ {
		later, laterOf := h.simulate(next, length)
		if later*nowOf <= now*laterOf {
			return false
		}
	}
	return true
}

// simulate takes `length` more triangles of this strip and then restarts, until it has taken as
// many triangles as the cache could span (size+hoppeAhead). It returns the numbers of cache misses
// and of triangles, and undoes all changes.
func (h *strips) simulate(edge uint32, length int) (misses, triangles int) {
	h.simulated = true
	h.run++
	if h.run == processed { // numbers wrap around: forget those of old simulations
		for t := range h.visited {
			if h.visited[t] != processed {
				h.visited[t] = 0
			}
		}
		h.run = 1
	}
	time, kept, head := h.time, len(h.restarts), h.head
	for triangles < h.size+hoppeAhead {
		if triangles == length {
			if other := h.restart(&head); other != none {
				edge = other
			}
		}
		if edge == none {
			edge = h.restart(&head)
		}
		if edge == none {
			break
		}
		misses += h.visit(edge)
		triangles++
		edge = h.grow(edge)
	}
	for k := len(h.undo) - 1; k >= 0; k-- {
		h.entered[h.undo[k].vertex] = h.undo[k].entered
	}
	h.undo, h.restarts, h.time = h.undo[:0], h.restarts[:kept], time
	h.simulated = false
	return misses, triangles
}

// firstEdge returns the edge at which to begin when no strip continues. It chooses the triangle with the most vertices
// in the cache; among several, the one with the fewest neighbours left. If no cached vertex has a triangle left, it
// chooses the triangle that had the fewest neighbours at the start; none if no triangle is left.
// It examines at most `offered` triangles of each cached vertex.
func (h *strips) firstEdge() uint32 {
	best, pick := -1, none
	for _, v := range h.recent {
		if v == none {
			continue
		}
		corners := h.adj.left(v)
		for _, k := range corners[:min(len(corners), offered)] {
			t := k / 3
			score := -int(h.neighbours(t)) + 3
			for _, w := range h.list.Indices[3*t : 3*t+3] {
				if h.cached(w) {
					score += 4
				}
			}
			if score > best || score == best && t < pick {
				best, pick = score, t
			}
		}
	}
	for ; pick == none && h.seed < len(h.seeds); h.seed++ {
		if t := h.seeds[h.seed]; h.visited[t] != processed {
			pick = t
		}
	}
	if pick == none {
		return none
	}
	return h.orient(pick)
}

// orient chooses the edge by which a strip's first triangle counts as entered: one with no free
// triangle across it and a free triangle to its left, or else the first edge.
func (h *strips) orient(t uint32) uint32 {
	edge := 3 * t
	for k := 3 * t; k < 3*t+3; k++ {
		if !h.free(h.across[k]) && h.free(h.across[nextEdge(nextEdge(k))]) {
			edge = k
		}
	}
	return edge
}
