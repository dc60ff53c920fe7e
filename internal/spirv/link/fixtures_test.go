package link_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

var update = flag.Bool("update", false, "store the shaders of testdata, compiled anew")

// TestStoredShadersAreCurrent compiles the shaders of testdata, and those of package interpret, and compares the results with the
// modules stored beside the shaders; -update replaces these modules. The first line of a file has glslangValidator's
// options; its versions write different modules. naga's modules do not contain its version, so the
// test does not compare them.
func TestStoredShadersAreCurrent(t *testing.T) {
	if _, err := exec.LookPath("glslangValidator"); err != nil && !*update {
		t.Skip("no glslangValidator (Debian: glslang-tools)")
	}
	others := must.Get(filepath.Glob("../interpret/testdata/*.vert"))
	require.NotEmpty(t, others)
	for _, file := range append(sources(t), others...) {
		text := must.Get(os.ReadFile(file))
		first, _, _ := strings.Cut(string(text), "\n")
		options, _ := strings.CutPrefix(first, "// glslang: ")
		to := spv(file)
		if !*update {
			to = filepath.Join(t.TempDir(), "compiled.spv")
		}
		command := append([]string{"glslangValidator"}, strings.Fields(options)...)
		switch filepath.Ext(file) {
		case ".wgsl":
			if !*update {
				continue
			}
			command = []string{"naga", file, to}
		case ".hlsl":
			command = append(command, "-D", file, "-o", to)
		default:
			command = append(command, "-V", file, "-o", to)
		}
		out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		want := must.Get(os.ReadFile(to))
		got := must.Get(os.ReadFile(spv(file)))
		if compiler := 8; string(want[compiler:][:4]) != string(got[compiler:][:4]) {
			t.Skipf("%s was compiled by another version of glslangValidator", spv(file))
		}
		require.True(t, string(want) == string(got), "%s is not what %s compiles to: make golden", spv(file), file)
	}
}

// sources returns the paths of the shaders in testdata, including the host.
func sources(t testing.TB) []string {
	files := must.Get(filepath.Glob("testdata/*"))
	files = slices.DeleteFunc(files, func(f string) bool {
		return !slices.Contains([]string{".vert", ".hlsl", ".wgsl", ".comp"}, filepath.Ext(f))
	})
	require.Greater(t, len(files), 25)
	return files
}

// shaders returns the sources of vertex shaders.
func shaders(t testing.TB) []string {
	return slices.DeleteFunc(sources(t), func(f string) bool { return filepath.Ext(f) == ".comp" })
}

func spv(source string) string { return strings.TrimSuffix(source, filepath.Ext(source)) + ".spv" }

func read(t testing.TB, source string) []uint32 {
	data := must.Get(os.ReadFile(spv(source)))
	return must.Get(module.Words(data))
}

// vertex describes the vertex shader of a source.
func vertex(t testing.TB, source string, specialization map[uint32]uint32) *module.Vertex {
	v, err := module.ReadVertex(read(t, source), "", specialization)
	require.NoError(t, err, source)
	return v
}

// placed assigns places to everything that a program reads, and returns the layout.
func placed(v *module.Vertex) (link.Program, link.Layout) {
	p := link.Program{Vertex: v}
	for _, in := range v.Inputs {
		for n := range in.Type.Locations() {
			at := in.Location + uint32(n)
			from := link.Input{Location: at, Format: vertexformat.R32G32B32A32_SFLOAT, FirstByte: 256 * at, PerDraw: at == 5}
			if in.Type.Scalar().Kind != module.Float {
				from.Format = vertexformat.R32G32B32A32_SFLOAT - 2 // UINT
			} else if at == 0 {
				from.Attribute = link.FromPositions
			} else if at == 1 {
				from.Attribute = link.FromNormals
			}
			p.Inputs = append(p.Inputs, from)
		}
	}
	l := link.Layout{Words: link.RecordSlots}
	base := 0
	for i, b := range v.Blocks {
		at := link.BlockLayout{Binding: uint32(16 + i), Elements: 32}
		if b.Kind == module.FetchedImage && i%2 == 0 {
			at.Slot = l.Words
			l.Words++
		} else if !b.Open {
			base = (base + b.Align - 1) / b.Align * b.Align
			at.Base = uint32(base)
			base += 3 * b.Stride()
			at.Slot = l.Words
			l.Words++
			if link.InUniforms(v, b.Kind) {
				at.Copies = 3
			}
		}
		p.Blocks = append(p.Blocks, at)
	}
	return p, l
}

// needValidator skips a test if spirv-val is not installed.
func needValidator(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("spirv-val"); err != nil {
		t.Skip("spirv-val is not installed")
	}
}

// validate returns spirv-val's message about a module; empty if the module is valid.
func validate(t testing.TB, words []uint32, options ...string) string {
	cmd := exec.Command("spirv-val", append(options, "-")...)
	cmd.Stdin = bytes.NewReader(module.Bytes(words))
	out, err := cmd.CombinedOutput()
	if err == nil {
		return ""
	}
	return strings.TrimSpace(string(out) + " " + err.Error())
}

// TestNarrowMatricesAreNotInUniforms: uniform buffers do not allow matrices whose columns are 8 bytes apart.
func TestNarrowMatricesAreNotInUniforms(t *testing.T) {
	float := &module.Type{Kind: module.Float, Width: 32}
	matrix := &module.Type{Kind: module.Matrix, Count: 2, Elem: &module.Type{Kind: module.Vector, Count: 2, Elem: float}}
	for stride, want := range map[int]bool{8: false, 16: true} {
		block := &module.Type{Kind: module.Struct, Members: []module.Member{{Type: matrix, MatrixStride: stride}}}
		v := &module.Vertex{Blocks: []module.Block{{Kind: module.PushConstants, Type: block}}}
		require.Equal(t, want, link.InUniforms(v, module.PushConstants), stride)
	}
}
