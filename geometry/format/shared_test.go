package format

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
)

// TestSharedMeshes opens real files. The expected counts were made without this package: from the
// files' headers and, for referenced vertices and OBJ's triples of indices, by a script that
// collects them in sets.
func TestSharedMeshes(t *testing.T) {
	folder := shareddata.Path(t, "meshes")
	for _, c := range []struct {
		file                            string
		vertices, referenced, triangles int
		draws                           int
	}{
		{"bun_zipper.ply", 35947, 34834, 69451, 1},
		{"stanford-bunny.obj.zst", 35947, 34834, 69451, 1},
		{"dragon_vrip_res4.ply.zst", 5205, 5203, 11102, 1},
		{"dragon_vrip_res3.ply", 22998, 22982, 47794, 1},
		{"dragon_vrip_res2.ply.zst", 100250, 100207, 202520, 1},
		{"helmet_draco.ply.zst", 14571, 14571, 15452, 1},
		{"turbine.off", 9210, 9210, 18460, 1},
		{"armadillo.off.zst", 26002, 26002, 52000, 1},
		{"refined_elephant.off.zst", 44460, 44460, 88928, 1},
		{"photon_dragon.obj.zst", 50000, 50000, 100000, 1},
		{"kitten.obj", 14856, 14856, 28944, 1},
		{"spot.obj", 3225, 3225, 5856, 1},
		{"suzanne.obj", 507, 507, 968, 1},
		{"beast.obj.zst", 33963, 33963, 64618, 1},
		{"pirate.obj", 3172, 3172, 5010, 7},
	} {
		t.Run(c.file, func(t *testing.T) {
			s := must.Get(Open(t.Context(), filepath.Join(folder, c.file)))
			require.Equal(t, c.file, s.Name)
			require.Equal(t, c.vertices, len(s.Positions))
			require.Equal(t, c.vertices, len(s.Normals))
			require.Equal(t, c.triangles, s.Triangles())
			require.Equal(t, c.draws, len(s.Draws))
			used := map[uint32]bool{}
			for i, d := range s.Draws {
				for _, id := range s.DrawIndices(i) {
					used[d.VertexOffset+id] = true
				}
			}
			require.Equal(t, c.referenced, len(used))
		})
	}
	files := must.Get(filepath.Glob(filepath.Join(folder, "*.*")))
	for _, file := range files { // of the other files only that they open
		if !testing.Short() || filepath.Base(file) != "dragon_vrip.ply.zst" {
			_ = must.Get(Open(t.Context(), file))
		}
	}
}
