package oracle

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/shade"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
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

// looped is the body of a vertex shader whose loops add to float x, which starts at 0. The body may use
// n, the number of the vertex, and ten, which is 10; compilers know neither value.
type looped struct {
	name, body string
	counted    bool                    // whether the unoptimized module gets a counter of iterations
	want       func(i float32) float32 // x of vertex i; nil if the limit must end the loops
}

var loopForms = []looped{
	{"clear", "for (int k = 0; k < 4; k++) for (uint j = 9u; j != 1u; j -= 2u) x += 1.0;", false, func(float32) float32 { return 16 }},
	{"clear, in a function", "for (int k = 3; k >= 0; --k) x += helper(n);", false, func(i float32) float32 { return 4 * (i + 10) }},
	{"many clear loops", "for (int k = 0; k < 40; k++) for (int j = 0; j < 40; j++) { if (j > n) break; x += 1.0; }", true, nil},
	{"by a value", "for (int k = 0; k < n; k++) { if (k == 1) continue; x += 1.0; }", true, func(i float32) float32 { return max(i-1, min(i, 1)) }},
	{"as many as may be", "for (int k = 0; k < ten * 9 + 9; k++) x += 1.0;", true, func(float32) float32 { return 99 }},
	{"one too many", "for (int k = 0; k < ten * 10; k++) x += 1.0;", true, nil},
	{"too many together", "for (int k = 0; k < ten; k++) for (int j = 0; j < ten; j++) x += 1.0;", true, nil},
	{"a test at the end", "do { x += 1.0; } while (x < float(n));", true, func(i float32) float32 { return max(i, 1) }},
	{"without a test", "for (;;) { x += 1.0; if (x > float(n)) break; }", true, func(i float32) float32 { return i + 1 }},
	{"a value after the loop", "float y; for (int k = 0;; k++) { if (k % 2 == n % 2) continue; y = x + float(k); if (k > n) break; x += 1.0; } x = y;", true,
		func(i float32) float32 { return i + 1 + float32(int(i+1)/2) }},
	{"a switch", "for (int k = 0; k < n; k++) switch (k) { case 2: x += 10.0; break; case 3: continue; default: x += 1.0; }", true,
		func(i float32) float32 { return []float32{0, 1, 2, 12, 12, 13}[int(i)] }},
	{"a number that is set back", "for (int k = 0; k < 4; k++) { x += 1.0; if (n >= 0) k = 0; }", true, nil},
	{"a number that stands still", "for (int k = 0; k < 4; k += n - n) x += 1.0;", true, nil},
	{"a step that is left out", "int k = 0; while (k < 4) { x += 1.0; if (n < 9) continue; k++; }", true, nil},
	{"a limit that moves", "int most = 4; for (int k = 0; k < most; k++) { most += min(n + 1, 1); x += 1.0; }", true, nil},
	{"endless", "while (true) { x = sin(x + 1.0); if (x > 2.0) break; }", true, nil},
	{"endless, in a function", "x = float(search(n)); for (int k = 0; k < n; k++) x += 1.0;", true, nil},
}

const loopHead = "#version 450\nlayout(location = 0) in vec3 position;\nlayout(location = 2) in vec2 inUV;\nlayout(binding = 0) uniform B { int ten; };\n" +
	"float helper(int n) { float s = 0.0; for (int k = 0; k < 2; k++) s += float(n + ten) * 0.5; return s; }\n" +
	"int search(int n) { for (int k = n;; k = -k) { if (k == 100) return k; } }\n" +
	"void main() { float x = 0.0; int n = int(inUV.x) - 1;\n"

// TestLoopsEnd runs loops with a limit of 100 iterations, unoptimized and optimized: both on the CPU, and one of them on
// the device. Modules with the added counters are valid.
func TestLoopsEnd(t *testing.T) {
	for _, tool := range []string{"glslangValidator", "spirv-opt", "spirv-val"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	b, cpu := backends(t)
	scene, folder := modelledScene(1), t.TempDir()
	camera := renderer.FitCamera(scene.Bounds(), 1)
	uniforms := filepath.Join(folder, "a.yaml")
	require.NoError(t, os.WriteFile(uniforms, []byte("ten: 10"), 0o600))
	for i := range loopForms {
		form := &loopForms[i]
		source, plain, optimized := filepath.Join(folder, "a.vert"), filepath.Join(folder, "a.spv"), filepath.Join(folder, "o.spv")
		require.NoError(t, os.WriteFile(source, []byte(loopHead+form.body+"\ngl_Position = vec4(x, 0, 0, 1); }\n"), 0o600))
		for _, command := range [][]string{{"glslangValidator", "-V", source, "-o", plain}, {"spirv-opt", "-O", plain, "-o", optimized}} {
			said, err := exec.Command(command[0], command[1:]...).CombinedOutput()
			require.NoError(t, err, "%s", said)
		}
		for _, file := range []string{plain, optimized} {
			t.Run(form.name+"/"+filepath.Base(file), func(t *testing.T) {
				shader := must.Get(shade.Open(t.Context(), shade.Source{File: file, Uniforms: uniforms, LoopLimit: 100}))
				m := shader.Vertex.Module
				if file == plain {
					require.Equal(t, form.counted, m.Loops.Counter != 0)
				}
				check := exec.Command("spirv-val", "--target-env", "vulkan1.1", "-")
				check.Stdin = strings.NewReader(string(module.Bytes(m.Code)))
				said, err := check.CombinedOutput()
				require.NoError(t, err, "%s", said)
				f := renderer.Frame{Scene: scene, Reuse: resolve(t, "naive", 8, 0), View: renderer.NoView, NoRaster: true, Width: 16, Height: 16}
				f.Shading = must.Get(shader.Shading(scene, ""))
				backends := []plan.Backend{cpu, b}
				if i%2 == 0 == (file == plain) { // the device compiles slowly, so it runs one file of each form
					backends = backends[:1]
				}
				for _, backend := range backends {
					out, _, err := plan.Render(backend, f, camera, renderer.WantQueues)
					if form.want == nil {
						require.ErrorContains(t, err, "its loops take more than 100 iterations for a vertex", backend.Info().Name)
						continue
					}
					require.NoError(t, err)
					for n, i := range scene.Indices {
						got := out.Queues.Positions[out.Queues.Corner(f.Queue, n/3, n%3)]
						require.Equal(t, [4]float32{form.want(float32(i)), 0, 0, 1}, got, "%s: vertex %d", backend.Info().Name, i)
					}
				}
			})
		}
	}
}
