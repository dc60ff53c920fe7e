package order

import (
	"context"
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// offered bounds how many triangles of a vertex, or restart places, one step examines, so that the
// cost of a step does not grow with the vertex's valence.
const offered = 64

// adjacency lists the corners at each vertex: corner 3t+j is the j-th of triangle t. A triangle
// that uses a vertex twice is listed there twice.
type adjacency struct {
	first   []uint32 // by vertex: where its corners begin; one more entry marks the end
	live    []uint32 // by vertex: how many of its corners are left, at the front of its list
	corners []uint32 // the lists, in the order of vertices
	place   []uint32 // by corner: its position in corners; outdated where the list has at most `searched` corners
}

func newAdjacency(ctx context.Context, l List) adjacency {
	a := adjacency{make([]uint32, l.Vertices+1), make([]uint32, l.Vertices), make([]uint32, len(l.Indices)), make([]uint32, len(l.Indices))}
	first, live, corners, place := a.first, a.live, a.corners, a.place
	must.OK(progress.Each(progress.Part(ctx, 0, .3), len(l.Indices), func(from, to int) {
		for _, v := range l.Indices[from:to] {
			first[v+1]++
		}
	}))
	for v := range l.Vertices {
		first[v+1] += first[v]
	}
	must.OK(progress.Each(progress.Part(ctx, .3, 1), len(l.Indices), func(from, to int) {
		for k, v := range l.Indices[from:to] {
			at := first[v] + live[v]
			live[v]++
			corners[at] = uint32(from + k)
			place[from+k] = at
		}
	}))
	return a
}

// left returns the remaining corners at v, in no particular order.
func (a *adjacency) left(v uint32) []uint32 {
	return a.corners[a.first[v] : a.first[v]+a.live[v]]
}

// searched is the list length up to which remove searches the list for a corner. Such a list lies
// in one or two cache lines, while reading place misses the cache.
const searched = 32

// remove removes corner k from the list of vertex v, in constant time.
func (a *adjacency) remove(k, v uint32) {
	left := a.left(v)
	last := len(left) - 1
	a.live[v]--
	if len(left) <= searched {
		// Lists only get shorter, so this list never needs place again.
		at := slices.Index(left, k)
		left[at], left[last] = left[last], k
		return
	}
	at, other := a.place[k], left[last]
	a.corners[at], left[last] = other, k
	a.place[other] = at
}

// nextEdge returns the edge after k in its triangle. Edge k goes from corner k to that triangle's
// next corner.
func nextEdge(k uint32) uint32 {
	if k%3 == 2 {
		return k - 2
	}
	return k + 1
}

// pairEdges returns, for each edge, the edge of the neighbouring triangle, which runs the other
// way. Where more than two triangles share an edge, it pairs them in input order, each forward edge
// with a backward one. Unpaired edges, and edges whose two ends are one vertex, are boundary edges:
// their entry is none. Two counting sorts make it linear, whatever the valence.
func pairEdges(ctx context.Context, l List) []uint32 {
	low := func(k uint32) uint32 { return min(l.Indices[k], l.Indices[nextEdge(k)]) }
	high := func(k uint32) uint32 { return max(l.Indices[k], l.Indices[nextEdge(k)]) }
	sorted := countingSort(progress.Part(ctx, 0, .4), identity(len(l.Indices)), l.Vertices, high)
	sorted = countingSort(progress.Part(ctx, .4, .8), sorted, l.Vertices, low)
	meter := progress.NewMeter(progress.Part(ctx, .8, 1), len(sorted))
	across := slices.Repeat([]uint32{none}, len(l.Indices))
	for from := 0; from < len(sorted); {
		must.OK(meter.At(from))
		to := from + 1
		for to < len(sorted) && low(sorted[to]) == low(sorted[from]) && high(sorted[to]) == high(sorted[from]) {
			to++
		}
		if low(sorted[from]) != high(sorted[from]) {
			pairGroup(l, sorted[from:to], across)
		}
		from = to
	}
	return across
}

// pairGroup pairs edges that have the same two ends.
func pairGroup(l List, edges []uint32, across []uint32) {
	forward := func(k uint32) bool { return l.Indices[k] < l.Indices[nextEdge(k)] }
	f, b := 0, 0
	for {
		for f < len(edges) && !forward(edges[f]) {
			f++
		}
		for b < len(edges) && forward(edges[b]) {
			b++
		}
		if f == len(edges) || b == len(edges) {
			return
		}
		across[edges[f]], across[edges[b]] = edges[b], edges[f]
		f++
		b++
	}
}

// countingSort sorts items stably by `key`, whose values are below `keys`.
func countingSort(ctx context.Context, items []uint32, keys int, key func(uint32) uint32) []uint32 {
	next := make([]uint32, keys+1)
	must.OK(progress.Each(progress.Part(ctx, 0, .4), len(items), func(from, to int) {
		for _, k := range items[from:to] {
			next[key(k)+1]++
		}
	}))
	for k := range keys {
		next[k+1] += next[k]
	}
	sorted := make([]uint32, len(items))
	must.OK(progress.Each(progress.Part(ctx, .4, 1), len(items), func(from, to int) {
		for _, k := range items[from:to] {
			at := &next[key(k)]
			sorted[*at] = k
			*at++
		}
	}))
	return sorted
}
