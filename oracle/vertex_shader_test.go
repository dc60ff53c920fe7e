package oracle

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/renderer"
)

// realShaders are the vertex shaders that do more than a transform.
var realShaders = []renderer.VertexShader{renderer.Skin, renderer.Displace}

// TestVertexShaderQueues runs realShaders with every strategy. Clip positions and packed normals
// equal the CPU's bit for bit, and so do shading counts; with -short each strategy has one shader.
func TestVertexShaderQueues(t *testing.T) {
	b, cpu := backends(t)
	s := shuffled(asset(t, "city6"))
	type shaded struct {
		mode
		shader renderer.VertexShader
	}
	var all []shaded
	for _, m := range modes(b.Limits()) {
		for _, shader := range realShaders {
			all = append(all, shaded{m, shader})
		}
	}
	for _, m := range coverEach(all, func(m shaded) []any { return append(m.features(), m.shader) }) {
		f := m.frame
		f.Scene, f.VertexShader, f.View, f.NoRaster = s, m.shader, renderer.NoView, true
		what := m.name + ", " + m.shader.String()
		checkQueues(t, b, cpu, what, f)
		_, want := must.Get2(reuse.Analyze(s, f.Reuse))
		out, _ := render(t, b, f, renderer.FitCamera(s.Bounds(), 1), renderer.WantCounts, what)
		require.Equal(t, want, out.Counts, "%s, %s", s.Name, what)
	}
}

// TestLoadsTakeTheirCycles: a load of n is a chain of n/4 multiply-adds. Its result is visible only for w = 0.
func TestLoadsTakeTheirCycles(t *testing.T) {
	b := openGPU(t)
	s := asset(t, "cube")
	camera := renderer.FitCamera(s.Bounds(), 1)
	flat := *s
	flat.Draws = slices.Clone(s.Draws)
	flat.Draws[0].Transform = mgl32.Mat4{} // every vertex has clip position 0
	for _, load := range []int{1024, 4096} {
		f := pictureFrame(t, &flat, renderer.NoView)
		f.NoRaster, f.Load = true, load
		out, _ := render(t, b, f, camera, renderer.WantQueues, "load")
		for triangle := range s.Triangles() {
			w := out.Queues.Positions[out.Queues.Corner(f.Queue, triangle, 0)][3]
			require.InEpsilon(t, 1e-37*(1-math.Pow(.999, float64(load/4))), w, 1e-3)
		}
	}
}

// TestVertexShaderScenes compares the queues of scenes of all kinds, with and without a view.
func TestVertexShaderScenes(t *testing.T) {
	b, cpu := backends(t)
	views := []renderer.View{renderer.NoView, renderer.Shaded}
	for _, choice := range choices(len(realShaders), len(views), len(smallAssets)) {
		shader, view := realShaders[choice[0]], views[choice[1]]
		f := pictureFrame(t, asset(t, smallAssets[choice[2]]), view)
		f.VertexShader, f.NoRaster = shader, true
		checkQueues(t, b, cpu, shader.String()+", view "+view.String(), f)
	}
}

// TestVertexShaderPixels draws the shaded view with every strategy, in chunks: all pictures of a shader are the same; with
// -short each strategy has one shader.
func TestVertexShaderPixels(t *testing.T) {
	b := openGPU(t)
	s := asset(t, "knot24")
	plain := renderPicture(t, b, pictureFrame(t, s, renderer.Shaded))
	wants := map[renderer.VertexShader]*renderer.Output{}
	for _, shader := range realShaders {
		f := pictureFrame(t, s, renderer.Shaded)
		f.VertexShader = shader
		wants[shader] = renderPicture(t, b, f)
		require.False(t, bytes.Equal(plain.Color.Pix, wants[shader].Color.Pix), "%s: nothing moved", shader)
	}
	names := reuse.Names()
	for _, choice := range eachChoice(len(realShaders), len(names), len(renderer.QueueFormNames)) {
		shader := realShaders[choice[0]]
		f := pictureFrame(t, s, renderer.Shaded)
		c := resolve(t, names[choice[1]], reuse.DefaultLanes, 0)
		f.VertexShader, f.Reuse, f.Queue, f.QueueBudget = shader, c, renderer.QueueForm(choice[2]), 128<<10
		got := renderPicture(t, b, f)
		require.True(t, bytes.Equal(wants[shader].Color.Pix, got.Color.Pix), "%s: %s, %s", shader, c, f.Queue)
		require.Equal(t, wants[shader].Depth, got.Depth, "%s: %s, %s", shader, c, f.Queue)
	}
}

// TestVertexShaderGoldens compares the CPU's pictures with testdata, and the GPU's with the CPU's.
func TestVertexShaderGoldens(t *testing.T) {
	b, cpu := backends(t)
	for _, name := range []string{"knot24", "sphere4", "terrain48", "city6"} {
		for _, shader := range realShaders {
			f := pictureFrame(t, asset(t, name), renderer.Shaded)
			f.VertexShader = shader
			want, path := renderPicture(t, cpu, f), goldenPath(name+"-"+shader.String())
			if *update {
				writePNG(t, path, want.Color)
			}
			require.Equal(t, readPNG(t, path).Pix, want.Color.Pix, "%s: make golden, if this is meant", path)
			got := renderPicture(t, b, f)
			r := compared(t, want, got)
			t.Logf("%s, %s: %v", name, shader, r)
			require.NoError(t, r.Check(equalShare), "%s, %s", name, shader)
			require.NotZero(t, r.Drawn)
		}
	}
}
