package cgal

import (
	"fmt"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/apps/envelope"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/meshtest"
)

// TestEnvelopes counts intersecting pairs of triangles in the mesh at rest, in its envelope, and in both together.
// An envelope adds none. Moving all vertices to the highest level adds some on most meshes, so the test can fail.
func TestEnvelopes(t *testing.T) {
	t.Parallel()
	meets := program(t, "meets")
	t.Run("catches", func(t *testing.T) { testCatches(t, meets) })
	const some = -1 // any number of pairs above that at rest
	for _, c := range []struct {
		name            string
		percent         float64
		rest, unbounded int // numbers of pairs; those other than 0 were published for another implementation
	}{
		{"sphere4", 2, 0, 0},
		{"knot8", 2, 0, 0},
		{"knot8", 30, 0, some},
		{"terrain24", 30, 0, some},
		{"cube", 60, 0, 0},
		{"spot.obj", 2, 0, 498},
		{"kitten.obj", 2, 0, 768},
		{"bun_zipper.ply", 2, 0, 6186},
		{"camelhead.off.zst", 2, 5, some},
		{"cow.obj.zst", 2, 81, some},
		{"suzanne.obj", 2, 91, some},
		{"teapot.obj", 2, 161, some},
		{"photon_buddha.obj.zst", 2, 83, some},
	} {
		t.Run(fmt.Sprintf("%s %g", c.name, c.percent), func(t *testing.T) {
			m := meshtest.Mesh(t, c.name)
			require.Equal(t, c.rest, pairs(t, meets, m))
			for _, side := range []envelope.Side{envelope.Outer, envelope.Inner} {
				e := must.Get(envelope.New(t.Context(), m, side, c.percent))
				shaded := must.Get(e.Shade(t.Context()))
				require.Equal(t, c.rest, pairs(t, meets, e.Result(shaded)), side)
				require.Equal(t, c.rest, pairs(t, meets, meshtest.Together(m, e.Result(shaded))), "%s and the mesh", side)
				if side == envelope.Inner {
					continue
				}
				n := pairs(t, meets, e.Result(unbounded(e)))
				t.Logf("%d pairs meet, unbounded %d", c.rest, n)
				if c.unbounded == some {
					require.Greater(t, n, c.rest)
				} else {
					require.Equal(t, c.unbounded, n)
				}
			}
		})
	}
}

// pairs returns how many pairs of triangles intersect by CGAL's predicates, which must agree with
// its self_intersections if the mesh is manifold.
func pairs(t *testing.T, meets string, m *apps.Mesh) (n int) {
	own := 0
	_, err := fmt.Sscan(string(run(t, m, meets)), &n, &own)
	require.NoError(t, err)
	if own >= 0 {
		require.Equal(t, n, own)
	}
	return n
}

// unbounded moves every vertex by the whole distance.
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

// testCatches runs the program on two triangles that intersect, touch or just miss each other.
func testCatches(t *testing.T, meets string) {
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
		{"the same twice", mgl32.Vec3{}, nil, []uint32{0, 1, 2, 0, 1, 2}, 1},
	} {
		m := &apps.Mesh{Positions: append([]mgl32.Vec3{{}, {8, 0, 0}, {0, 8, 0}, c.fourth}, c.rest...), Triangles: c.triangles}
		require.Equal(t, c.want, pairs(t, meets, m), c.what)
	}
}
