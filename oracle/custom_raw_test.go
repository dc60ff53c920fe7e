package oracle

import (
	"bytes"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// TestCustomRaw draws by the graphics pipeline alone, with our vertex shaders loaded as a user's. The
// queues hold bit-equal vertices, so the hardware rasterizer must draw the same picture from them.
func TestCustomRaw(t *testing.T) {
	b := openGPU(t)
	for what, change := range map[string]func(f *renderer.Frame){
		"shaded":   func(f *renderer.Frame) { f.View = renderer.Shaded },
		"skin":     func(f *renderer.Frame) { f.View, f.VertexShader = renderer.Shaded, renderer.Skin },
		"displace": func(f *renderer.Frame) { f.VertexShader, f.Shown = renderer.Displace, someCounts(f) },
		"counts":   func(f *renderer.Frame) { f.Shown = someCounts(f) },
		"varying":  func(f *renderer.Frame) { f.View = renderer.Varying },
		"edges":    func(f *renderer.Frame) { f.View, f.Look.Edges = renderer.Varying, 2 },
		"marks": func(f *renderer.Frame) {
			f.View, f.Marks = renderer.Shaded, make([]renderer.Mark, len(f.Scene.Draws))
			f.Marks[1], f.Marks[2] = renderer.Hidden, renderer.Dimmed
		},
	} {
		f := pictureFrame(t, asset(t, "city6"), renderer.Counts)
		change(&f)
		f = customLike(t, f)
		if f.View == renderer.Varying {
			f.Shading.Shown = "color"
		}
		if f.Marks != nil {
			f.Shading.Draws[3].Program, f.Shading.Draws[4].Clip = -1, mgl32.Scale3D(.5, .5, 1)
		}
		f.Raster = renderer.HardwareRaster
		requireRawEqual(t, b, f, what)
	}
}

func someCounts(f *renderer.Frame) []uint32 {
	counts := make([]uint32, f.Scene.DrawVertices())
	for i := range counts {
		counts[i] = uint32(1 + i%5)
	}
	return counts
}

// requireRawEqual requires that the graphics pipeline alone draws the same picture as a frame with queues.
func requireRawEqual(t *testing.T, b plan.Backend, f renderer.Frame, what string) {
	want := renderPicture(t, b, f)
	f.Raw, f.Reuse.Strategy = true, nil
	got := renderPicture(t, b, f)
	require.Equal(t, want.Depth, got.Depth, what)
	require.True(t, bytes.Equal(want.Color.Pix, got.Color.Pix), what)
	drawn := false
	for _, z := range got.Depth {
		drawn = drawn || z < 1
	}
	require.True(t, drawn, what)
}
