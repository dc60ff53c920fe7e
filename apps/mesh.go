package apps

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// Mesh is one welded triangle mesh: no two referenced vertices have the same position, and no
// triangle uses a vertex twice.
type Mesh struct {
	Positions []mgl32.Vec3 // by vertex; contains no -0
	Triangles []uint32     // three vertices each
}

// check returns an error for triangles that name missing vertices.
func (m *Mesh) check() error {
	if m == nil {
		return errors.New("no mesh")
	}
	return reuse.Stream{Name: "triangles", Indices: m.Triangles, IDs: len(m.Positions)}.Check()
}

// Faces is the number of triangles.
func (m *Mesh) Faces() int { return len(m.Triangles) / 3 }

// NewMesh makes one mesh of a scene's draws. If no draw has a transform, vertices keep their
// numbers in the scene. Otherwise each draw gets its own transformed copy of its vertices, one
// draw after another. The scene must have passed Validate.
//
// Triangles refer to the lowest-numbered vertex at a position, compared bit for bit, so that
// texture seams do not crack. The other vertices stay in the list, unreferenced. Triangles that
// use a vertex twice are dropped.
func NewMesh(ctx context.Context, s *geometry.Scene) (_ *Mesh, err error) {
	defer must.Catch(&err)
	must.OK(reuse.CheckScene(s))
	s = s.Stored()
	must.OK(checkVertices(s))
	positions, triangles := s.Positions, make([]uint32, 0, s.IndexStreamLen())
	if placed(s) {
		if int64(s.DrawVertices()) >= math.MaxInt32 {
			return nil, fmt.Errorf("%d vertices over all draws, at most %d are supported", s.DrawVertices(), math.MaxInt32-1)
		}
		positions = make([]mgl32.Vec3, 0, s.DrawVertices())
	}
	for i := range s.Draws {
		d := &s.Draws[i]
		base := d.VertexOffset
		if placed(s) {
			base = uint32(len(positions))
			for _, p := range s.Positions[d.VertexOffset : d.VertexOffset+d.VertexCount] {
				positions = append(positions, mgl32.TransformCoordinate(p, d.Transform))
			}
		}
		for _, id := range s.DrawIndices(i) {
			triangles = append(triangles, base+id)
		}
	}
	return Weld(ctx, positions, triangles)
}

// checkVertices returns an error for a scene whose draws name missing vertices.
func checkVertices(s *geometry.Scene) error {
	for i := range s.Draws {
		if d := &s.Draws[i]; int(d.VertexOffset)+int(d.VertexCount) > len(s.Positions) {
			return fmt.Errorf("draw %d (%q): vertices %d to %d, and there are %d", i, d.Name, d.VertexOffset, int(d.VertexOffset)+int(d.VertexCount)-1, len(s.Positions))
		}
	}
	return nil
}

// placed reports whether some draw has a transform.
func placed(s *geometry.Scene) bool {
	return slices.ContainsFunc(s.Draws, func(d geometry.Draw) bool { return d.Transform != mgl32.Ident4() })
}

// Weld makes a mesh of triangles. Of the vertices at one position, triangles use the lowest-numbered one; triangles that then use
// a vertex twice are dropped. It is an error if no triangle is left. Weld changes neither slice.
func Weld(ctx context.Context, positions []mgl32.Vec3, triangles []uint32) (_ *Mesh, err error) {
	defer must.Catch(&err)
	must.OK(reuse.Stream{Name: "triangles", Indices: triangles, IDs: len(positions)}.Check())
	m := &Mesh{Positions: make([]mgl32.Vec3, len(positions))}
	for v, p := range positions {
		if !exact.Finite(p[:]...) {
			return nil, fmt.Errorf("vertex %d: position is not finite: %v", v, p)
		}
		for k, x := range p {
			m.Positions[v][k] = x + 0 // -0 becomes +0
		}
	}
	same := m.lowest(progress.Part(ctx, 0, .8))
	m.Triangles = make([]uint32, 0, len(triangles))
	must.OK(progress.Each(progress.Part(ctx, .8, 1), len(triangles)/3, func(from, to int) {
		for t := from; t < to; t++ {
			i, j, k := same[triangles[3*t]], same[triangles[3*t+1]], same[triangles[3*t+2]]
			if i != j && j != k && k != i {
				m.Triangles = append(m.Triangles, i, j, k)
			}
		}
	}))
	if len(m.Triangles) == 0 {
		return nil, errors.New("no triangles with three different corners")
	}
	return m, nil
}

// lowest returns for each vertex the vertex with the lowest number at the same position.
func (m *Mesh) lowest(ctx context.Context) []uint32 {
	same := make([]uint32, len(m.Positions))
	keys := len(m.Positions)
	groups := must.Get(GroupBy(progress.Part(ctx, 0, .9), len(m.Positions), keys, func(v int) (uint32, uint64) {
		return uint32(mix(m.Positions[v]) * uint64(keys) >> 32), uint64(v)
	}))
	must.OK(OnEach(progress.Part(ctx, .9, 1), keys, func(key int) {
		group := groups.Of(key)
		if len(group) > 1 {
			slices.SortFunc(group, func(v, w uint64) int {
				return cmp.Or(slices.Compare(m.Positions[v][:], m.Positions[w][:]), cmp.Compare(v, w))
			})
		}
		for i, v := range group {
			same[v] = uint32(v)
			if i > 0 && m.Positions[v] == m.Positions[group[i-1]] {
				same[v] = same[group[i-1]]
			}
		}
	}))
	return same
}

// mix hashes a position to 32 bits.
func mix(p mgl32.Vec3) uint64 {
	h := uint64(0)
	for _, x := range p {
		h = (h ^ uint64(math.Float32bits(x))) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	return h & math.MaxUint32
}

// SceneOf makes a scene of meshes, one draw per mesh, with these names. If there is only one
// mesh, the scene uses the mesh's own pools.
func SceneOf(ctx context.Context, name string, names []string, meshes ...*Mesh) (*geometry.Scene, error) {
	if len(meshes) == 0 || len(names) != len(meshes) || slices.Contains(meshes, nil) {
		return nil, fmt.Errorf("%d names for %d meshes: there must be as many, and a mesh at least", len(names), len(meshes))
	}
	for i, m := range meshes {
		if err := m.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", names[i], err)
		}
	}
	colors := []mgl32.Vec4{geometry.DefaultColor, {.75, .35, .3, 1}}
	s := &geometry.Scene{Name: name, Positions: meshes[0].Positions, Indices: meshes[0].Triangles}
	for i, m := range meshes {
		d := geometry.Draw{
			Name: names[i], IndexCount: uint32(len(m.Triangles)), VertexCount: uint32(len(m.Positions)),
			Transform: mgl32.Ident4(), Color: colors[i%len(colors)],
		}
		if i > 0 {
			d.FirstIndex, d.VertexOffset = uint32(len(s.Indices)), uint32(len(s.Positions))
			s.Indices, s.Positions = slices.Concat(s.Indices, m.Triangles), slices.Concat(s.Positions, m.Positions)
		}
		s.Draws = append(s.Draws, d)
	}
	return s, s.MakeNormals(ctx)
}

// Sum returns the first 16 digits of SHA-256 over the positions, then the triangles, all little
// endian.
func (m *Mesh) Sum() string {
	h := sha256.New()
	_ = binary.Write(h, binary.LittleEndian, m.Positions) // writing to a hash cannot fail
	_ = binary.Write(h, binary.LittleEndian, m.Triangles)
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// Edges is a mesh's edges, numbered in the lexicographic order of their ends, so that the numbers
// do not depend on the order of triangles.
type Edges struct {
	Ends      [][2]uint32 // by edge: its vertices, the lower one first
	Opposite  [][2]uint32 // by edge: the third vertices of its two triangles, the lower one first; None if the edge is sharp
	First     []uint32    // by vertex: the first edge whose lower end it is; one extra entry holds the end
	Triangles []uint32    // three edges per triangle: from corner 0 to 1, 1 to 2, 2 to 0
}

// Sharp reports whether an edge is sharp: it has one triangle, or more than two.
func (e *Edges) Sharp(edge uint32) bool { return e.Opposite[edge][0] == None }

// Corners returns, for each edge and each of its two triangles, the corner of the triangle at which
// the edge begins, as an index into Mesh.Triangles. A sharp edge has its first triangle's corner, and None.
func (e *Edges) Corners() [][2]uint32 {
	corners := slices.Repeat([][2]uint32{{None, None}}, len(e.Ends))
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

// NextCorner returns the corner that follows corner k in its triangle; the first follows the last.
func NextCorner(k int) int {
	if k%3 == 2 {
		return k - 2
	}
	return k + 1
}

// edgesOf groups half-edges into edges. The half-edges are sorted and have the same lower end. edgesOf
// yields each edge's higher end and its half-edges.
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
