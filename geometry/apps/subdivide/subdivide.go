// Package subdivide refines triangle meshes by Loop's scheme (C. Loop, Smooth
// Subdivision Surfaces Based on Triangles, 1987; the paper's section 6.1), with the
// index streams on which the strategies of package reuse find what to shade once.
//
// A level is two streams: corners, whose shade function moves a vertex (ShadeEven),
// and a triangle's edges, whose shade function makes a vertex of an edge
// (ShadeOdd). Everything that they read is a Level's tables. The package knows
// nothing of files or devices.
//
// NewScene makes a scene whose last level is never stored, for drawing.
package subdivide

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry/apps"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/progress"
)

// Level is a mesh with what one refinement of it reads.
type Level struct {
	Mesh       *apps.Mesh
	Edges      *apps.Edges
	RingOffset []uint32 // by vertex: where its neighbours begin in Ring, times 4, plus its kind; one entry more for the end
	Ring       []uint32 // two per edge: each vertex's neighbours, ascending; of a Curve, the two along sharp edges come first
	Weights    []Weight // by valence, up to the largest
}

// NewLevel makes the tables of a mesh, in linear time on all cores. The only error
// is the context's cause.
func NewLevel(ctx context.Context, m *apps.Mesh) (*Level, error) {
	edges, err := apps.NewEdges(progress.Part(ctx, 0, .7), m)
	if err != nil {
		return nil, err
	}
	l := &Level{Mesh: m, Edges: edges}
	if err := l.addRings(progress.Part(ctx, .7, 1)); err != nil {
		return nil, err
	}
	l.addWeights()
	return l, nil
}

// addRings adds the vertices' neighbours and kinds.
func (l *Level) addRings(ctx context.Context) error {
	vertices, edges := len(l.Mesh.Positions), l.Edges
	below, err := apps.GroupBy(progress.Part(ctx, 0, .7), len(edges.Ends), vertices, func(e int) (uint32, uint64) {
		return edges.Ends[e][1], uint64(e)
	})
	if err != nil {
		return err
	}
	l.RingOffset = make([]uint32, vertices+1)
	l.Ring = make([]uint32, 2*len(edges.Ends))
	l.RingOffset[vertices] = uint32(len(l.Ring)) << 2
	return apps.OnAll(progress.Part(ctx, .7, 1), vertices, func(from, to int) {
		for v := from; v < to; v++ {
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
			// Edges stand in the order of their lower ends: both parts ascend.
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
		}
	})
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

// Streams are the level's index streams: the corners and the edges of its
// triangles.
func (l *Level) Streams() (corners, edges apps.Stream) {
	return apps.Stream{Name: "corners", Indices: l.Mesh.Triangles, IDs: len(l.Mesh.Positions)},
		apps.Stream{Name: "edges", Indices: l.Edges.Triangles, IDs: len(l.Edges.Ends)}
}

// Sizes are how many vertices and triangles the refined mesh has.
func (l *Level) Sizes() (vertices, triangles int) {
	return len(l.Mesh.Positions) + len(l.Edges.Ends), 4 * l.Mesh.Faces()
}

// Refine shades every vertex and every edge once, on all cores, and returns the
// refined mesh. The only error is the context's cause.
func (l *Level) Refine(ctx context.Context) (*apps.Mesh, error) {
	vertices, _ := l.Sizes()
	out := make([]mgl32.Vec3, vertices)
	if err := apps.OnAll(progress.Part(ctx, 0, .6), vertices, func(from, to int) {
		for id := from; id < to; id++ {
			out[id] = l.vertex(uint32(id), l.Mesh.Positions)
		}
	}); err != nil {
		return nil, err
	}
	return l.Refined(progress.Part(ctx, .6, 1), out)
}

// Refined is the refined mesh with these vertices. The only error is the context's cause.
func (l *Level) Refined(ctx context.Context, positions []mgl32.Vec3) (*apps.Mesh, error) {
	triangles, err := l.triangles(ctx)
	return &apps.Mesh{Positions: positions, Triangles: triangles}, err
}

// triangles lists the refined triangles.
func (l *Level) triangles(ctx context.Context) ([]uint32, error) {
	out := make([]uint32, 4*len(l.Mesh.Triangles))
	return out, apps.OnAll(ctx, l.Mesh.Faces(), func(from, to int) {
		for t := from; t < to; t++ {
			refined(t, uint32(len(l.Mesh.Positions)), l.Mesh.Triangles, l.Edges.Triangles, (*[12]uint32)(out[12*t:]))
		}
	})
}

// refined lists what triangle t becomes, triangles 4t to 4t+3 of the refined mesh: the
// one at each of its corners and the one between. triangles and edges are three per
// triangle of the coarse mesh, which has so many vertices.
func refined(t int, vertices uint32, triangles, edges []uint32, four *[12]uint32) {
	i, e := triangles[3*t:][:3], edges[3*t:][:3]
	e0, e1, e2 := vertices+e[0], vertices+e[1], vertices+e[2]
	*four = [12]uint32{i[0], e0, e2, i[1], e1, e0, i[2], e2, e1, e0, e1, e2}
}

// Counts is what a strategy did on the two streams of a level.
type Counts struct {
	Corners, Edges     reuse.Stats
	PerVertex, PerEdge []uint32 // how often each was shaded
}

// Invocations is how often a shade function ran.
func (c *Counts) Invocations() int { return c.Corners.Invocations + c.Edges.Invocations }

// RefineBy refines by a strategy: it shades what the strategy shades, as often.
// Vertices that no triangle names are not shaded by most strategies: they stay
// where they are. The only error is the context's cause.
func (l *Level) RefineBy(ctx context.Context, c reuse.Config) (*apps.Mesh, *Counts, error) {
	vertices, _ := l.Sizes()
	out := make([]mgl32.Vec3, vertices)
	copy(out, l.Mesh.Positions)
	corners, edges := l.Streams()
	var done Counts
	var err error
	even := apps.Pass[mgl32.Vec3]{Shade: l.ShadeEven, Keep: func(v uint32, p mgl32.Vec3) { out[v] = p }}
	if done.Corners, done.PerVertex, err = even.Run(progress.Part(ctx, 0, .3), corners, c); err != nil {
		return nil, nil, err
	}
	odd := apps.Pass[mgl32.Vec3]{Shade: l.ShadeOdd, Keep: func(e uint32, p mgl32.Vec3) { out[len(l.Mesh.Positions)+int(e)] = p }}
	if done.Edges, done.PerEdge, err = odd.Run(progress.Part(ctx, .3, .9), edges, c); err != nil {
		return nil, nil, err
	}
	fine, err := l.Refined(progress.Part(ctx, .9, 1), out)
	return fine, &done, err
}

// bytesPerTriangle is about what the tables, the mesh and what is made of it take for
// each triangle of the last level: 102 to 124 were measured with one strategy and a
// GLB written.
const bytesPerTriangle = 128

// Memory is about how many bytes so many levels of a mesh take, and how many triangles
// the last one has. It fails where an index stream cannot have them.
func Memory(m *apps.Mesh, levels int) (bytes, triangles int64, err error) {
	return MemoryOf(m.Faces(), levels)
}

// MemoryOf is Memory of a mesh of so many triangles.
func MemoryOf(coarse, levels int) (bytes, triangles int64, err error) {
	triangles = int64(coarse)
	for range levels {
		if triangles *= 4; 3*triangles >= math.MaxInt32 {
			return 0, 0, fmt.Errorf("%d levels of %d triangles are more than the %d triangles that an index stream can have", levels, coarse, math.MaxInt32/3)
		}
	}
	return triangles * bytesPerTriangle, triangles, nil
}
