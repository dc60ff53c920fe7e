package oracle

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/renderer"
)

// TestBunnyFigures compares our reuse on the Stanford bunny, in its file's order, with that of
// independent implementations of the paper.
func TestBunnyFigures(t *testing.T) {
	s := sharedMesh(t, "bun_zipper.ply")
	require.Equal(t, 69451, s.Triangles())
	require.Len(t, s.Positions, 35947)
	c := resolve(t, "warp", 32, 96)
	st, want := must.Get2(reuse.Analyze(s, c))
	require.Equal(t, 34834, st.Referenced)
	require.Equal(t, ".8328", fmt.Sprintf("%.4f", st.Ideal())[1:])
	require.Equal(t, ".2659", fmt.Sprintf("%.4f", st.Reuse())[1:])

	b := openGPU(t)
	out, _ := render(t, b, renderer.Frame{Scene: s, Reuse: c, NoRaster: true}, renderer.FitCamera(s.Bounds(), 1), renderer.WantCounts)
	require.Equal(t, want, out.Counts)

	random, _ := must.Get2(reuse.Analyze(shuffled(s), c))
	require.InDelta(t, -.062, random.Reuse(), .004, "triangles in random order shade more than once an index")
}

// TestSharedMeshes opens three real meshes, if available, and compares their sizes and ideal reuse with known figures, and
// the GPU's counts with the reference; with -short each strategy has one mesh.
func TestSharedMeshes(t *testing.T) {
	b := openGPU(t)
	for i, tt := range []struct {
		name                  string
		referenced, triangles int
		ideal                 string
	}{
		{"stanford-bunny.obj.zst", 34834, 69451, ".8328"},
		{"photon_buddha.obj.zst", 0, 100000, ".8335"},
		{"FlightHelmet/FlightHelmet.gltf", 60366, 94722, ".7876"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := sharedMesh(t, tt.name)
			for k, name := range reuse.Names() {
				if testing.Short() && k%3 != i {
					continue // strategies take turns
				}
				c := resolve(t, name, 32, 0)
				st, want := must.Get2(reuse.Analyze(s, c))
				require.Equal(t, tt.triangles, st.Triangles)
				if tt.referenced != 0 {
					require.Equal(t, tt.referenced, st.Referenced)
				}
				require.Equal(t, tt.ideal, fmt.Sprintf("%.4f", st.Ideal())[1:])
				out, _ := render(t, b, renderer.Frame{Scene: s, Reuse: c, NoRaster: true}, renderer.FitCamera(s.Bounds(), 1), renderer.WantCounts)
				require.Equal(t, want, out.Counts)
			}
		})
	}
}
