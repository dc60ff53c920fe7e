package subdivide_test

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/apps/subdivide"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/meshtest"
	"github.com/shadeonce/shadeonce/internal/shape"
)

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
