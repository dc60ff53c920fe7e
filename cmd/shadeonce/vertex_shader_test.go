package main

import (
	"errors"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/shareddata"
)

// example returns the path of a vertex shader of the documents, or of its uniforms file.
func example(t *testing.T, name string) string {
	return shareddata.Tree(t, "examples", "vertex-shaders", name)
}

func needsGLSL(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("glslangValidator"); err != nil {
		t.Skip(err)
	}
}

func TestAnalyzeChecksVertexShaders(t *testing.T) {
	t.Parallel()
	needsGLSL(t)
	wind := example(t, "wind.vert")
	r := runs(t, "analyze", "asset:cube", "--backend", "cpu", "--strategy", "warp", "--vertex-shader", wind, "--uniforms", example(t, "wind.yaml"))
	require.Contains(t, r.out, "asset:cube")

	r = runs(t, "analyze", "asset:cube", "--backend", "cpu", "--strategy", "warp", "--vertex-shader", wind)
	require.Contains(t, r.errors, "5 members without a value: uniform block Wind of")
	require.Contains(t, r.errors, "begins; they are 0, and matrices the identity\n")
	r = call("analyze", "asset:cube", "--backend", "cpu", "--vertex-shader", wind, "--strict")
	require.Equal(t, 1, r.status)
	require.Equal(t, "shadeonce: "+wind+": 5 members without a value: uniform block Wind of set 0, binding 1: direction (vec3, offset 0), strength (float, offset 12), "+
		"frequency (float, offset 16), calmColor (vec3, offset 32), gustColor (vec3, offset 48): give them in a file by --uniforms, which analyze --print-uniforms begins\n", r.errors)

	// The printed uniforms file can be read.
	r = runs(t, "analyze", "--vertex-shader", wind, "--print-uniforms")
	require.Contains(t, r.out, "#viewProjection: filled in: viewProjection  # mat4, offset 64\n")
	require.Contains(t, r.out, "direction: [0, 0, 0]  # vec3, offset 0\n")
	printed := filepath.Join(t.TempDir(), "printed.yaml")
	require.NoError(t, os.WriteFile(printed, []byte(r.out), 0o600))
	runs(t, "analyze", "asset:cube", "--backend", "cpu", "--strategy", "warp", "--vertex-shader", wind, "--uniforms", printed)

	r = runs(t, "analyze", "--vertex-shader", wind, "--print-uniforms", "asset:cube")
	require.Contains(t, r.out, "#  normal: normal  # vec3, location 1\n#  cube has TEXCOORD_0, normal, position\n")
}

// The documents' example of normals gives each side of a cube its colour.
func TestNormalsAreShown(t *testing.T) {
	needsGLSL(t)
	for view, want := range map[string]color.RGBA{"front": {128, 128, 255, 255}, "left": {0, 128, 128, 255}} {
		out := filepath.Join(t.TempDir(), "normals.png")
		runs(t, "render", "asset:cube", "-o", out, "--size", "64x64", "--camera", view, "--vertex-shader", example(t, "normals.vert"), "--view", "varying:color", "--strategy", "claim")
		require.Equal(t, want, color.RGBAModel.Convert(readPicture(t, out).At(32, 32)))
	}
}

// TestVertexShadersRun: rows name the shader, and an output can be drawn.
func TestVertexShadersRun(t *testing.T) {
	needsGLSL(t)
	wind := []string{"--backend", "gpu", "--vertex-shader", example(t, "wind.vert"), "--uniforms", example(t, "wind.yaml")}
	r := runs(t, append([]string{"bench", "asset:cube", "--strategy", "claim", "--runs", "1", "--load", "simple", "--json"}, wind...)...)
	rows := decode(t, r.out)
	require.NoError(t, schemaOf(t, "bench").Validate(plain(rows)))
	require.Equal(t, []any{"simple", "transform", ""}, []any{rows[0]["load"], rows[0]["vertex_shader"], rows[0]["vertex_shader_hash"]})
	require.Equal(t, []any{"wind.vert", "wind.vert"}, []any{rows[1]["load"], rows[1]["vertex_shader"]})
	require.Len(t, rows[1]["vertex_shader_hash"], 12)

	folder := t.TempDir()
	weighted, weigh := filepath.Join(folder, "a.ply"), filepath.Join(folder, "weigh.vert")
	require.NoError(t, errors.Join(
		os.WriteFile(weighted, []byte("ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nproperty float weight\n"+
			"element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0 1\n1 0 0 2\n0 1 0 3\n3 0 1 2\n"), 0o600),
		os.WriteFile(weigh, []byte("#version 450\nlayout(location = 0) in vec3 position;\nlayout(location = 1) in float weight;\n"+
			"void main() { gl_Position = vec4(position, weight); }\n"), 0o600)))
	r = call("bench", weighted, "--strategy", "claim", "--runs", "1", "--vertex-shader", weigh)
	require.Zero(t, r.status, r.errors, "attributes of the file are read")

	out := filepath.Join(folder, "wind.png")
	r = runs(t, append([]string{"render", "asset:cube", "--size", "64x48", "--no-legend", "--view", "varying:color", "--raster", "compute", "-o", out}, wind...)...)
	require.Contains(t, r.out, "varying of cube")
	onCPU := filepath.Join(t.TempDir(), "cpu.png")
	runs(t, "render", "asset:cube", "--size", "64x48", "--no-legend", "--view", "varying:color", "-o", onCPU, "--backend", "cpu", wind[2], wind[3], wind[4], wind[5])
	require.Equal(t, readPicture(t, out), readPicture(t, onCPU), "the cpu backend interprets the same shader")
	r = call(append([]string{"render", "asset:cube", "--size", "64x48", "--view", "varying:colour", "-o", out}, wind...)...)
	require.Equal(t, 1, r.status)
	require.Contains(t, r.errors, `wind.vert: unknown output "colour": did you mean color? have color`)
}
