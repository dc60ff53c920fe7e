package oracle

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/renderer"
)

// TestManyDrawsAgainstOne draws the same triangles as 100 draws and as one. Vertices have the same values;
// the matrices to clip space are rounded differently, too little to be visible from these cameras. With -short
// each strategy has two of the cameras.
func TestManyDrawsAgainstOne(t *testing.T) {
	b := openGPU(t)
	many, one := asset(t, "patches"), asset(t, "patches-joined")
	for i, strategy := range []string{"claim", "hash", "multi"} {
		c := resolve(t, strategy, 0, 0)
		for k, text := range []string{"", "zoom=2", "az=77,el=-15,zoom=6,fov=100", "zoom=0.05"} {
			if testing.Short() && (i+k)%2 != 0 {
				continue
			}
			camera := cameraOf(t, text, one.Bounds(), 1)
			f := renderer.Frame{Scene: many, Reuse: c, View: renderer.Shaded, Raster: renderer.ComputeRaster, Width: 200, Height: 200, QueueBudget: 512 << 10}
			want, p := render(t, b, f, camera, renderer.WantVisible|renderer.WantCounts)
			require.True(t, strategy == "multi" || len(p.Chunks) > 1)
			f.Scene = one
			got, _ := render(t, b, f, camera, renderer.WantVisible|renderer.WantCounts)
			require.Equal(t, want.Visible, got.Visible, "%s, %q", strategy, text)
			require.True(t, slices.ContainsFunc(want.Visible, func(v uint32) bool { return v != 0 }))
			require.Equal(t, len(want.Counts), len(got.Counts), "a vertex has one place in either")
		}
	}
}
