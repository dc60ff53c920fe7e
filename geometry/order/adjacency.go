package order

import (
	"context"

	"github.com/shadeonce/shadeonce/internal/progress"
)

// offered bounds how many triangles of a vertex, or restart places, one step
// looks at, so that the cost of a step does not grow with the valence.
const offered = 64

// adjacency lists the corners at each vertex: corner 3t+j is the j-th of
// triangle t. A triangle that names a vertex twice is listed there twice.
type adjacency struct {
	first   []uint32 // by vertex: where its corners begin; one entry more for the end
	live    []uint32 // by vertex: how many of its corners are left, the first ones of its list
	corners []uint32 // by vertex, as first tells
	place   []uint32 // by corner: its index in corners, while its list is longer than searched
}

func newAdjacency(ctx context.Context, l List) (adjacency, error) {
	a := adjacency{
		first:   make([]uint32, l.Vertices+1),
		live:    make([]uint32, l.Vertices),
		corners: make([]uint32, len(l.Indices)),
		place:   make([]uint32, len(l.Indices)),
	}
	first, live, corners, place := a.first, a.live, a.corners, a.place
	if err := progress.Each(progress.Part(ctx, 0, .3), len(l.Indices), func(from, to int) {
		for _, v := range l.Indices[from:to] {
			first[v+1]++
		}
	}); err != nil {
		return a, err
	}
	for v := range l.Vertices {
		first[v+1] += first[v]
	}
	return a, progress.Each(progress.Part(ctx, .3, 1), len(l.Indices), func(from, to int) {
		for k, v := range l.Indices[from:to] {
			at := first[v] + live[v]
			live[v]++
			corners[at] = uint32(from + k)
			place[from+k] = at
		}
	})
}

// left returns the corners at v that were not removed, in no particular order.
func (a *adjacency) left(v uint32) []uint32 {
	return a.corners[a.first[v] : a.first[v]+a.live[v]]
}

// searched is the length up to which a list is searched for a corner. Such a list
// lies in one or two cache lines, while a look into place misses the cache.
const searched = 32

// remove takes corner k away from vertex v, in constant time.
func (a *adjacency) remove(k, v uint32) {
	left := a.left(v)
	last := len(left) - 1
	a.live[v]--
	if len(left) <= searched {
		// A list only gets shorter: place is not needed for it any more.
		for at, other := range left {
			if other == k {
				left[at], left[last] = left[last], k
				return
			}
		}
		return
	}
	at, other := a.place[k], left[last]
	a.corners[at], left[last] = other, k
	a.place[other] = at
}
