package cgal

import (
	"fmt"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/apps"
	"github.com/shadeonce/shadeonce/geometry/apps/envelope"
	"github.com/shadeonce/shadeonce/geometry/apps/meshtest"
)

// TestEnvelopes counts pairs of triangles that meet: in the mesh at rest, in its
// envelope, and in both together. None may be added. All vertices at the highest
// level make some, on most meshes.
func TestEnvelopes(t *testing.T) {
	t.Parallel()
	meets := program(t, "meets")
	const unknown = -1
	for _, c := range []struct {
		name            string
		percent         float64
		rest, unbounded int // unbounded: outer, where another implementation has published it
	}{
		{"sphere4", 2, 0, 0},
		{"knot24", 2, 0, 0},
		{"knot24", 30, 0, unknown},
		{"terrain24", 30, 0, unknown},
		{"cube", 60, 0, unknown},
		{"spot.obj", 2, 0, 498},
		{"kitten.obj", 2, 0, 768},
		{"bun_zipper.ply", 2, 0, 6186},
		{"camelhead.off.zst", 2, 5, unknown},
		{"cow.obj.zst", 2, 81, unknown},
		{"suzanne.obj", 2, 91, unknown},
		{"teapot.obj", 2, 161, unknown},
		{"photon_buddha.obj.zst", 2, 83, unknown},
	} {
		t.Run(fmt.Sprintf("%s %g", c.name, c.percent), func(t *testing.T) {
			m := meshtest.Mesh(t, c.name)
			require.Equal(t, c.rest, pairs(t, meets, m))
			for _, side := range []envelope.Side{envelope.Outer, envelope.Inner} {
				e, err := envelope.New(t.Context(), m, side, c.percent)
				require.NoError(t, err)
				shaded, err := e.Shade(t.Context())
				require.NoError(t, err)
				require.Equal(t, c.rest, pairs(t, meets, e.Result(shaded)), side)
				require.Equal(t, c.rest, pairs(t, meets, together(m, e.Result(shaded))), "%s and the mesh", side)
				if side == envelope.Outer {
					n := pairs(t, meets, e.Result(unbounded(e)))
					t.Logf("unbounded, %d pairs meet", n)
					if c.unbounded != unknown {
						require.Equal(t, c.unbounded, n)
					}
				}
			}
		})
	}
}

// pairs is how many pairs of triangles meet by CGAL's predicates; and by its own
// self_intersections, where the mesh is manifold.
func pairs(t *testing.T, meets string, m *apps.Mesh) (n int) {
	t.Helper()
	own := 0
	_, err := fmt.Sscan(string(run(t, m, meets)), &n, &own)
	require.NoError(t, err)
	if own >= 0 {
		require.Equal(t, n, own)
	}
	return n
}

// unbounded has every vertex go the whole distance.
func unbounded(e *envelope.Envelope) []envelope.Shaded {
	out := make([]envelope.Shaded, len(e.Positions))
	for v, p := range e.Positions {
		step := e.Steps[v]
		for k := range p {
			p[k] += float32(step[k] * envelope.Levels)
		}
		out[v] = envelope.Shaded{Position: p, Level: envelope.Levels}
	}
	return out
}

// together is a mesh and its envelope in one. Vertices that have not moved are the
// mesh's own, and triangles none of whose corners has moved are there once.
func together(m, moved *apps.Mesh) *apps.Mesh {
	number := make([]uint32, len(m.Positions))
	for v := range number {
		number[v] = uint32(v)
		if m.Positions[v] != moved.Positions[v] {
			number[v] += uint32(len(m.Positions))
		}
	}
	out := &apps.Mesh{Positions: slices.Concat(m.Positions, moved.Positions), Triangles: slices.Clone(m.Triangles)}
	for t := range slices.Chunk(m.Triangles, 3) {
		if i, j, k := number[t[0]], number[t[1]], number[t[2]]; i != t[0] || j != t[1] || k != t[2] {
			out.Triangles = append(out.Triangles, i, j, k)
		}
	}
	return out
}

// TestMeetsCatches has the program look at meshes that meet in every way.
func TestMeetsCatches(t *testing.T) {
	t.Parallel()
	meets := program(t, "meets")
	for _, c := range []struct {
		what      string
		fourth    mgl32.Vec3 // the first three are 0 0 0, 8 0 0, 0 8 0
		rest      []mgl32.Vec3
		triangles []uint32
		want      int
	}{
		{"an edge in common", mgl32.Vec3{0, 0, 1}, nil, []uint32{0, 1, 2, 1, 0, 3}, 0},
		{"in one plane, on either side of it", mgl32.Vec3{0, -8, 0}, nil, []uint32{0, 1, 2, 1, 0, 3}, 0},
		{"folded", mgl32.Vec3{4, 4, 0}, nil, []uint32{0, 1, 2, 1, 0, 3}, 1},
		{"nearly folded", mgl32.Vec3{4, 4, 1e-30}, nil, []uint32{0, 1, 2, 1, 0, 3}, 0},
		{"a vertex in common", mgl32.Vec3{-1, -1, 1}, []mgl32.Vec3{{-1, -1, -1}}, []uint32{0, 1, 2, 0, 3, 4}, 0},
		{"through the other", mgl32.Vec3{1, 1, 1}, []mgl32.Vec3{{1, 1, -1}}, []uint32{0, 1, 2, 0, 3, 4}, 1},
		{"an edge touched from above", mgl32.Vec3{4, 4, 0}, []mgl32.Vec3{{4, 4, 1}, {5, 4, 1}}, []uint32{0, 1, 2, 3, 4, 5}, 1},
		{"just above it", mgl32.Vec3{4, 4, 1e-30}, []mgl32.Vec3{{4, 4, 1}, {5, 4, 1}}, []uint32{0, 1, 2, 3, 4, 5}, 0},
		{"the same twice", mgl32.Vec3{}, nil, []uint32{0, 1, 2, 0, 2, 1}, 1},
	} {
		m := &apps.Mesh{Positions: append([]mgl32.Vec3{{}, {8, 0, 0}, {0, 8, 0}, c.fourth}, c.rest...), Triangles: c.triangles}
		if c.what == "the same twice" {
			var n, own int
			_, err := fmt.Sscan(string(run(t, m, meets)), &n, &own)
			require.NoError(t, err)
			require.Equal(t, c.want, n, c.what)
			continue
		}
		require.Equal(t, c.want, pairs(t, meets, m), c.what)
	}
}
