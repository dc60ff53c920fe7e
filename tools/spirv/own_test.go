package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// TestHeaderCompiles has a C and a C++ compiler check the header's assertions, and evaluate
// everything that it defines.
func TestHeaderCompiles(t *testing.T) {
	text := must.Get(os.ReadFile(filepath.Join(ownShaders, headerName)))
	names := regexp.MustCompile(`(?m)^#define (SHADEONCE_\w+) `).FindAllSubmatch(text, -1)
	require.Greater(t, len(names), 100)
	program := "#include \"layout.h\"\n#include \"layout.h\"\nconst double defined[] = {"
	for _, name := range names {
		program += string(name[1]) + ", "
	}
	source := filepath.Join(t.TempDir(), "header.c")
	require.NoError(t, os.WriteFile(source, []byte(program+"};\n"), 0o600))
	for _, compiler := range [][]string{{"cc", "-std=c11", "-x", "c"}, {"c++", "-std=c++11", "-x", "c++"}} {
		if _, err := exec.LookPath(compiler[0]); err != nil {
			t.Logf("no %s", compiler[0])
			continue
		}
		args := append(compiler[1:], "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-I"+ownShaders, source)
		out, err := exec.Command(compiler[0], args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

// TestOwnFunction compiles a shade function of another project into every strategy, as
// docs/apps.md describes.
func TestOwnFunction(t *testing.T) {
	folder := t.TempDir()
	add(t, folder, "functions/own.glsl", `
		struct OwnResult { uint square; };
		#define Shaded OwnResult
		const bool FUNCTION_CORNERS = true;
		layout(binding = 100, std430) writeonly buffer Squares { uint squares[]; };
		OwnResult function_shade(uint id) { return OwnResult(id * id); }
		void function_keep(uint id, OwnResult result) { squares[id] = result.square; }
		void function_corner(uint k, OwnResult result) {}
	`)
	for _, stage := range ownStages(t) {
		compileOwn(t, folder, stage, "FUNCTION=FUNCTION_OWN")
	}
}

// TestOwnVertex compiles a vertex shader of another renderer into every strategy, into the passes
// of the fused rasterizer and into mesh shaders, as docs/embedding.md describes. The shaders must
// not bind buffers that only our own vertex shaders need.
func TestOwnVertex(t *testing.T) {
	folder := t.TempDir()
	add(t, folder, "own/vertex.glsl", `
		struct OwnVertex { vec4 clip; vec2 uv; };
		layout(binding = BINDING_OWN, std430) readonly buffer Points { vec4 points[]; };
		layout(binding = BINDING_OWN + 1, std430) writeonly buffer Queue { OwnVertex queue[]; };
		uint own_first(uint draw) { return push.arguments[draw]; }
		vec4 own_place(uint draw, uint id) { return points[own_first(draw) + id]; }
		OwnVertex own_shade(uint draw, uint id) { return OwnVertex(own_place(draw, id), vec2(id)); }
		void own_emit(uint place, OwnVertex v) { queue[place] = v; }
	`)
	asked := map[string]bool{}
	compile := func(stage string, defines ...string) {
		v := variant{Path: stage}
		readSources(ownShaders, &v) // names of constants
		r, err := reflectSPIRV(compileOwn(t, folder, stage, append(defines, "OWN_VERTEX")...), v.SpecNames)
		require.NoError(t, err, stage)
		for _, b := range r.Bindings {
			asked[b.Name] = true
		}
	}
	for _, stage := range ownStages(t) {
		compile(stage)
		if !strings.Contains(stage, "multi") { // multi keeps vertices of whole draws, so it has no fused form
			compile(stage, "FUSED")
		}
	}
	for _, x := range [][2]string{{"medium"}, {"medium", "LARGE"}, {"tiled"}, {"tiled", "CLIPPED"}} {
		compile("raster/"+x[0]+".comp", "FUSED", x[1])
	}
	for _, strategy := range []string{"naive", "warp", "claim", "meshlet"} {
		add(t, folder, "own/vertex.glsl", `
			struct OwnVertex { vec4 clip; vec2 uv; };
			layout(binding = BINDING_OWN, std430) readonly buffer Points { vec4 points[]; };
			layout(location = 0) out vec2 uv[];
			uint own_first(uint draw) { return push.arguments[draw]; }
			vec4 own_place(uint draw, uint id) { return points[own_first(draw) + id]; }
			OwnVertex own_shade(uint draw, uint id) { return OwnVertex(own_place(draw, id), vec2(id)); }
			void own_emit(uint i, OwnVertex v) {
				gl_MeshVerticesEXT[i].gl_Position = v.clip;
				uv[i] = v.uv;
			}
		`)
		compile("geometry/"+strategy+".comp", "MESH", "OWN_BATCH=96")
	}
	require.Equal(t, []string{
		"Batches", "Corners", "Counts", "Indices", "MeshletWords", "Meshlets", "Points", "Queue", "QueueStates",
		"RasterLists", "RasterTriangles", "ScratchResults", "Spilled", "TileMarks", "Triangles", "Visible",
	}, slices.Sorted(maps.Keys(asked)))
}

// ownShaders is the folder of our shaders.
const ownShaders = "../../shaders"

func ownStages(t *testing.T) []string {
	stages := must.Get(fs.Glob(os.DirFS(ownShaders), "geometry/*.comp"))
	require.NotEmpty(t, stages)
	return stages
}

// compileOwn compiles a stage with the files in folder, and validates it.
func compileOwn(t *testing.T, folder, stage string, defines ...string) []byte {
	out, err := glslang(folder, stage, defines...)
	require.NoError(t, err, "%s", out)
	target := filepath.Join(folder, "own.spv")
	validate(t, target, slices.Contains(defines, "MESH"))
	return must.Get(os.ReadFile(target))
}

// glslang compiles a stage with the files in folder to own.spv there.
func glslang(folder, stage string, defines ...string) ([]byte, error) {
	args := []string{"-V", "--target-env", targetEnv}
	if slices.Contains(defines, "MESH") {
		args = []string{"-V", "--target-env", targetEnvs["mesh"], "-S", "mesh"}
	}
	args = append(args, "-I"+ownShaders, "-I"+folder, filepath.Join(ownShaders, stage), "-o", filepath.Join(folder, "own.spv"))
	for _, define := range defines {
		if define != "" {
			args = append(args, "-D"+define)
		}
	}
	return exec.Command("glslangValidator", args...).CombinedOutput()
}

func validate(t *testing.T, spv string, mesh bool) {
	env := targetEnv
	if mesh {
		env = targetEnvs["mesh"]
	}
	out, err := exec.Command("spirv-val", "--target-env", env, spv).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// TestContradictions compiles settings that would draw nothing or draw wrongly. An #error that says why
// must stop each compilation.
func TestContradictions(t *testing.T) {
	folder := t.TempDir()
	add(t, folder, "own/vertex.glsl", `
		struct OwnVertex { vec4 clip; };
		uint own_first(uint draw) { return 0u; }
		vec4 own_place(uint draw, uint id) { return vec4(0.0); }
		OwnVertex own_shade(uint draw, uint id) { return OwnVertex(vec4(0.0)); }
		void own_emit(uint place, OwnVertex v) {}
	`)
	for _, c := range []struct{ says, stage, defines string }{
		{"OWN_VERTEX without FUSED", "raster/medium.comp", "OWN_VERTEX"},
		{"OWN_VERTEX without FUSED", "raster/medium.comp", "OWN_VERTEX LARGE"},
		{"OWN_VERTEX without FUSED", "raster/tiled.comp", "OWN_VERTEX CLIPPED"},
		{"note none", "raster/sifted.comp", "OWN_VERTEX FUSED"},
		{"are not culled", "cull/shade.comp", "OWN_VERTEX"},
		{"reads the scene", "queue/assemble.comp", "OWN_VERTEX"},
		{"three sinks", "geometry/claim.comp", "OWN_VERTEX FUSED MESH OWN_BATCH=96"},
		{"three sinks", "geometry/claim.comp", "FUNCTION=FUNCTION_LENGTH FUSED"},
		{"OWN_VERTEX excludes", "geometry/claim.comp", "OWN_VERTEX FUNCTION=FUNCTION_LENGTH"},
		{"OWN_VERTEX excludes", "geometry/claim.comp", "OWN_VERTEX SUBDIVIDED"},
		{"NARROW does without", "raster/medium.comp", "FUSED NARROW"},
		{"needs OWN_BATCH", "geometry/claim.comp", "OWN_VERTEX MESH"},
		{"needs OWN_BATCH", "geometry/claim.comp", "OWN_VERTEX OWN_BATCH=96"},
		{"at most 255", "geometry/claim.comp", "OWN_VERTEX MESH OWN_BATCH=258"},
		{"does not know what a batch puts out", "geometry/hash.comp", "OWN_VERTEX MESH OWN_BATCH=96"},
		{"shades whole draws", "geometry/multi.comp", "OWN_VERTEX FUSED"},
		{"none of the numbers", "geometry/claim.comp", "FUNCTION=FUNCTION_OWNED"},
	} {
		out, err := glslang(folder, c.stage, strings.Fields(c.defines)...)
		require.Error(t, err, "%s %s compiles", c.stage, c.defines)
		require.Contains(t, string(out), "#error", "%s %s", c.stage, c.defines)
		require.Contains(t, string(out), c.says, "%s %s", c.stage, c.defines)
	}
}

// TestDocumentedSizes: the sizes that docs/embedding.md gives are those of layout.h.
func TestDocumentedSizes(t *testing.T) {
	page := string(must.Get(os.ReadFile("../../docs/embedding.md")))
	header := string(must.Get(os.ReadFile(filepath.Join(ownShaders, headerName))))
	defined := func(name string) int {
		m := regexp.MustCompile(`#define ` + name + ` (\d+)u`).FindStringSubmatch(header)
		require.NotNil(t, m, name)
		return must.Get(strconv.Atoi(m[1]))
	}
	for row, want := range map[string]int{
		"| `RASTER_LISTS` | %d `ShadeonceRasterList` per chunk":           defined("SHADEONCE_RASTER_LISTS"),
		"| `RASTER_TRIANGLES` | %d `uint` per triangle of the capacity":   defined("SHADEONCE_RASTER_CLASSES") - 1,
		"| `TILE_MARKS` | `uint` per tile of %[1]dx%[1]d pixels":          defined("SHADEONCE_RASTER_TILE"),
		"Fused `claim` holds at most %d * LANES / 32 vertices of a batch": defined("SHADEONCE_CLAIM_HELD"),
	} {
		row = fmt.Sprintf(row, want)
		require.True(t, strings.Contains(page, row), row)
	}
}

// TestDocumentedLines runs every shader compilation command in docs/embedding.md and docs/apps.md, and validates the output.
func TestDocumentedLines(t *testing.T) {
	root := must.Get(filepath.Abs("../.."))
	folder, ran := t.TempDir(), map[string]int{}
	for _, page := range []string{"embedding", "apps"} {
		text := must.Get(os.ReadFile(filepath.Join(root, "docs", page+".md")))
		for _, line := range regexp.MustCompile(`(?m)^(?:\$ )?glslangValidator (.*) -o (\S+)$`).FindAllSubmatch(text, -1) {
			target := filepath.Join(folder, string(line[2]))
			cmd := exec.Command("glslangValidator", append(strings.Fields(string(line[1])), "-o", target)...)
			cmd.Dir = root
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "docs/%s.md: %s\n%s", page, line[0], out)
			validate(t, target, strings.Contains(string(line[1]), "vulkan1.2"))
			ran[page]++
		}
	}
	require.GreaterOrEqual(t, ran["embedding"], 8)
	require.GreaterOrEqual(t, ran["apps"], 1)
}
