package measure

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
)

// TestFramesDiffer: the comparison of pictures is able to fail.
func TestFramesDiffer(t *testing.T) {
	s, err := assets.Make("sphere3")
	require.NoError(t, err)
	b, err := gpu.OpenBackend(gpu.BackendOptions{})
	require.NoError(t, err)
	defer b.Close()
	fs := &Frames{Rasters: []renderer.RasterHost{renderer.ComputeRaster, renderer.HardwareRaster}}
	for _, name := range []string{"naive", "hash"} {
		c, err := reuse.Params{}.Resolve(name)
		require.NoError(t, err)
		fs.Configs = append(fs.Configs, c)
	}
	camera := renderer.FitCamera(s.Bounds(), 1)
	planned := func(s *geometry.Scene) []*wholeFrame {
		frames, err := fs.plan(b, renderer.Frame{Scene: s, Width: 96, Height: 96, View: renderer.Shaded, NoCounts: true}, camera)
		require.NoError(t, err)
		return frames
	}
	const share = 0.995
	frames := planned(s)
	require.NoError(t, compareFrames(b, frames, camera, share))

	// Another triangle missing for each of the others.
	smaller := *s
	smaller.Draws = slices.Clone(s.Draws)
	smaller.Draws[0].IndexCount -= 3 * 400
	other := planned(&smaller)
	require.ErrorContains(t, compareFrames(b, []*wholeFrame{frames[0], other[2]}, camera, share), "hash/compute against naive/compute: picture: ")
	require.ErrorContains(t, compareFrames(b, []*wholeFrame{frames[0], other[1]}, camera, share), "naive/hardware against naive/compute: picture: ")
	smaller.Draws[0].IndexCount = s.Draws[0].IndexCount - 3 // seen or not, of a single triangle
	other = planned(&smaller)
	back := camera
	back.Azimuth, back.Elevation = 210, -20
	back.Fit(s.Bounds(), 1)
	require.True(t, slices.ContainsFunc([]renderer.Camera{camera, back}, func(c renderer.Camera) bool {
		return compareFrames(b, []*wholeFrame{frames[0], other[2]}, c, 0) != nil
	}), "one triangle less shows from one side")
}
