package apps_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/apps/envelope"
	"github.com/shadeonce/shadeonce/apps/subdivide"
	"github.com/shadeonce/shadeonce/apps/walk"
	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/meshtest"
)

func TestWeld(t *testing.T) {
	t.Parallel()
	zero := float32(math.Copysign(0, -1))
	m, err := apps.Weld(t.Context(),
		[]mgl32.Vec3{{5, 5, 5}, {0, 0, 0}, {1, 0, 0}, {zero, 0, zero}, {0, 1, 0}, {1, 0, 0}},
		[]uint32{3, 5, 4, 1, 3, 4, 2, 2, 4})
	require.NoError(t, err)
	require.Equal(t, []uint32{1, 2, 4}, m.Triangles, "two triangles name a vertex twice")
	require.Len(t, m.Positions, 6, "numbers stay")
	require.Zero(t, math.Float32bits(m.Positions[3][0]))
	_, err = apps.Weld(t.Context(), []mgl32.Vec3{{}, {}, {}}, []uint32{0, 1, 2})
	require.EqualError(t, err, "no triangles with three different corners")
	_, err = apps.Weld(t.Context(), []mgl32.Vec3{{}, {0, float32(math.NaN()), 0}}, nil)
	require.EqualError(t, err, "vertex 1: position is not finite: [0 NaN 0]")
}

// TestWeldFindsAll compares welding with a map of positions.
func TestWeldFindsAll(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	positions := make([]mgl32.Vec3, 20000)
	lowest := map[mgl32.Vec3]uint32{}
	var triangles, want []uint32
	for v := range positions {
		for k := range 3 {
			positions[v][k] = float32(random.IntN(12))
		}
		if _, known := lowest[positions[v]]; !known {
			lowest[positions[v]] = uint32(v)
		}
	}
	for range 20000 {
		i, j, k := random.Uint32N(20000), random.Uint32N(20000), random.Uint32N(20000)
		triangles = append(triangles, i, j, k)
		i, j, k = lowest[positions[i]], lowest[positions[j]], lowest[positions[k]]
		if i != j && j != k && k != i {
			want = append(want, i, j, k)
		}
	}
	m := must.Get(apps.Weld(t.Context(), positions, triangles))
	require.Equal(t, want, m.Triangles)
}

// TestNewMeshOfSeveralDraws: two draws of one triangle, the second moved by its transform, give six vertices.
func TestNewMeshOfSeveralDraws(t *testing.T) {
	t.Parallel()
	s := must.Get(assets.Make("triangle"))
	m := must.Get(apps.NewMesh(t.Context(), s))
	require.Len(t, m.Positions, 3)
	moved := *s
	moved.Draws = []geometry.Draw{s.Draws[0], s.Draws[0]}
	moved.Draws[1].Transform = mgl32.Translate3D(0, 0, 7)
	m = must.Get(apps.NewMesh(t.Context(), &moved))
	require.Len(t, m.Positions, 6)
	require.Equal(t, 2, m.Faces())
	require.Equal(t, s.Positions[1].Add(mgl32.Vec3{0, 0, 7}), m.Positions[4])
}

// TestEdges compares edges with a map: numbers in lexicographic order, opposite vertices, and
// each triangle's three edges.
func TestEdges(t *testing.T) {
	t.Parallel()
	for _, m := range []*apps.Mesh{
		meshtest.Mesh(t, "sphere3"), meshtest.Mesh(t, "terrain20"), meshtest.Mesh(t, "soup"),
		{Positions: make([]mgl32.Vec3, 6), Triangles: []uint32{1, 2, 3, 2, 1, 4, 1, 2, 5}}, // three triangles share an edge
		fan(t, 5000), // one vertex has thousands of edges
	} {
		edges := must.Get(apps.NewEdges(t.Context(), m))
		opposite := map[[2]uint32][]uint32{}
		for k, i := range m.Triangles {
			tri := m.Triangles[k/3*3:][:3]
			j, apex := tri[(k+1)%3], tri[(k+2)%3]
			ends := [2]uint32{min(i, j), max(i, j)}
			opposite[ends] = append(opposite[ends], apex)
			require.Equal(t, ends, edges.Ends[edges.Triangles[k]])
		}
		require.Equal(t, len(opposite), len(edges.Ends))
		require.True(t, slices.IsSortedFunc(edges.Ends, func(a, b [2]uint32) int {
			return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
		}))
		for e, ends := range edges.Ends {
			want := [2]uint32{apps.None, apps.None}
			if apexes := opposite[ends]; len(apexes) == 2 {
				want = [2]uint32{min(apexes[0], apexes[1]), max(apexes[0], apexes[1])}
			}
			require.Equal(t, want, edges.Opposite[e])
		}
	}
}

// fan returns n triangles around one vertex, which has the highest number.
func fan(t *testing.T, n uint32) *apps.Mesh {
	positions := make([]mgl32.Vec3, n+2)
	var triangles []uint32
	for i := range n {
		positions[i+1] = mgl32.Vec3{float32(i), 1, 0}
		triangles = append(triangles, n+1, n-i, n-i-1)
	}
	positions[n+1] = mgl32.Vec3{0, 0, 1}
	positions[0] = mgl32.Vec3{-1, 0, 0}
	return must.Get(apps.Weld(t.Context(), positions, triangles))
}

// TestStreamOfSingleCorners shades a list of single corners with every strategy. Every id in the list is
// shaded at least once, and as often as counted.
func TestStreamOfSingleCorners(t *testing.T) {
	t.Parallel()
	ids := reuse.Triples([]uint32{4, 4, 1, 4, 2, 7, 7})
	require.Equal(t, []uint32{4, 4, 1, 4, 2, 7, 7, 7, 7}, ids)
	stream := reuse.Stream{Name: "cells", Indices: ids, IDs: 9}
	for _, s := range reuse.Strategies {
		c := must.Get(reuse.Params{}.Resolve(s.Name))
		shaded, kept, corners := make([]atomic.Uint32, stream.IDs), make([]uint32, stream.IDs), make([]uint32, len(ids))
		st, counts, err := apps.Pass[uint32]{
			Shade:  func(id uint32) uint32 { shaded[id].Add(1); return 10 * id },
			Keep:   func(id, result uint32) { kept[id] += result },
			Corner: func(k int, result *uint32) { corners[k] = *result },
		}.Run(t.Context(), stream, c)
		require.NoError(t, err)
		for id, n := range counts {
			require.Equal(t, shaded[id].Load(), n, s.Name)
			require.Equal(t, min(n, 1)*10*uint32(id), kept[id], s.Name)
		}
		for k, id := range ids {
			require.Equal(t, 10*id, corners[k], s.Name)
		}
		require.Equal(t, 4, st.Referenced)
		if s.Name == "hash" {
			require.Equal(t, []uint32{0, 1, 1, 0, 1, 0, 0, 1, 0}, counts)
		}
	}
}

// TestRunCounts compares the statistics with those of package reuse, over a stream that several
// cores process.
func TestRunCounts(t *testing.T) {
	t.Parallel()
	m := meshtest.Mesh(t, "knot60")
	stream := reuse.Stream{Indices: m.Triangles, IDs: len(m.Positions)}
	for _, s := range reuse.Strategies {
		for _, c := range s.Variants() {
			want, wantCounts := must.Get2(c.Count(stream.Indices, stream.IDs))
			st, counts := must.Get2(apps.Pass[struct{}]{Shade: func(uint32) struct{} { return struct{}{} }}.Run(t.Context(), stream, c))
			require.Equal(t, want, st, "%s", c)
			require.True(t, slices.Equal(wantCounts, counts), "%s", c)
		}
	}
}

// TestRunEnds cancels the context while the first vertex is shaded: Run returns the cause.
func TestRunEnds(t *testing.T) {
	t.Parallel()
	m := meshtest.Mesh(t, "knot60")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	cause := errors.New("enough")
	for _, name := range []string{"warp", "multi"} {
		c := must.Get(reuse.Resolve(name, 0, 0))
		_, _, err := apps.Pass[int]{Shade: func(uint32) int { cancel(cause); return 0 }}.
			Run(ctx, reuse.Stream{Indices: m.Triangles, IDs: len(m.Positions)}, c)
		require.ErrorIs(t, err, cause)
	}
}

// TestSizes resolves all parameters of the paper and of the applications.
func TestSizes(t *testing.T) {
	t.Parallel()
	for _, sizes := range []map[string]reuse.Params{subdivide.PaperSizes, subdivide.Sizes, envelope.PaperSizes, envelope.Sizes, walk.PaperSizes} {
		for name, p := range sizes {
			_, err := p.Resolve(name)
			require.NoError(t, err, name)
		}
	}
}
