package oracle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/apps/subdivide"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/meshtest"
	"github.com/shadeonce/shadeonce/renderer"
)

// loopLevel returns a level of a mesh, and the refined mesh.
func loopLevel(t *testing.T, m *apps.Mesh) (*subdivide.Level, *apps.Mesh) {
	level := must.Get(subdivide.NewLevel(t.Context(), m))
	fine := must.Get(level.Refine(t.Context()))
	return level, fine
}

// TestLoop refines meshes with every strategy; its modes and the meshes take turns. Vertices equal the reference's bit for
// bit, and so do the counts of both streams. The soup has sharp edges of one, three and more triangles.
func TestLoop(t *testing.T) {
	b := openGPU(t)
	for turn, name := range []string{"sphere3", "soup", "grid8"} {
		level, fine := loopLevel(t, meshtest.Mesh(t, name))
		loop := must.Get(subdivide.NewDevice(b, level))
		defer loop.Close()
		eachConfig(t, b, turn, 3, func(t *testing.T, c reuse.Config, kind renderer.Subgroups) {
			r := must.Get(loop.RefineBy(t.Context(), c, kind))
			require.NoError(t, r.Check(level, c, fine.Positions))
			require.Positive(t, r.Cutting)
		})
	}
}

// TestLoopFigures refines meshes twice with every strategy; the results must have the hashes, if known, that two other
// programs give.
func TestLoopFigures(t *testing.T) {
	if testing.Short() {
		t.Skip("half a million triangles")
	}
	b := openGPU(t)
	for name, hashes := range map[string][]string{
		"sphere4":  {"ff35999d60552afa", "0e9a66039637466e"},
		"spot.obj": {"d65de0d1f0b582d6", "e9ded3f79116171d"}, "kitten.obj": {"", "9f3522f7a9c214b5"},
	} {
		for _, strategy := range reuse.Names() {
			c := resolve(t, strategy, 0, 0)
			m := meshtest.Mesh(t, name)
			for n, hash := range hashes {
				level, fine := loopLevel(t, m)
				limits := b.Limits()
				require.NoError(t, level.Fits(&limits, n+1, len(hashes)))
				loop := must.Get(subdivide.NewDevice(b, level))
				r, err := loop.RefineBy(t.Context(), c, renderer.AutoSubgroups)
				loop.Close()
				require.NoError(t, err)
				require.NoError(t, r.Check(level, c, fine.Positions))
				m = must.Get(level.Refined(t.Context(), r.Positions))
				if hash != "" {
					require.Equal(t, hash, m.Sum(), "%s, level %d, %s", name, n+1, c)
				}
			}
		}
	}
}

// TestLoopCheckFails: the comparison finds one wrong bit of a vertex, and one wrong count.
func TestLoopCheckFails(t *testing.T) {
	b := openGPU(t)
	level, fine := loopLevel(t, meshtest.Mesh(t, "cube"))
	loop := must.Get(subdivide.NewDevice(b, level))
	defer loop.Close()
	c := resolve(t, "hash", 0, 0)
	r := must.Get(loop.RefineBy(t.Context(), c, renderer.AutoSubgroups))
	require.NoError(t, r.Check(level, c, fine.Positions))
	r.PerEdge[3]++
	require.ErrorContains(t, r.Check(level, c, fine.Positions), "did not shade edges as often")
	r.Positions[5][1] *= 1.0000002
	require.ErrorContains(t, r.Check(level, c, fine.Positions), "the vertices are not the reference's")
}
