package oracle

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// TestCustomOnCPU draws without a GPU, with our vertex shaders loaded as a user's: pictures, depths and
// counts equal those of the built-in shaders.
func TestCustomOnCPU(t *testing.T) {
	cpu := soft.New()
	defer cpu.Close()
	for i, strategy := range []string{"claim", "multi", "naive"} {
		for _, queue := range []renderer.QueueForm{renderer.Indexed, renderer.Expanded} {
			f := pictureFrame(t, asset(t, "knot16"), renderer.Counts)
			f.Reuse = resolve(t, strategy, 8, 0)
			f.VertexShader, f.Queue, f.Cull = renderer.VertexShader(i), queue, queue == renderer.Indexed && strategy == "claim"
			f.Look.Light = renderer.NoLight
			want, got := renderPicture(t, cpu, f), renderPicture(t, cpu, customLike(t, f))
			require.Equal(t, want.Color.Pix, got.Color.Pix, "%s, %s, %s", strategy, f.VertexShader, queue)
			require.Equal(t, want.Depth, got.Depth, "%s, %s, %s", strategy, f.VertexShader, queue)
			require.Equal(t, want.Counts, got.Counts)
		}
	}
}

// TestCustomVaryingOnCPU: an output is shown as on a GPU, and draws whose shader lacks it are black.
func TestCustomVaryingOnCPU(t *testing.T) {
	b, cpu := backends(t)
	for _, name := range []string{"knot16", "patches2"} {
		f := customLike(t, pictureFrame(t, asset(t, name), renderer.Varying))
		f.Shading.Shown = "color"
		for i := 1; i < len(f.Scene.Draws); i++ {
			other := f.Shading.Programs[0]
			code := slices.Clone(other.Vertex.Module.Code)
			code[slices.Index(code, binary.LittleEndian.Uint32([]byte("colo")))]++ // renames the output in its OpName
			other.Vertex = must.Get(module.ReadVertex(code, "", nil))
			filled := f.Shading.Filled[0]
			filled.Program = i
			f.Shading.Programs, f.Shading.Filled = append(f.Shading.Programs, other), append(f.Shading.Filled, filled)
			f.Shading.Draws[i].Program = i
		}
		want := renderPicture(t, cpu, f)
		f.Raster = renderer.ComputeRaster
		got := renderPicture(t, b, f)
		r := compared(t, want, got)
		require.NoError(t, r.Check(equalShare))
		colours := map[[3]uint8]int{}
		for i := 0; i < len(want.Color.Pix); i += 4 {
			colours[[3]uint8(want.Color.Pix[i:])]++
		}
		require.Greater(t, len(colours), 50, "the output varies")
		require.Equal(t, len(f.Scene.Draws) > 1, colours[[3]uint8{}] > 100, "%d black pixels of %d", colours[[3]uint8{}], len(want.Color.Pix)/4)
	}
}
