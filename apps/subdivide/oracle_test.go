package subdivide_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/apps/subdivide"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/meshtest"
)

// refined returns a mesh after the given number of levels.
func refined(t testing.TB, m *apps.Mesh, levels int) *apps.Mesh {
	for range levels {
		m = must.Get(must.Get(subdivide.NewLevel(t.Context(), m)).Refine(t.Context()))
	}
	return m
}

// measure returns a mesh's area and signed volume.
func measure(m *apps.Mesh) (area, volume float64) {
	at := func(k int) exact.Vec { return exact.Double(m.Positions[m.Triangles[k]]) }
	for k := 0; k < len(m.Triangles); k += 3 {
		p, q, r := at(k), at(k+1), at(k+2)
		area += q.Sub(p).Cross(r.Sub(p)).Length() / 2
		volume += p.Dot(q.Cross(r)) / 6
	}
	return area, volume
}

// TestAgainstOthers compares levels of the same meshes with those of two other implementations, which agree with
// CGAL's and OpenMesh's: numbers of elements, areas, volumes and, if a hash is known, every bit.
func TestAgainstOthers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                string
		levels              int
		hash                string // empty if unknown
		vertices, triangles int
		area, volume        float64
	}{
		{"sphere4", 1, "ff35999d60552afa", 10242, 20480, 12.5355, 4.17299},
		{"sphere4", 2, "0e9a66039637466e", 40962, 81920, 12.5316, 4.17130},
		{"spot.obj", 1, "d65de0d1f0b582d6", 11714, 23424, 5.64237, .713925},
		{"spot.obj", 2, "e9ded3f79116171d", 46850, 93696, 5.62692, .712873},
		{"kitten.obj", 1, "", 57888, 115776, 1.65923, .120861},
		{"kitten.obj", 2, "9f3522f7a9c214b5", 231552, 463104, 1.65799, .120840},
		{"bun_zipper.ply", 1, "", 140235, 277804, .0567922, 7.69686e-4},
		{"bun_zipper.ply", 2, "", 557164, 1111216, .0567263, 7.69594e-4},
	} {
		t.Run(c.name+" "+string(rune('0'+c.levels)), func(t *testing.T) {
			m := refined(t, meshtest.Mesh(t, c.name), c.levels)
			require.Equal(t, c.vertices, len(m.Positions))
			require.Equal(t, c.triangles, m.Faces())
			area, volume := measure(m)
			require.InEpsilon(t, c.area, area, 1e-5)
			require.InEpsilon(t, c.volume, volume, 1e-5)
			if c.hash != "" {
				require.Equal(t, c.hash, m.Sum())
			}
		})
	}
}

// TestInvocationsOfTheBunny expects the published shading counts of the scanned bunny in Forsyth
// order, for corners and edges.
func TestInvocationsOfTheBunny(t *testing.T) {
	t.Parallel()
	level := must.Get(subdivide.NewLevel(t.Context(), meshtest.Ordered(t, "bun_zipper.ply", "forsyth")))
	want := refined(t, level.Mesh, 1).Sum()
	for _, c := range []struct {
		strategy       string
		params         reuse.Params
		corners, edges int
	}{
		{"naive", reuse.Params{}, 208353, 208353},
		{"warp", reuse.Params{}, 59429, 139590},
		{"hash", reuse.Params{Batch: 192, Unique: 64}, 51328, 124998},
		{"phash", reuse.Params{Batch: 192, Unique: 64}, 51328, 124998},
		{"sort", reuse.Params{Batch: 768, Unique: 256}, 43114, 114231},
		{"claim", reuse.Params{}, 46338, 115201},
	} {
		t.Run(c.strategy, func(t *testing.T) {
			config := must.Get(c.params.Resolve(c.strategy))
			made := must.Get(level.RefineBy(t.Context(), config))
			require.Equal(t, [2]int{c.corners, c.edges}, [2]int{made.Corners.Invocations, made.Edges.Invocations})
			require.Equal(t, [2]int{34834, 104288}, [2]int{made.Corners.Referenced, made.Edges.Referenced})
			m := must.Get(level.Refined(t.Context(), made.Positions))
			require.Equal(t, want, m.Sum())
		})
	}
}
