// Package subdivide refines triangle meshes by Loop's scheme (C. Loop, Smooth Subdivision
// Surfaces Based on Triangles, 1987; the paper's section 6.1). The strategies of package reuse run
// on its index streams.
//
// A level has two streams: corners, whose shade function moves a vertex (ShadeEven), and the
// triangles' edges, whose shade function makes the vertex of an edge (ShadeOdd). Both read a
// Level's tables. Level.RefineBy runs a strategy on the CPU, Device.RefineBy on a GPU; a Driver
// refines meshes with either and makes the rows. NewScene makes a scene for drawing whose last
// level is never stored.
package subdivide

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/clock"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
)

// Level is a mesh with the tables that one refinement of it reads.
type Level struct {
	Mesh       *apps.Mesh
	Edges      *apps.Edges
	RingOffset []uint32 // by vertex: 4 times the index of its first neighbour in Ring, plus its kind; one extra entry holds the end
	Ring       []uint32 // two per edge: each vertex's neighbours, ascending; for a Curve, the two along sharp edges come first
	Weights    []Weight // by valence, up to the largest
}

// NewLevel makes the tables of a mesh, in linear time on all cores. It returns an error if triangles
// name missing vertices, or the context's cause.
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
		// Edges are ordered by their lower ends, then by their higher ends: both loops add neighbours in ascending order.
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

// toFront moves two elements of a list to its front, and keeps the others in order.
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

// refined sets `four` to triangles 4t to 4t+3 of the refined mesh, which replace triangle t: one at
// each of its corners and one in the middle. `triangles` and `edges` hold three vertices and three
// edges per triangle of the coarse mesh; `vertices` is its number of vertices.
func refined(t int, vertices uint32, triangles, edges []uint32, four *[12]uint32) {
	i, e := triangles[3*t:][:3], edges[3*t:][:3]
	e0, e1, e2 := vertices+e[0], vertices+e[1], vertices+e[2]
	*four = [12]uint32{i[0], e0, e2, i[1], e1, e0, i[2], e2, e1, e0, e1, e2}
}

// bytesPerTriangle is the approximate memory of the tables, the mesh and its result, in bytes per triangle
// of the last level. A run with one strategy that also wrote a GLB took 102 to 124.
const bytesPerTriangle = 128

// Memory estimates the bytes for refining a mesh of the given number of triangles by a number of levels,
// and counts the triangles of the last level. It fails if these are too many for an index stream.
func Memory(coarse, levels int) (bytes, triangles int64, err error) {
	triangles = int64(coarse)
	for range levels {
		if triangles *= 4; 3*triangles >= math.MaxInt32 {
			return 0, 0, fmt.Errorf("%d levels of %d triangles are more than the %d triangles that an index stream can have", levels, coarse, math.MaxInt32/3)
		}
	}
	return triangles * bytesPerTriangle, triangles, nil
}

// MaxLevels bounds the levels of a subdivision.
const MaxLevels = 12

// PaperSizes has the paper's batches and workgroups by strategy, section 6.1.
var PaperSizes = map[string]reuse.Params{
	"naive": {Batch: 96}, "warp": {Batch: 96},
	"hash": {Batch: 192, Unique: 64, Workgroup: 64}, "phash": {Batch: 192, Unique: 64, Workgroup: 64},
	"sort": {Batch: 768, Unique: 256, Workgroup: 256},
}

// Sizes are the fastest batches on an H200: shading gathers a vertex's ring from memory, and
// small batches have more reads in flight.
var Sizes = map[string]reuse.Params{
	"claim": {Batch: 96}, "hash": {Batch: 192, Workgroup: 64}, "phash": {Batch: 192, Workgroup: 64},
	"multi": {Batch: 384},
}

// Driver refines meshes by several strategies.
type Driver struct {
	apps.Run
	Levels int
	Memory int64 // limit on all memory in bytes; 0 means the system's free memory

	fine *apps.Mesh // of the first subject
}

// Paper refines a mesh once with every strategy, as in the paper's table 3.
func Paper(ctx context.Context, b *gpu.Backend, of measure.Subject) (_ []apps.Row, err error) {
	defer must.Catch(&err)
	d := Driver{Run: must.Get(apps.PaperRun(b, PaperSizes)), Levels: 1}
	must.OK(d.Do(ctx, of))
	return d.Rows(), nil
}

// Do refines a mesh level by level, each with every strategy.
func (d *Driver) Do(ctx context.Context, of measure.Subject) (err error) {
	defer must.Catch(&err)
	m := must.Get(apps.NewMesh(progress.Part(ctx, 0, .1), of.Scene))
	need, triangles := must.Get2(Memory(m.Faces(), d.Levels))
	must.OK(apps.Fits(need, d.Memory, fmt.Sprintf("%d levels make %d triangles", d.Levels, triangles)))
	for n := range d.Levels {
		m = must.Get(d.refine(apps.Share(ctx, .1, n, d.Levels), m, of, n+1))
	}
	d.fine = cmp.Or(d.fine, m)
	return nil
}

// FitsDrawn returns an error if a scene that is subdivided while it is drawn does not fit the system's free memory.
// All levels but the last are made beforehand.
func FitsDrawn(s *geometry.Scene, levels int) (err error) {
	defer must.Catch(&err)
	if s == nil {
		must.Fail("subdivide: no scene")
	}
	must.Get2(Memory(s.Triangles(), levels))
	need, triangles := must.Get2(Memory(s.Triangles(), levels-1))
	return apps.Fits(need, 0, fmt.Sprintf("%d levels make %d triangles, a quarter of them beforehand", levels, 4*triangles))
}

// refine makes level n with every strategy. It compares the vertices with those of Refine; on a GPU, if
// Verify is not set, with those of the first strategy.
func (d *Driver) refine(ctx context.Context, m *apps.Mesh, of measure.Subject, n int) (fine *apps.Mesh, err error) {
	defer must.Catch(&err)
	took := clock.Start()
	level := must.Get(NewLevel(progress.Part(ctx, 0, .3), m))
	row := apps.Row{App: "subdivide", File: of.File, Order: of.Order, Part: fmt.Sprintf("level %d", n), Tables: measure.Milliseconds(took())}
	refineBy := level.RefineBy
	if b := d.GPU(); b != nil {
		limits := b.Limits()
		must.OK(level.Fits(&limits, n, d.Levels))
		device := must.Get(NewDevice(b, level))
		defer device.Close()
		refineBy = func(ctx context.Context, c reuse.Config) (*Made, error) { return device.RefineBy(ctx, c, d.Subgroups) }
	}
	if d.Verify || d.GPU() == nil {
		fine = must.Get(level.Refine(progress.Part(ctx, .3, .4)))
	}
	for i, c := range d.Fitted(len(m.Triangles)) {
		made := must.Get(refineBy(apps.Share(ctx, .4, i, len(d.Configs)), c))
		if fine == nil {
			fine = must.Get(level.Refined(progress.Silent(ctx), made.Positions))
		}
		if row.Hash == "" {
			row.Hash = fine.Sum()
		}
		if err := d.check(made, level, c, fine.Positions); err != nil {
			return nil, fmt.Errorf("level %d: %w", n, err)
		}
		row.Edges, row.Cutting = made.Edges.Invocations, measure.Milliseconds(made.Cutting)
		d.AddRow(row, c, made.Took, made.Corners, made.Edges)
	}
	return fine, nil
}

// check compares a strategy's result with the reference, or with the first strategy's result.
func (d *Driver) check(made *Made, level *Level, c reuse.Config, want []mgl32.Vec3) error {
	switch {
	case d.Verify:
		return made.Check(level, c, want)
	case !sameBits(made.Positions, want):
		return fmt.Errorf("%s and %s make different vertices", d.Configs[0], c)
	}
	return nil
}

// Save writes the refined mesh of the first subject.
func (d *Driver) Save(ctx context.Context, path string) error {
	s, err := apps.SceneOf(ctx, path, []string{"subdivided"}, d.fine)
	if err != nil {
		return err
	}
	return format.Save(ctx, path, s)
}

// Notices returns none, since subdivision leaves nothing out.
func (d *Driver) Notices(string) []string { return nil }
