package oracle

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// TestImagesOfDraws gives two of three draws texel buffers of their own, of two lengths, and compares positions with the
// CPU's. An image shorter than its header says is refused before anything is drawn.
func TestImagesOfDraws(t *testing.T) {
	config := resolve(t, "naive-index", 8, 0)
	f := fixtureFrame(t, "../internal/spirv/link/testdata/texels.spv", renderer.Frame{Scene: asset(t, "city2"), Reuse: config, View: renderer.NoView, NoRaster: true})
	s := *f.Shading
	s.Draws = append([]geometry.DrawShading(nil), s.Draws...)
	for i := range s.Draws {
		values := append([]int(nil), s.Draws[i].Values...)
		for k, b := range s.Programs[0].Vertex.Blocks {
			if b.Kind != module.FetchedImage || i%3 == 0 {
				continue
			}
			image := append([]byte(nil), s.Values[values[k]][:module.ImageHead+module.TexelBytes*(8+40*(i%3))]...)
			binary.LittleEndian.PutUint32(image, uint32(8+40*(i%3)))
			image[module.ImageHead+1] ^= byte(i)
			values[k] = len(s.Values)
			s.Values = append(s.Values, image)
		}
		s.Draws[i].Values = values
	}
	f.Shading = &s
	cpu := soft.New()
	defer cpu.Close()
	camera := renderer.FitCamera(f.Scene.Bounds(), 1)
	want, _ := render(t, cpu, f, camera, renderer.WantQueues)
	b := openGPU(t)
	got, _ := render(t, b, f, camera, renderer.WantQueues)
	for triangle := range f.Scene.Triangles() {
		for corner := range 3 {
			g := got.Queues.Positions[got.Queues.Corner(f.Queue, triangle, corner)]
			w := want.Queues.Positions[want.Queues.Corner(f.Queue, triangle, corner)]
			if b.Info().Software {
				require.Equal(t, bits(w), bits(g), "triangle %d corner %d", triangle, corner)
			}
			require.LessOrEqual(t, relativeDistance(g, w), 1e-5, "triangle %d corner %d", triangle, corner)
		}
	}
	last := len(s.Values) - 1
	s.Values[last] = s.Values[last][:len(s.Values[last])-1]
	_, _, err := plan.Render(b, f, camera, renderer.WantQueues)
	require.ErrorContains(t, err, "vertex shader texels.spv: image links: its ")
	require.ErrorContains(t, err, "are fewer than its size says")
}
