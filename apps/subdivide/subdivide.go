// Package subdivide refines triangle meshes by Loop's scheme (C. Loop, Smooth Subdivision
// Surfaces Based on Triangles, 1987; the paper's section 6.1), with index streams on which the
// strategies of package reuse find what to shade once.
//
// A level is two streams: corners, whose shade function moves a vertex (ShadeEven), and the
// triangles' edges, whose shade function makes the vertex of an edge (ShadeOdd). Both read a
// Level's tables. Level.RefineBy runs a strategy on the CPU, Device.RefineBy on a GPU; a Driver
// refines meshes with either and makes the rows. NewScene makes a scene for drawing whose last
// level is never stored.
package subdivide

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// Level is a mesh with the tables that one refinement of it reads.
type Level struct {
	Mesh       *apps.Mesh
	Edges      *apps.Edges
	RingOffset []uint32 // by vertex: 4 times the index of its first neighbour in Ring, plus its kind; one more entry marks the end
	Ring       []uint32 // two per edge: each vertex's neighbours, ascending; for a Curve, the two along sharp edges come first
	Weights    []Weight // by valence, up to the largest
}

// NewLevel makes the tables of a mesh, in linear time on all cores. The only error is the
// context's cause.
func NewLevel(ctx context.Context, m *apps.Mesh) (_ *Level, err error) {
	defer must.Catch(&err)
	edges := must.Get(apps.NewEdges(progress.Part(ctx, 0, .7), m))
	l := &Level{Mesh: m, Edges: edges}
	l.addRings(progress.Part(ctx, .7, 1))
	l.addWeights()
	return l, nil
}

// addRings adds the vertices' neighbours and kinds.
func (l *Level) addRings(ctx context.Context) {
	vertices, edges := len(l.Mesh.Positions), l.Edges
	below := must.Get(apps.GroupBy(progress.Part(ctx, 0, .7), len(edges.Ends), vertices, func(e int) (uint32, uint64) {
		return edges.Ends[e][1], uint64(e)
	}))
	l.RingOffset = make([]uint32, vertices+1)
	l.Ring = make([]uint32, 2*len(edges.Ends))
	l.RingOffset[vertices] = uint32(len(l.Ring)) << 2
	must.OK(apps.OnEach(progress.Part(ctx, .7, 1), vertices, func(v int) {
		first := below.First[v] + edges.First[v]
		ring := l.Ring[first:][:0]
		var sharp [2]uint32
		n := 0
		add := func(neighbour, edge uint32) {
			ring = append(ring, neighbour)
			if edges.Sharp(edge) {
				if n < len(sharp) {
					sharp[n] = neighbour
				}
				n++
			}
		}
		// Edges are ordered by their lower ends, so both parts ascend.
		for _, e := range below.Of(v) {
			add(edges.Ends[e][0], uint32(e))
		}
		for e := edges.First[v]; e < edges.First[v+1]; e++ {
			add(edges.Ends[e][1], e)
		}
		kind := kindOf(len(ring), n)
		if kind == Curve {
			toFront(ring, sharp)
		}
		l.RingOffset[v] = first<<2 | kind
	}))
}

// toFront moves two elements of a list to its front, and keeps the order of the others.
func toFront(list []uint32, two [2]uint32) {
	to := len(list)
	for _, x := range slices.Backward(list) {
		if !slices.Contains(two[:], x) {
			to--
			list[to] = x
		}
	}
	copy(list, two[:])
}

// Streams are the level's index streams: the corners and the edges of its triangles.
func (l *Level) Streams() (corners, edges reuse.Stream) {
	return reuse.Stream{Name: "corners", Indices: l.Mesh.Triangles, IDs: len(l.Mesh.Positions)},
		reuse.Stream{Name: "edges", Indices: l.Edges.Triangles, IDs: len(l.Edges.Ends)}
}

// Sizes returns how many vertices and triangles the refined mesh has.
func (l *Level) Sizes() (vertices, triangles int) {
	return len(l.Mesh.Positions) + len(l.Edges.Ends), 4 * l.Mesh.Faces()
}

// Refine shades every vertex and every edge once, on all cores, and returns the refined mesh. The
// only error is the context's cause.
func (l *Level) Refine(ctx context.Context) (*apps.Mesh, error) {
	vertices, _ := l.Sizes()
	out := make([]mgl32.Vec3, vertices)
	if err := apps.OnEach(progress.Part(ctx, 0, .6), vertices, func(id int) {
		out[id] = l.vertex(uint32(id), l.Mesh.Positions)
	}); err != nil {
		return nil, err
	}
	return l.Refined(progress.Part(ctx, .6, 1), out)
}

// Refined returns the refined mesh with these vertices. The only error is the context's cause.
func (l *Level) Refined(ctx context.Context, positions []mgl32.Vec3) (*apps.Mesh, error) {
	m := &apps.Mesh{Positions: positions, Triangles: make([]uint32, 4*len(l.Mesh.Triangles))}
	return m, apps.OnEach(ctx, l.Mesh.Faces(), func(t int) {
		refined(t, uint32(len(l.Mesh.Positions)), l.Mesh.Triangles, l.Edges.Triangles, (*[12]uint32)(m.Triangles[12*t:]))
	})
}

// refined sets four to triangles 4t to 4t+3 of the refined mesh, which replace triangle t: one at
// each of its corners and the one between. triangles and edges are three per triangle of the
// coarse mesh, which has the given number of vertices.
func refined(t int, vertices uint32, triangles, edges []uint32, four *[12]uint32) {
	i, e := triangles[3*t:][:3], edges[3*t:][:3]
	e0, e1, e2 := vertices+e[0], vertices+e[1], vertices+e[2]
	*four = [12]uint32{i[0], e0, e2, i[1], e1, e0, i[2], e2, e1, e0, e1, e2}
}

// bytesPerTriangle is the approximate memory of the tables, the mesh and its result per triangle
// of the last level: 102 to 124 were measured with one strategy and a GLB written.
const bytesPerTriangle = 128

// Memory estimates the bytes for refining a mesh of that many triangles by that many levels, and
// counts the triangles of the last level. It fails if an index stream cannot have them.
func Memory(coarse, levels int) (bytes, triangles int64, err error) {
	triangles = int64(coarse)
	for range levels {
		if triangles *= 4; 3*triangles >= math.MaxInt32 {
			return 0, 0, fmt.Errorf("%d levels of %d triangles are more than the %d triangles that an index stream can have", levels, coarse, math.MaxInt32/3)
		}
	}
	return triangles * bytesPerTriangle, triangles, nil
}
