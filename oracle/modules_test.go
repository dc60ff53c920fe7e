package oracle

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer/shade"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// modelled is a vertex shader, and the formula of its Position for vertex i at x, y, z. The mesh
// has small whole numbers, so that floats are exact.
type modelled struct {
	name     string // a file; its ending is the language. .spvasm is in testdata/modules
	source   string
	uniforms string
	want     func(i, x, y, z float32) [4]float32
}

// modules are shaders as other people write them, and as other compilers do.
var modules = []modelled{
	{"slang.spvasm", "", "turns: [[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]], [[0, 2, 0, 3], [0, 0, 0, 0], [1, 0, 0, 5]]]",
		func(_, x, y, z float32) [4]float32 { return [4]float32{2*(y+20) + 3, 1, x + 10 + 5, 1} }},
	{"constants.vert", "#version 450\nlayout(location = 0) in vec3 position;\nlayout(location = 1) in vec4 inTint;\nlayout(location = 2) in ivec3 cell;\n" +
		"layout(location = 3) in uvec2 away;\nlayout(location = 5) in vec2 inUV;\nlayout(location = 6) in vec4 none;\n" +
		"layout(binding = 0) uniform B { mat4 turn, again; vec4 add; } b;\n" +
		"void main() { gl_Position = b.again * b.turn * (vec4(position * inTint.xyz, inTint.w) + vec4(cell, inUV.y) + vec4(away.xyxy) + none) + b.add; }\n",
		"attributes: {inTint: [2, 3, 4], cell: [-5, 6, 7]}",
		func(i, x, y, z float32) [4]float32 { return [4]float32{2*x - 5, 3*y + 6, 4*z + 7, 1 + 2*i + 1 + 1} }},
	{"open.vert", "#version 450\nlayout(location = 0) in vec3 position;\nlayout(binding = 0) uniform B { mat4 model; };\n" +
		"layout(std430, binding = 1) readonly buffer Open { vec3 first; mat4 joints[]; };\n" +
		"void main() { gl_Position = model * joints[gl_VertexIndex] * vec4(position + first, joints.length()); }\n", "",
		func(i, x, y, z float32) [4]float32 { return [4]float32{x + 10, y + 20, z + 30, 1} }},
	{"view.vert", "#version 450\n#extension GL_EXT_multiview : require\n#extension GL_EXT_device_group : require\n" +
		"layout(location = 0) in vec3 position;\nlayout(binding = 0) uniform B { mat4 model; vec4 move[2]; };\n" +
		"void main() { gl_Position = model * vec4(position, 1) + move[gl_ViewIndex] + float(gl_DeviceIndex); }\n", "move: [[1, 2, 3, 0], [9, 9, 9, 9]]",
		func(_, x, y, z float32) [4]float32 { return [4]float32{x + 11, y + 22, z + 33, 1} }},
	{"version16.spvasm", "", "", func(_, x, y, z float32) [4]float32 { return [4]float32{x + 10, y + 20, z + 30, 1} }},
}

// modelledScene has one draw, 10, 20, 30 from the origin.
func modelledScene() *geometry.Scene {
	s := &geometry.Scene{Name: "modules"}
	var uv []byte
	for i := range uint32(6) {
		x := float32(i)
		s.Positions, s.Normals = append(s.Positions, mgl32.Vec3{x, 2*x - 3, x * x}), append(s.Normals, mgl32.Vec3{0, 0, 1})
		s.Indices = append(s.Indices, i)
		uv = appendFloats(uv, []float32{x + 1, 2*x + 1})
	}
	s.Attributes = []geometry.Attribute{{Name: "TEXCOORD_0", Format: vertexformat.R32G32_SFLOAT, Data: uv}}
	s.Draws = []geometry.Draw{{IndexCount: 6, VertexCount: 6, Transform: mgl32.Translate3D(10, 20, 30), Color: geometry.DefaultColor}}
	return s
}

// file writes a shader into the folder, and returns its name.
func (m *modelled) file(t *testing.T, folder string) string {
	to := filepath.Join(folder, m.name)
	if source, assembled := strings.CutSuffix(m.name, ".spvasm"); assembled {
		version := map[bool]string{true: "spv1.6", false: "spv1.4"}[source == "version16"]
		to = filepath.Join(folder, source+".spv")
		out, err := exec.Command("spirv-as", "--target-env", version, filepath.Join("testdata", "modules", m.name), "-o", to).CombinedOutput()
		require.NoError(t, err, "%s", out)
		return to
	}
	require.NoError(t, os.WriteFile(to, []byte(m.source), 0o600))
	return to
}

// TestModulesEqualTheirFormulas runs modules on the CPU and on the device.
func TestModulesEqualTheirFormulas(t *testing.T) {
	for _, tool := range []string{"spirv-as", "glslangValidator", "naga"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	b, cpu := backends(t)
	scene, folder := modelledScene(), t.TempDir()
	camera := renderer.FitCamera(scene.Bounds(), 1)
	for i := range modules {
		m := &modules[i]
		t.Run(m.name, func(t *testing.T) {
			uniforms := filepath.Join(folder, "a.yaml")
			require.NoError(t, os.WriteFile(uniforms, []byte(m.uniforms), 0o600))
			shader, err := shade.Open(t.Context(), shade.Source{File: m.file(t, folder), Uniforms: uniforms})
			require.NoError(t, err)
			f := renderer.Frame{Scene: scene, Reuse: resolve(t, "claim", 8, 0), View: renderer.NoView, NoRaster: true, Width: 16, Height: 16}
			f.Shading, err = shader.Shading(scene, "")
			require.NoError(t, err)
			for _, backend := range []plan.Backend{cpu, b} {
				out, _ := render(t, backend, f, camera, renderer.WantQueues, m.name)
				for n, p := range scene.Positions {
					got := out.Queues.Positions[out.Queues.Corner(f.Queue, n/3, n%3)]
					require.Equal(t, m.want(float32(n), p[0], p[1], p[2]), got, "%s: vertex %d", backend.Info().Name, n)
				}
			}
		})
	}
}
