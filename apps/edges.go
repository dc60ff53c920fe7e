package apps

import (
	"context"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// Edges is a mesh's edges, numbered in the lexicographic order of their ends, so that the numbers
// do not depend on the order of triangles.
type Edges struct {
	Ends      [][2]uint32 // by edge: its vertices, the lower one first
	Opposite  [][2]uint32 // by edge: the third vertices of its two triangles, the lower one first; None if the edge is sharp
	First     []uint32    // by vertex: the first edge whose lower end it is; one more entry marks the end
	Triangles []uint32    // three edges per triangle: from corner 0 to 1, 1 to 2, 2 to 0
}

// Sharp reports whether an edge has a number of triangles other than two.
func (e *Edges) Sharp(edge uint32) bool { return e.Opposite[edge][0] == None }

// Corners returns, for each edge and each of its two triangles, the corner at which the edge
// begins there, as an index into Mesh.Triangles. A sharp edge has one corner, and None.
func (e *Edges) Corners() [][2]uint32 {
	corners := make([][2]uint32, len(e.Ends))
	for i := range corners {
		corners[i] = [2]uint32{None, None}
	}
	for k, edge := range e.Triangles {
		switch of := &corners[edge]; {
		case of[0] == None:
			of[0] = uint32(k)
		case !e.Sharp(edge):
			of[1] = uint32(k)
		}
	}
	return corners
}

// NewEdges finds the edges of a mesh, in linear time on all cores.
func NewEdges(ctx context.Context, m *Mesh) (_ *Edges, err error) {
	defer must.Catch(&err)
	must.OK(m.check())
	// Half-edge k goes from corner k of the list to the next corner of its triangle.
	halves := must.Get(GroupBy(progress.Part(ctx, 0, .7), len(m.Triangles), len(m.Positions), func(k int) (uint32, uint64) {
		i, j := m.Triangles[k], m.Triangles[NextCorner(k)]
		return min(i, j), uint64(max(i, j))<<32 | uint64(k)
	}))
	e := &Edges{First: make([]uint32, len(m.Positions)+1), Triangles: make([]uint32, len(m.Triangles))}
	must.OK(OnEach(progress.Part(ctx, .7, .8), len(m.Positions), func(v int) {
		for range edgesOf(halves.Of(v)) {
			e.First[v+1]++
		}
	}))
	for v := range m.Positions {
		e.First[v+1] += e.First[v]
	}
	e.Ends = make([][2]uint32, e.First[len(m.Positions)])
	e.Opposite = make([][2]uint32, len(e.Ends))
	return e, OnEach(progress.Part(ctx, .8, 1), len(m.Positions), func(v int) {
		id := e.First[v]
		for high, corners := range edgesOf(halves.Of(v)) {
			e.Ends[id] = [2]uint32{uint32(v), high}
			e.Opposite[id] = [2]uint32{None, None}
			if len(corners) == 2 {
				c := m.Triangles[NextCorner(NextCorner(int(uint32(corners[0]))))]
				d := m.Triangles[NextCorner(NextCorner(int(uint32(corners[1]))))]
				e.Opposite[id] = [2]uint32{min(c, d), max(c, d)}
			}
			for _, corner := range corners {
				e.Triangles[uint32(corner)] = id
			}
			id++
		}
	})
}

// NextCorner is the corner after k in its triangle.
func NextCorner(k int) int {
	if k%3 == 2 {
		return k - 2
	}
	return k + 1
}

// edgesOf groups the half-edges with one lower end into edges. It yields each edge's higher end
// and its half-edges.
func edgesOf(halves []uint64) func(yield func(high uint32, corners []uint64) bool) {
	return func(yield func(uint32, []uint64) bool) {
		for len(halves) > 0 {
			n := 1
			for n < len(halves) && halves[n]>>32 == halves[0]>>32 {
				n++
			}
			if !yield(uint32(halves[0]>>32), halves[:n]) {
				return
			}
			halves = halves[n:]
		}
	}
}
