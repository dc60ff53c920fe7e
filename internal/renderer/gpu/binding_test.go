package gpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// TestPoolsBeyondABinding: a device with a limit of 128 MiB cannot bind a pool of tens of millions of
// indices. The scene is then drawn in windows that the device can bind. Frames that cannot be drawn in
// windows are refused in one line, as are pictures too large to bind or too wide.
func TestPoolsBeyondABinding(t *testing.T) {
	b := ownBackend(t)
	s := memoryScene(t, "terrain100")
	camera := renderer.FitCamera(s.Bounds(), 1.5)
	config := resolve(t, "warp", 8, 0)
	f := renderer.Frame{Scene: s, Reuse: config, Raster: compute, Width: 96, Height: 64}
	const want = renderer.WantColor | renderer.WantDepth | renderer.WantCounts | renderer.WantVisible
	whole, p := render(t, b, f, camera, want)
	require.False(t, p.Windowed())

	limits := &b.device.Info.Limits
	binding := limits.StorageBufferBytes
	defer func() { limits.StorageBufferBytes = binding }()
	limits.StorageBufferBytes = 100 << 10 // below the two vertex pools of 119.5 KiB each, and 234 KiB of indices
	got, p := render(t, b, f, camera, want)
	require.True(t, p.Windowed() && p.Gathered)
	for _, buffer := range p.Buffers {
		require.LessOrEqual(t, buffer.Bytes, limits.StorageBufferBytes, buffer.Name)
	}
	require.Equal(t, whole.Visible, got.Visible)
	require.Equal(t, whole.Color.Pix, got.Color.Pix)
	require.Equal(t, whole.Depth, got.Depth)
	require.Equal(t, whole.Counts, got.Counts)

	for want, change := range map[string]func(f *renderer.Frame){
		"buffer Positions needs 119.5 KiB (10201 x float3), the device binds at most 100 KiB; multi takes the whole scene at once, the other strategies take it in windows": func(f *renderer.Frame) {
			f.Reuse = resolve(t, "multi", 0, 0)
		},
		"buffer Positions needs 119.5 KiB (10201 x float3), the device binds at most 100 KiB; the skeleton is made for the whole scene at once": func(f *renderer.Frame) {
			f.VertexShader = renderer.Skin
		},
		"buffer Positions needs 119.5 KiB (10201 x float3), the device binds at most 100 KiB": func(f *renderer.Frame) {
			*f = renderer.Frame{Scene: f.Scene, View: renderer.Shaded, Raw: true, Width: 8, Height: 8}
		},
		"buffer Visible needs 128 KiB (16384 x uint64 depth, triangle), the device binds at most 100 KiB": func(f *renderer.Frame) {
			f.Width, f.Height = 128, 128
		},
		"picture of 1000000x1: each side must be 1 to 16384": func(f *renderer.Frame) { f.Width, f.Height = 1000000, 1 },
	} {
		other := f
		change(&other)
		_, _, err := plan.Render(b, other, camera, 0)
		require.EqualError(t, err, want)
	}
}
