package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// newTree returns a copy of a folder of shaders.
func newTree(t *testing.T, from string) string {
	dir := filepath.Join(t.TempDir(), "shaders")
	require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
	return dir
}

// built is a folder in which the tool has compiled the test shaders, once for all tests.
var built = filepath.Join(os.TempDir(), fmt.Sprintf("spirv-test-%d", os.Getpid()))

// compiledOnce compiles a variant only if no test has compiled the same sources before, since each start of the
// compiler takes long.
func compiledOnce(dir, target string, v *variant) ([]byte, error) {
	if code, ok := compiled.Load(v.Hash); ok {
		return code.([]byte), nil
	}
	code, err := compile(dir, target, v)
	if err == nil {
		compiled.Store(v.Hash, code)
	}
	return code, err
}

var compiled sync.Map // SPIR-V by hash of its sources

func TestMain(m *testing.M) {
	compileOne = compiledOnce
	err := os.CopyFS(built, os.DirFS("testdata/shaders"))
	if err == nil {
		err = run(options{dir: built}, io.Discard)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(built)
	os.Exit(code)
}

// builtTree returns a copy of the tool's output for the test shaders.
func builtTree(t *testing.T) string { return newTree(t, built) }

// snapshot returns the contents of every file below dir.
func snapshot(t *testing.T, dir string) map[string]string {
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			text := must.Get(os.ReadFile(file))
			files[file] = string(text)
		}
		return err
	}))
	return files
}

// edit replaces text in a file of the tree; the old text must exist.
func edit(t *testing.T, dir, file, old, replacement string) {
	path := filepath.Join(dir, file)
	text := must.Get(os.ReadFile(path))
	require.Contains(t, string(text), old)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), old, replacement, 1)), 0o644))
}

func add(t *testing.T, dir, file, text string) {
	require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644))
}

// edited, added and removed change files of a tree; pairs are texts, each with its replacement.
func edited(file string, pairs ...string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		for pair := range slices.Chunk(pairs, 2) {
			edit(t, dir, file, pair[0], pair[1])
		}
	}
}

func added(file, text string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) { add(t, dir, file, text) }
}

func removed(file string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) { require.NoError(t, os.Remove(filepath.Join(dir, file))) }
}

func check(dir string) error { return run(options{dir: dir, check: true}, io.Discard) }

func TestGeneratedGoCompilesAndAsserts(t *testing.T) {
	dir := builtTree(t)
	text := must.Get(os.ReadFile("../../internal/shaders/shaders.go"))
	add(t, dir, "shaders.go", string(text))
	add(t, dir, "go.mod", "module github.com/shadeonce/shadeonce\n\ngo 1.26\n")
	for _, imported := range []string{"internal/spirv/module", "internal/base/must"} {
		require.NoError(t, os.CopyFS(filepath.Join(dir, imported), os.DirFS("../../"+imported)))
	}
	build := func() (string, error) {
		cmd := exec.Command("go", "vet", ".")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := build()
	require.NoError(t, err, out)

	// The assertions can fail: change the length of one field.
	edit(t, dir, generatedName, "Axis    [3]float32", "Axis    [4]float32")
	out, err = build()
	require.Error(t, err)
	require.Contains(t, out, "cannot use [unsafe.")
}

func TestOutputIsDeterministic(t *testing.T) {
	dir := builtTree(t)
	before := snapshot(t, dir)
	require.NoError(t, run(options{dir: dir, force: true}, io.Discard))
	require.Equal(t, before, snapshot(t, dir))
	require.NotContains(t, before[filepath.Join(dir, generatedName)], dir)
	require.NotContains(t, before[filepath.Join(dir, "spirv", "layout_padded.spv")], filepath.Dir(dir))
}

func TestOnlyWhatChangedIsCompiled(t *testing.T) {
	dir := builtTree(t)
	var out bytes.Buffer
	require.NoError(t, run(options{dir: dir}, &out))
	require.Equal(t, "5 shaders, 0 compiled, 0 files changed\n", out.String())
	edit(t, dir, "raster/corner.vert", "0.0, 0.0", "0.5, 0.0")
	out.Reset()
	require.NoError(t, run(options{dir: dir}, &out))
	require.Equal(t, "5 shaders, 1 compiled, 2 files changed\n", out.String())
	require.NoError(t, check(dir))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "link/testdata"), 0o755))
	add(t, dir, "link/testdata/user.vert", "no shader")
	require.NoError(t, check(dir), "shaders for tests are not ours")
}

// TestMeshShadersAreValidated: mesh shaders are validated by the rules of a newer Vulkan, since their
// SPIR-V is newer than the others'.
func TestMeshShadersAreValidated(t *testing.T) {
	dir := builtTree(t)
	edit(t, dir, "variants.txt", "# comment", "mesh/one = mesh/one.comp @mesh")
	add(t, dir, "mesh/one.comp", "#version 450\n#extension GL_EXT_mesh_shader : require\nlayout(triangles, max_vertices = 3, max_primitives = 1) out;\n"+
		"layout(local_size_x = 32) in;\nvoid main() { SetMeshOutputsEXT(0u, 0u); }\n")
	var out bytes.Buffer
	require.NoError(t, run(options{dir: dir}, &out))
	require.Equal(t, "6 shaders, 1 compiled, 2 files changed\n", out.String())
}

func TestNeitherCheckNorAFreshTreeNeedsACompiler(t *testing.T) {
	dir := builtTree(t)
	t.Setenv("PATH", t.TempDir())
	require.NoError(t, check(dir))
	require.NoError(t, run(options{dir: dir}, io.Discard))
	err := run(options{dir: dir, force: true}, io.Discard)
	require.EqualError(t, err, "glslangValidator is not installed: apt-get install glslang-tools (Debian, Ubuntu)")
}

func TestCheckNamesWhatIsStale(t *testing.T) {
	tests := map[string]struct {
		change func(t *testing.T, dir string)
		want   []string // parts of the message
		not    string
	}{
		"stage": {edited("raster/corner.vert", "1.0", "2.0"), []string{"raster/corner.vert: stale: its sources changed"}, "shade.frag"},
		"include of an include": {
			edited("include/nested.glsl", "// 0", "// zero"),
			[]string{"layout/padded.comp: stale", "raster/shade.frag: stale"}, "corner.vert",
		},
		"define": {
			edited("variants.txt", "FACTOR=4u", "FACTOR=8u"),
			[]string{"layout/padded.comp (layout/padded-wide): stale: its sources changed"}, "shade.frag",
		},
		"SPIR-V edited": {
			added("spirv/raster_corner.spv", "\x03\x02\x23\x07"),
			[]string{"raster/corner.vert: stale: spirv/raster_corner.spv is not what was generated"}, "shade.frag",
		},
		"SPIR-V missing": {
			removed("spirv/raster_corner.spv"),
			[]string{"raster/corner.vert: stale: spirv/raster_corner.spv is missing"}, "shade.frag",
		},
		"new source":          {added("raster/new.vert", "#version 450\nvoid main() {}\n"), []string{"raster/new.vert: stale: never compiled"}, "shade.frag"},
		"source gone":         {removed("raster/corner.vert"), []string{"spirv/raster_corner.spv: stale: its source is gone"}, "shade.frag"},
		"generated Go edited": {edited(generatedName, "Axis    [3]float32", "Axis    [3]uint32"), []string{"layout_gen.go: stale"}, "shade.frag"},
		"generated Go gone": {
			removed(generatedName),
			[]string{"raster/corner.vert: stale: never compiled", "layout/padded.comp: stale: never compiled"}, "changed",
		},
		"generated C edited":  {edited(headerName, "float axis[3]", "float axis[4]"), []string{"layout.h: stale"}, "shade.frag"},
		"generated C gone":    {removed(headerName), []string{"layout.h: no such file"}, "shade.frag"},
		"generated Go broken": {added(generatedName, "package shaders\n}"), []string{"raster/corner.vert: stale: never compiled"}, "changed"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // parallel to the other cases, since each waits for the compiler
			dir := builtTree(t)
			require.NoError(t, check(dir))
			test.change(t, dir)
			before := snapshot(t, dir)
			err := check(dir)
			require.Error(t, err)
			for _, want := range test.want {
				require.Contains(t, err.Error(), want)
			}
			require.NotContains(t, err.Error(), test.not)
			require.Equal(t, before, snapshot(t, dir), "a check writes nothing")
			require.NoError(t, run(options{dir: dir}, io.Discard))
			require.NoError(t, check(dir))
		})
	}
}

func TestErrorsLeaveEverythingAsItWas(t *testing.T) {
	tests := map[string]struct {
		change func(t *testing.T, dir string)
		want   string
	}{
		"broken stage": {
			edited("raster/corner.vert", "void main() {", "void main() {\n    missing = 1;"),
			"raster/corner.vert:4: 'missing' : undeclared identifier",
		},
		"broken include": {edited("include/nested.glsl", "vec3 low;", "vec9 low;"), "include/nested.glsl:2: syntax error, unexpected IDENTIFIER"},
		"missing include": {
			edited("raster/shade.frag", "structs.glsl", "absent.glsl"),
			"raster/shade.frag:4: '#include' : Could not process include directive for header name: include/absent.glsl",
		},
		"no main": {edited("raster/corner.vert", "void main", "void other"), "raster/corner.vert: Linking vertex stage: Missing entry point"},
		"struct declared twice": {
			edited("raster/shade.frag", `#include "include/structs.glsl"`, "struct Inner { vec2 size_px; vec3 low; };"),
			"struct Inner differs between layout/padded.comp and raster/shade.frag: Low vec3 at 0 against SizePx vec2 at 0",
		},
		"struct with two strides": {
			edited("raster/shade.frag", "layout(set", "struct Two { float a[1]; vec4 b; };\nlayout(set = 0, binding = 20) readonly buffer Loose { Two loose; };\nlayout(set = 0, binding = 21) uniform Wide { Two wide; };\nlayout(set", "0.0, 1.0", "loose.b.x, wide.b.x"),
			"struct Two differs between raster/shade.frag and raster/shade.frag: other strides",
		},
		"one binding twice": {
			edited("layout/padded.comp", "binding = 12", "binding = 10"),
			"layout/padded.comp: Items and Results share set 0, binding 10",
		},
		"an image": {
			edited("raster/shade.frag", "void main", "layout(binding = 5) uniform sampler2D colors;\nvoid main", "0.0, 1.0", "texture(colors, vec2(0.0)).xy"),
			"raster/shade.frag: colors is an image or a sampler: only buffers are supported",
		},
		"one binding under two names": {
			edited("raster/shade.frag", "binding = 4", "binding = 11"),
			"set 0, binding 11 is descriptor Words in layout/subgroup.comp and descriptor One in raster/shade.frag",
		},
		"one buffer at two bindings": {
			edited("raster/shade.frag", "buffer One", "buffer Words"),
			"descriptor Words has set 0, binding 11 in layout/subgroup.comp and set 0, binding 4 in raster/shade.frag",
		},
		"one specialization constant under two names": {
			usedConstant("layout(constant_id = 7) const int LEAN = 0;", "LEAN"),
			"constant_id 7 is specialization constant BIAS in layout/padded.comp and specialization constant LEAN in raster/corner.vert",
		},
		"one specialization constant with two ids": {
			usedConstant("layout(constant_id = 4) const int BIAS = 0;", "BIAS"),
			"specialization constant BIAS has constant_id 7 in layout/padded.comp and constant_id 4 in raster/corner.vert",
		},
		"wide specialization constant": {
			usedConstant("layout(constant_id = 0) const double WIDE = 1.0;", "WIDE"),
			"raster/corner.vert: specialization constant WIDE is not a bool or a number of 32 bits",
		},
		"row-major matrix": {
			edited("layout/padded.comp", "std430) readonly", "std430, row_major) readonly"),
			"layout/padded.comp: Items: struct Padded: member basis: a row-major mat3: declare it column-major",
		},
		"variant of nothing": {added("variants.txt", "a = raster/absent.vert\n"), "variants.txt: raster/absent.vert: no such stage file"},
		"malformed variant":  {added("variants.txt", "\na raster/corner.vert\n"), "variants.txt:2: expected"},
		"malformed define":   {added("variants.txt", "a = raster/corner.vert -o=x\n"), `variants.txt:1: "-o=x" is not of the form DEFINE=VALUE`},
		"two stages of one name": {
			added("raster/corner.frag", "#version 450\nvoid main() {}\n"),
			"shader raster/corner would overwrite that of raster/corner.frag",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // parallel to the other cases, since each waits for the compiler
			dir := builtTree(t)
			edit(t, dir, "layout/subgroup.comp", "WORKGROUP = 64u", "WORKGROUP = 32u") // this change must not be written, since another shader has an error
			test.change(t, dir)
			before := snapshot(t, dir)
			err := run(options{dir: dir}, io.Discard)
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), "compilation")
			lines := strings.Split(err.Error(), "\n")
			require.Len(t, slices.Compact(slices.Sorted(slices.Values(lines))), len(lines), "a line is said once")
			require.Equal(t, before, snapshot(t, dir))
		})
	}
}

// usedConstant edits raster/corner.vert so that it declares and uses a constant.
func usedConstant(declaration, name string) func(t *testing.T, dir string) {
	return edited("raster/corner.vert", "void main", declaration+"\nvoid main", "0.0, 0.0", "float("+name+"), 0.0")
}

func TestEveryBrokenShaderIsReported(t *testing.T) {
	dir := newTree(t, "testdata/shaders")
	edit(t, dir, "raster/corner.vert", "vec4(", "vec5(")
	edit(t, dir, "layout/subgroup.comp", "uvec4 mask", "uvec5 mask")
	err := run(options{dir: dir}, io.Discard)
	require.ErrorContains(t, err, "raster/corner.vert:3: 'vec5'")
	require.ErrorContains(t, err, "layout/subgroup.comp:13: 'uvec5'")
	require.NoFileExists(t, filepath.Join(dir, generatedName))
	require.NoDirExists(t, filepath.Join(dir, "spirv"))
}
