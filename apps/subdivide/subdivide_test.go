package subdivide_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/apps/subdivide"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/base/must"
	rows "github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/meshtest"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shape"
	"github.com/shadeonce/shadeonce/renderer"
)

// TestSizes: the refined mesh has the numbers of vertices and triangles that Level.Sizes gives. Each edge becomes two, each
// triangle adds three, and the border has twice as many edges.
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

// TestOrderOfTrianglesDoesNotMatter: other orders give the same vertices of one level, and the same first thousand of two.
func TestOrderOfTrianglesDoesNotMatter(t *testing.T) {
	t.Parallel()
	want := refined(t, meshtest.Mesh(t, "knot8"), 2)
	for _, by := range []string{"forsyth", "random"} {
		require.Equal(t, want.Positions[:1000], refined(t, meshtest.Ordered(t, "knot8", by), 2).Positions[:1000])
		require.Equal(t, refined(t, meshtest.Mesh(t, "knot8"), 1).Positions, refined(t, meshtest.Ordered(t, "knot8", by), 1).Positions)
	}
}

// TestRules refines three meshes whose vertices are of every kind: inside, on a border, a corner, at the end of an edge of
// three triangles, and unreferenced.
func TestRules(t *testing.T) {
	t.Parallel()
	m := meshtest.Mesh(t, "grid4") // 5 x 5 vertices
	level := must.Get(subdivide.NewLevel(t.Context(), m))
	kinds := map[uint32]int{}
	for v := range uint32(25) {
		kinds[level.Kind(v)]++
		require.Len(t, slices.Compact(slices.Sorted(slices.Values(level.Neighbours(v)))), len(level.Neighbours(v)), "each once")
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

// TestStrategiesMakeTheSameMesh: the mesh does not depend on how often a strategy shades each vertex.
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
	bytes, triangles := must.Get2(subdivide.Memory(m.Faces(), 2))
	require.EqualValues(t, 16*m.Faces(), triangles)
	require.Positive(t, bytes)
	_, _, err := subdivide.Memory(m.Faces(), 9)
	require.EqualError(t, err, "9 levels of 5120 triangles are more than the 715827882 triangles that an index stream can have")
}

// TestLevelsFitTheDevice compares the estimated memory of levels with that of their actual tables.
func TestLevelsFitTheDevice(t *testing.T) {
	t.Parallel()
	m := meshtest.Mesh(t, "terrain16") // it has a border
	first := must.Get(subdivide.NewLevel(t.Context(), m))
	level := first
	for n := 1; n <= 3; n++ {
		vertices, edges, corners := len(level.Mesh.Positions), len(level.Edges.Ends), 3*level.Mesh.Faces()
		fine := 12 * (vertices + edges)
		total := int64(12*vertices + fine + 2*8*edges + 4*len(level.RingOffset) + 4*len(level.Ring) + 4*corners + 4*max(vertices, edges))
		fits := func(device, binds int64) error {
			return first.Fits(&renderer.Limits{DeviceBytes: device, MaxBufferBytes: binds}, 1, n)
		}
		require.NoError(t, fits(total, int64(max(fine, 4*corners))))
		need, have := bytesize.Texts(total, total-1)
		require.EqualError(t, fits(total-1, math.MaxInt64), fmt.Sprintf("level %d takes %s on the device, which has %s", n, need, have))
		need, have = bytesize.Texts(int64(fine), int64(fine)-1)
		require.EqualError(t, fits(total, int64(fine)-1), fmt.Sprintf("level %d: its table FinePositions takes %s, the device binds at most %s", n, need, have))
		require.ErrorContains(t, first.Fits(&renderer.Limits{DeviceBytes: math.MaxInt64, MaxBufferBytes: int64(fine) - 1}, 1, 20), fmt.Sprintf("level %d: its table FinePositions takes ", n))
		level = must.Get(subdivide.NewLevel(t.Context(), must.Get(level.Refine(t.Context()))))
	}
}

// TestDriver: the CPU and a device make the same mesh in two levels, verified or not. Rows have the level's work.
func TestDriver(t *testing.T) {
	t.Parallel()
	b := must.Get(gpu.OpenBackend(gpu.BackendOptions{Device: os.Getenv("SHADEONCE_DEVICE"), Validation: os.Getenv("SHADEONCE_VALIDATION") != ""}))
	t.Cleanup(func() { b.Close(); require.Empty(t, b.Messages()) })
	of, configs := rows.Subject{Scene: meshtest.Scene(t, "sphere2")}, []reuse.Config{must.Get(reuse.Resolve("naive", 0, 0)), must.Get(reuse.Resolve("hash", 0, 0))}
	want := refined(t, meshtest.Mesh(t, "sphere2"), 2)
	for i, on := range []plan.Backend{nil, b, b} {
		d := subdivide.Driver{Run: apps.Run{Configs: configs, On: on, Verify: i == 2}, Levels: 2}
		require.NoError(t, d.Do(t.Context(), of))
		require.Len(t, d.Rows(), 4)
		row := d.Rows()[2]
		require.Equal(t, []any{"level 2", "naive", 3 * 1280, 6 * 1280, want.Sum(), 1.}, []any{row.Part, row.Strategy, row.Edges, row.Invocations, row.Hash, row.VsNaive})
		require.Equal(t, i > 0, row.Cutting > 0, "a CPU cuts while it shades")
		d.Levels = 20
		require.ErrorContains(t, d.Do(t.Context(), of), "20 levels of 320 triangles are more than")
	}
	_, err := subdivide.NewScene(t.Context(), of.Scene, 20)
	require.ErrorContains(t, err, "20 levels of 320 triangles are more than")
}

// BenchmarkTables builds a level's tables: the time per triangle should not depend on the mesh.
func BenchmarkTables(b *testing.B) {
	for _, name := range []string{"sphere5", "sphere8", "turbine.off"} {
		for _, by := range []string{"original", "random"} {
			m := meshtest.Ordered(b, name, by)
			for part, work := range map[string]func() error{
				"edges":  func() error { _, err := apps.NewEdges(b.Context(), m); return err },
				"tables": func() error { _, err := subdivide.NewLevel(b.Context(), m); return err },
			} {
				b.Run(name+"/"+by+"/"+part, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if err := work(); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m.Faces()), "ns/triangle")
				})
			}
		}
	}
}

// BenchmarkScene makes scenes that are subdivided while they are drawn.
func BenchmarkScene(b *testing.B) {
	s := meshtest.Scene(b, "sphere8")
	for b.Loop() {
		if _, err := subdivide.NewScene(b.Context(), s, 1); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(s.Triangles()), "ns/triangle")
}

// TestSceneIsTheRefinedMesh: indices, positions and box are equal, bit for bit, after one to three levels, and so are parts
// of the indices, read at several places.
func TestSceneIsTheRefinedMesh(t *testing.T) {
	t.Parallel()
	for levels := 1; levels <= 3; levels++ {
		s := must.Get(subdivide.NewScene(t.Context(), meshtest.Scene(t, "knot8"), levels))
		want := refined(t, meshtest.Mesh(t, "knot8"), levels)
		got := s.Stored()
		require.NoError(t, got.Validate(t.Context()))
		require.Equal(t, want.Positions, got.Positions)
		require.Equal(t, want.Triangles, got.Indices)
		require.Equal(t, got.Bounds(), s.Bounds())
		require.Equal(t, got.Triangles(), s.Triangles())
		coarse := must.Get(apps.SceneOf(t.Context(), "", []string{""}, refined(t, meshtest.Mesh(t, "knot8"), levels-1)))
		require.Equal(t, coarse.Normals, s.Normals[len(coarse.Normals):], "those that all others are sums of")
		var room []uint32
		for _, part := range [][2]uint32{{0, 1}, {11, 2}, {5, 31}, {12, 12}, {100, 77}} {
			require.Equal(t, got.Indices[part[0]:][:part[1]], s.IndicesAt(part[0], part[1], &room))
		}
	}
}

// TestNormalsFaceOutwards: normals computed with the positions' weights face outwards.
func TestNormalsFaceOutwards(t *testing.T) {
	t.Parallel()
	s := must.Get(subdivide.NewScene(t.Context(), meshtest.Scene(t, "sphere3"), 1))
	for v := range s.Draws[0].VertexCount {
		position, normal := s.Computed.Vertex(v)
		require.Greater(t, normal.Normalize().Dot(position.Normalize()), float32(.999))
	}
}

// TestSceneOfManyDraws: many draws become one mesh in the default colour; a single draw keeps its colour and its sides.
func TestSceneOfManyDraws(t *testing.T) {
	t.Parallel()
	from := meshtest.Scene(t, "city6")
	require.Greater(t, len(from.Draws), 1)
	s := must.Get(subdivide.NewScene(t.Context(), from, 2))
	require.Len(t, s.Draws, 1)
	require.Equal(t, geometry.DefaultColor, s.Draws[0].Color)
	require.Equal(t, mgl32.Ident4(), s.Draws[0].Transform)
	require.Contains(t, s.Name, ", subdivided twice")
	one := meshtest.Scene(t, "sphere3")
	one.Draws[0].Color = mgl32.Vec4{1, 0, 0, 1}
	s = must.Get(subdivide.NewScene(t.Context(), one, 1))
	require.Equal(t, one.Draws[0].Color, s.Draws[0].Color)
	require.False(t, s.Draws[0].OneSided)
	one.Draws[0].OneSided = true
	s = must.Get(subdivide.NewScene(t.Context(), one, 1))
	require.True(t, s.Draws[0].OneSided)
}

// TestThreeTrianglesAtAnEdge: an edge of three triangles is sharp, so its new vertex is its midpoint.
func TestThreeTrianglesAtAnEdge(t *testing.T) {
	t.Parallel()
	s, err := subdivide.NewScene(t.Context(), &geometry.Scene{
		Positions: []mgl32.Vec3{{0, 0, 0}, {2, 0, 0}, {0, 4, 0}, {0, -4, 0}, {0, 0, 8}}, Indices: []uint32{0, 1, 2, 1, 0, 3, 0, 1, 4},
		Draws: []geometry.Draw{{IndexCount: 9, VertexCount: 5, Transform: mgl32.Ident4()}},
	}, 1)
	require.NoError(t, err)
	middle, _ := s.Computed.Vertex(5) // of edge 0, from vertex 0 to 1
	require.Equal(t, mgl32.Vec3{1, 0, 0}, middle)
}

// TestBatchesOfAComputedStream: batches, samples, statistics and counts of a computed stream equal those of
// the stored stream, whole and in windows.
func TestBatchesOfAComputedStream(t *testing.T) {
	t.Parallel()
	irregular := must.Get(order.Apply(t.Context(), meshtest.Scene(t, "knot24"), "random")) // batches of various sizes
	s := must.Get(subdivide.NewScene(t.Context(), irregular, 2))
	stored := s.Stored()
	require.Greater(t, stored.IndexStreamLen(), 3<<14, "more than a part")
	for _, name := range reuse.Names() {
		strategy := must.Get(reuse.Lookup(name))
		for _, c := range strategy.Variants() {
			require.Equal(t, reuse.Batches(stored, c), reuse.Batches(s, c), "%s", c)
			first := reuse.NewCutter(s, c)
			first.Next()
			other := *first // a copy of a Cutter must read correctly after the original has read further parts
			require.Equal(t, first.Window(nil, 1<<20), other.Window(nil, 1<<20), "%s", c)
			require.Equal(t, reuse.SampleBatches(stored, c), reuse.SampleBatches(s, c), "%s", c)
			want, wantNext := reuse.BatchesOf(stored, c, 0, 1000)
			got, next := reuse.BatchesOf(s, c, 0, 1000)
			require.Equal(t, want, got)
			require.Equal(t, wantNext, next)
			want, _ = reuse.BatchesOf(stored, c, next, 1000)
			got, _ = reuse.BatchesOf(s, c, next, 1000)
			require.Equal(t, want, got)
		}
	}
	c := must.Get(reuse.Resolve("hash", 0, 0))
	wantStats, want := must.Get2(reuse.Analyze(stored, c))
	gotStats, got := must.Get2(reuse.Analyze(s, c))
	require.Equal(t, want, got)
	require.Equal(t, wantStats, gotStats)
	require.Equal(t, must.Get(reuse.NewStats(stored, want)), must.Get(reuse.NewStats(s, got)))
	require.Equal(t, shape.Referenced(stored), shape.Referenced(s))
}
