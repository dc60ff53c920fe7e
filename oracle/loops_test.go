package oracle

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/shade"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/renderer"
)

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
				shader, err := shade.Open(t.Context(), shade.Source{File: file, Uniforms: uniforms, LoopLimit: 100})
				require.NoError(t, err)
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
