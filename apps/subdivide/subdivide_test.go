package subdivide_test

import (
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/apps/subdivide"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/meshtest"
)

// TestSizes: refining adds one vertex per edge and makes four triangles of one, and the refined
// mesh has the edges of Euler's formula.
func TestSizes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sphere3", "knot8", "terrain16"} {
		m := meshtest.Mesh(t, name)
		level := must.Get(subdivide.NewLevel(t.Context(), m))
		fine := must.Get(level.Refine(t.Context()))
		vertices, triangles := level.Sizes()
		require.Equal(t, vertices, len(fine.Positions))
		require.Equal(t, triangles, fine.Faces())
		edges := must.Get(apps.NewEdges(t.Context(), fine))
		require.Equal(t, 2*len(level.Edges.Ends)+3*m.Faces(), len(edges.Ends), name)
		require.Equal(t, 2*border(level.Edges), border(edges), "%s: watertight but for the mesh's own border", name)
	}
}

// border returns how many edges do not have exactly two triangles.
func border(edges *apps.Edges) (n int) {
	for e := range edges.Ends {
		if edges.Sharp(uint32(e)) {
			n++
		}
	}
	return n
}

// TestOrderOfTrianglesDoesNotMatter: any order gives the same vertices, bit for bit.
func TestOrderOfTrianglesDoesNotMatter(t *testing.T) {
	t.Parallel()
	want := refined(t, meshtest.Mesh(t, "knot8"), 2)
	for _, by := range []string{"forsyth", "random"} {
		require.Equal(t, want.Positions[:1000], refined(t, meshtest.Ordered(t, "knot8", by), 2).Positions[:1000])
		require.Equal(t, refined(t, meshtest.Mesh(t, "knot8"), 1).Positions, refined(t, meshtest.Ordered(t, "knot8", by), 1).Positions)
	}
}

// TestRules has one vertex of every kind: inside, on a border, a corner, at the end of an edge of
// three triangles, and unreferenced.
func TestRules(t *testing.T) {
	t.Parallel()
	m := meshtest.Mesh(t, "grid4") // 5 x 5 vertices
	level := must.Get(subdivide.NewLevel(t.Context(), m))
	kinds := map[uint32]int{}
	for v := range uint32(25) {
		kinds[level.Kind(v)]++
	}
	require.Equal(t, map[uint32]int{subdivide.Smooth: 9, subdivide.Curve: 16}, kinds)
	fine := must.Get(level.Refine(t.Context()))
	for v, p := range fine.Positions[:25] {
		if level.Kind(uint32(v)) == subdivide.Smooth {
			require.InDeltaSlice(t, m.Positions[v][:], p[:], 1e-6, "a flat regular grid stays")
		}
	}

	book, err := apps.Weld(t.Context(),
		[]mgl32.Vec3{{9, 9, 9}, {0, 0, 0}, {0, 0, 8}, {8, 0, 0}, {0, 8, 0}, {-8, 0, 0}},
		[]uint32{1, 2, 3, 1, 2, 4, 1, 2, 5})
	require.NoError(t, err)
	level = must.Get(subdivide.NewLevel(t.Context(), book))
	fine = must.Get(level.Refine(t.Context()))
	require.Equal(t, book.Positions[:3], fine.Positions[:3], "unreferenced, and four sharp edges")
	require.Equal(t, mgl32.Vec3{6, 0, 1}, fine.Positions[3], "two sharp edges: 3/4 of itself, 1/8 of both neighbours")
	require.Equal(t, mgl32.Vec3{0, 0, 4}, fine.Positions[6], "the middle of a sharp edge")

	tetrahedron, err := apps.Weld(t.Context(), []mgl32.Vec3{{0, 0, 0}, {8, 0, 0}, {0, 8, 0}, {0, 0, 8}},
		[]uint32{0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3})
	require.NoError(t, err)
	fine = refined(t, tetrahedron, 1)
	require.Equal(t, mgl32.Vec3{3, 1, 1}, fine.Positions[4], "3/8 of its ends, 1/8 of what is opposite")
	require.Equal(t, mgl32.Vec3{1.5, 1.5, 1.5}, fine.Positions[0], "three neighbours: 3/16 of each")
}

// TestStrategiesMakeTheSameMesh, however often they shade each vertex.
func TestStrategiesMakeTheSameMesh(t *testing.T) {
	t.Parallel()
	m := meshtest.Ordered(t, "knot8", "forsyth")
	level := must.Get(subdivide.NewLevel(t.Context(), m))
	want := must.Get(level.Refine(t.Context()))
	for _, s := range reuse.Strategies {
		for _, c := range s.Variants() {
			made := must.Get(level.RefineBy(t.Context(), c))
			require.NoError(t, made.Check(level, c, want.Positions))
			require.False(t, slices.Contains(made.PerEdge, 0), "%s", c)
		}
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	m := meshtest.Mesh(t, "sphere4")
	bytes, triangles, err := subdivide.Memory(m.Faces(), 2)
	require.NoError(t, err)
	require.EqualValues(t, 16*m.Faces(), triangles)
	require.Positive(t, bytes)
	_, _, err = subdivide.Memory(m.Faces(), 9)
	require.EqualError(t, err, "9 levels of 5120 triangles are more than the 715827882 triangles that an index stream can have")
}
