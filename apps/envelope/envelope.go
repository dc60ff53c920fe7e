// Package envelope makes inner and outer envelopes of triangle meshes. Every vertex moves along
// its own direction, as far as it can without making the surface intersect itself (J. Cohen and
// others, Simplification Envelopes, 1996; the paper's section 6.2).
//
// How far a vertex moves is its level, in 256ths of the envelope's distance. Levels do not depend on the order of the
// mesh's triangles or on the tree: each is the minimum of bounds, one for each pair of triangles, and every bound has
// a proof. A vertex at a level below its bound lies between its position at rest and its position at the bound. So if
// an axis separates the hulls that two triangles sweep, it also separates the triangles, wherever their corners stop.
//
//   - Two triangles without a common vertex do not intersect if their hulls do not.
//   - If two triangles with one common vertex intersected elsewhere, they would intersect on an
//     edge opposite the common vertex: the bound separates each triangle's opposite edge from
//     the other triangle.
//   - If two triangles with a common edge intersected elsewhere, they would lie in one plane,
//     on one side of the edge: the bound separates each apex from the other triangle, and outer
//     edges that do not touch from each other.
//   - Caps keep every triangle facing in the direction in which its corners move, so that a
//     closed surface only grows. The host computes them.
//
// Vertices of triangles that intersect at rest do not move. So no further pair ever intersects.
//
// Envelope.ShadeBy runs a strategy on the CPU, Device.ShadeBy on a GPU; a Driver makes envelopes
// with either, and writes them with their levels.
package envelope

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/clock"
	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// Levels is the level of a vertex that moves by the whole distance.
const Levels = 256

// Side is the direction in which vertices move.
type Side int

// The two sides of a surface.
const (
	Outer Side = iota // the direction in which triangles face
	Inner
)

func (s Side) String() string { return [...]string{"outer", "inner"}[s] }

// Bounds of the distance, in percent of the diagonal of the mesh's box.
const (
	MinPercent = 0.001
	MaxPercent = 100
)

// Envelope is a mesh with all data that shading a vertex reads. Positions are scaled by a power of
// two, so that the largest coordinate is from 1/2 to 1.
type Envelope struct {
	Mesh     *apps.Mesh
	Side     Side
	Distance float64 // how far a vertex at level 256 moves, in the mesh's own units
	Exponent int     // the mesh's positions are 2^Exponent times Positions

	Positions []mgl32.Vec3 // by vertex
	Steps     []mgl32.Vec3 // by vertex: its move from one level to the next; 0 if it has no direction
	Caps      []int32      // by vertex: the highest level that its own triangles allow
	Triangles [][3]uint32  // corners, the lowest vertex first; sorted, so that their order in the mesh does not matter
	First     []uint32     // by vertex: index of its first triangle in Around; one extra entry holds the end
	Around    []uint32     // each vertex's triangles, ascending
	Nodes     []Node       // the tree, in preorder
}

// Shaded is a vertex of the envelope: its scaled position and its level.
type Shaded struct {
	Position mgl32.Vec3
	Level    int32
}

// New makes the tables of an envelope on all cores.
func New(ctx context.Context, m *apps.Mesh, side Side, percent float64) (_ *Envelope, err error) {
	defer must.Catch(&err)
	if !(percent >= MinPercent && percent <= MaxPercent) {
		return nil, fmt.Errorf("%g %% of the diagonal: must be %g to %g", percent, MinPercent, float64(MaxPercent))
	}
	e := &Envelope{Mesh: m, Side: side}
	e.scale()
	e.number(progress.Part(ctx, 0, .3))
	step := e.diagonal() * percent / 100 / Levels
	e.Distance = math.Ldexp(step*Levels, e.Exponent)
	e.addSteps(progress.Part(ctx, .3, .5), step)
	e.addCaps(progress.Part(ctx, .5, .7))
	e.addTree(progress.Part(ctx, .7, 1))
	return e, nil
}

// scale sets Positions and Exponent.
func (e *Envelope) scale() {
	most := float32(0)
	for _, v := range e.Mesh.Triangles {
		for _, x := range e.Mesh.Positions[v] {
			most = max(most, float32(math.Abs(float64(x))))
		}
	}
	_, e.Exponent = math.Frexp(float64(most))
	e.Positions = make([]mgl32.Vec3, len(e.Mesh.Positions))
	for v, p := range e.Mesh.Positions {
		for k, x := range p {
			e.Positions[v][k] = float32(math.Ldexp(float64(x), -e.Exponent))
		}
	}
}

// diagonal returns the length of the diagonal of the scaled triangles' box.
func (e *Envelope) diagonal() float64 {
	box := geometry.BoxOf()
	for _, v := range e.Mesh.Triangles {
		box.Add(e.Positions[v])
	}
	return exact.Double(box.Max).Sub(exact.Double(box.Min)).Length()
}

// Stream returns the envelope's index stream.
func (e *Envelope) Stream() reuse.Stream {
	return reuse.Stream{Name: "vertices", Indices: e.Mesh.Triangles, IDs: len(e.Positions)}
}

// Made is the result of shading an envelope with a strategy.
type Made struct {
	Vertices      []Shaded // unreferenced vertices are at rest
	Stats         reuse.Stats
	Counts        []uint32      // how often each vertex was shaded
	Took, Cutting time.Duration // time to shade; time to cut batches on the host for a device
}

// ShadeBy shades each vertex as often as a strategy does. It returns an error if the configuration is
// invalid, or the context's cause.
func (e *Envelope) ShadeBy(ctx context.Context, c reuse.Config) (*Made, error) {
	m := &Made{Vertices: make([]Shaded, len(e.Positions))}
	took := clock.Start()
	for v, p := range e.Positions {
		m.Vertices[v].Position = p
	}
	pass := apps.Pass[Shaded]{Shade: e.ShadeVertex, Keep: func(v uint32, shaded Shaded) { m.Vertices[v] = shaded }}
	var err error
	m.Stats, m.Counts, err = pass.Run(ctx, e.Stream(), c)
	m.Took = took()
	return m, err
}

// Shade shades every referenced vertex once, on all cores. The only error is the context's cause.
func (e *Envelope) Shade(ctx context.Context) ([]Shaded, error) {
	out := make([]Shaded, len(e.Positions))
	return out, apps.OnEach(ctx, len(out), func(v int) {
		out[v].Position = e.Positions[v]
		if e.First[v] < e.First[v+1] {
			out[v] = e.ShadeVertex(uint32(v))
		}
	})
}

// Result returns the envelope as a mesh in the units of the original mesh.
func (e *Envelope) Result(shaded []Shaded) *apps.Mesh {
	m := &apps.Mesh{Positions: make([]mgl32.Vec3, len(shaded)), Triangles: e.Mesh.Triangles}
	for v, s := range shaded {
		for k, x := range s.Position {
			m.Positions[v][k] = float32(math.Ldexp(float64(x), e.Exponent))
		}
	}
	return m
}

// Sum is the 64-bit FNV-1a hash of the levels of referenced vertices, two bytes each, low byte
// first.
func (e *Envelope) Sum(shaded []Shaded) uint64 {
	h := fnv.New64a()
	for v, s := range shaded[:min(len(shaded), len(e.Positions))] {
		if e.First[v] < e.First[v+1] {
			h.Write([]byte{byte(s.Level), byte(s.Level >> 8)})
		}
	}
	return h.Sum64()
}

// Node is a node of the tree, 32 bytes: a box that contains the triangles of its subtree wherever
// their corners stop. A traversal that skips the subtree continues at index Skip; one that enters
// it continues at the next node. A leaf has one triangle, and its Skip is the next node.
type Node struct {
	Lo   mgl32.Vec3
	Skip uint32
	Hi   mgl32.Vec3
	Leaf uint32 // in a leaf, its triangle's number plus 1; in other nodes 0
}

// mortonCells is the number of buckets for Morton codes, one for each value of their first 18 bits.
// The cores sort different buckets in parallel.
const mortonCells = 1 << 18

// addTree sorts the triangles along a Morton curve and splits the list in half repeatedly, down
// to single triangles.
func (e *Envelope) addTree(ctx context.Context) {
	keys := make([]uint64, len(e.Triangles))
	must.OK(apps.OnEach(progress.Part(ctx, 0, .2), len(keys), func(t int) {
		c := e.Triangles[t]
		keys[t] = morton(exact.Add(exact.Add(e.Positions[c[0]], e.Positions[c[1]]), e.Positions[c[2]]))
	}))
	cells := must.Get(apps.GroupBy(progress.Part(ctx, .2, .5), len(keys), mortonCells, func(t int) (uint32, uint64) {
		return uint32(keys[t] >> 45), uint64(t)
	}))
	sorted := make([]uint32, len(keys))
	must.OK(apps.OnEach(progress.Part(ctx, .5, .7), mortonCells, func(cell int) {
		of := cells.Of(cell)
		slices.SortFunc(of, func(s, t uint64) int { return cmp.Or(cmp.Compare(keys[s], keys[t]), cmp.Compare(s, t)) })
		for i, t := range of {
			sorted[int(cells.First[cell])+i] = uint32(t)
		}
	}))
	e.Nodes = make([]Node, 2*len(sorted)-1)
	e.addNode(0, sorted)
	must.OK(context.Cause(ctx))
}

// morton returns the Morton code of a triangle's centroid, from the sum of its corners. The
// centroid's components are from -1 to 1.
func morton(sum mgl32.Vec3) uint64 {
	key := uint64(0)
	for k, x := range sum {
		cell := uint64(math.Floor((float64(x)/3 + 1) * (1 << 20)))
		for bit := range 21 {
			key |= (cell >> bit & 1) << (3*bit + k)
		}
	}
	return key
}

// manyTriangles is the number of triangles from which on the two halves of a node are built in
// parallel.
const manyTriangles = 1 << 13

// addNode makes the node of some triangles in Nodes[at], and the nodes below it at the indices that
// follow.
func (e *Envelope) addNode(at int, triangles []uint32) {
	node := &e.Nodes[at]
	node.Skip = uint32(at + 2*len(triangles) - 1)
	if len(triangles) == 1 {
		box := e.box(Levels, triangles[0])
		node.Lo, node.Hi, node.Leaf = box.Min, box.Max, triangles[0]+1
		return
	}
	half := len(triangles) / 2
	left, right := at+1, at+2*half
	if len(triangles) >= manyTriangles {
		var other sync.WaitGroup
		other.Go(func() { e.addNode(left, triangles[:half]) })
		e.addNode(right, triangles[half:])
		other.Wait()
	} else {
		e.addNode(left, triangles[:half])
		e.addNode(right, triangles[half:])
	}
	box := geometry.BoxOf(e.Nodes[left].Lo, e.Nodes[left].Hi, e.Nodes[right].Lo, e.Nodes[right].Hi)
	node.Lo, node.Hi = box.Min, box.Max
}
