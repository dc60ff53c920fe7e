package link_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/internal/spirv/spirvtest"
)

// valid are spirv-val's options: the target of the passes, and the layout that scalar.vert needs.
var valid = []string{"--target-env", "vulkan1.1", "--scalar-block-layout"}

// isKept compares a joined module with its digest in testdata/joined.txt. The tests of oracle run modules and show
// that they compute the right results. After an intended change, `go test ./internal/spirv/link -run TestJoin
// -update` rewrites the digests.
func isKept(t *testing.T, name string, words []uint32) {
	t.Helper()
	const path = "testdata/joined.txt"
	kept := map[string]string{} // digests by name
	for line := range strings.Lines(string(must.Get(os.ReadFile(path)))) {
		of, digest, _ := strings.Cut(strings.TrimSpace(line), " ")
		kept[of] = digest
	}
	digest := fmt.Sprintf("%x", sha256.Sum256(module.Bytes(words)))
	if !*update {
		require.Equal(t, kept[name], digest, "%s: -update writes it anew", name)
		return
	}
	kept[name] = digest
	var b strings.Builder
	for _, of := range slices.Sorted(maps.Keys(kept)) {
		fmt.Fprintln(&b, of, kept[of])
	}
	require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
}

// mustJoin joins programs with a host; the result is valid.
func mustJoin(t *testing.T, host []uint32, programs []link.Program, l link.Layout) []uint32 {
	joined, _, err := link.Join(host, programs, l)
	require.NoError(t, err)
	require.Empty(t, validate(t, joined, valid...), programs[0].Name)
	return joined
}

// TestJoin joins each shader with the host.
func TestJoin(t *testing.T) {
	needValidator(t)
	host := read(t, "testdata/host.comp")
	for _, source := range shaders(t) {
		t.Run(filepath.Base(source), func(t *testing.T) {
			v := vertex(t, source, nil)
			p, l := placed(v)
			if len(v.Outputs) > 0 && v.Outputs[0].Type.Kind <= module.Vector {
				l.Shown = v.Outputs[0].Name
			}
			l.Clip = true
			joined := mustJoin(t, host, []link.Program{p}, l)
			again, _ := must.Get2(link.Join(host, []link.Program{p}, l))
			require.True(t, slices.Equal(joined, again), "two results of one join differ")
			isKept(t, filepath.Base(source), joined)
		})
	}
}

// TestJoinAll joins all shaders with one host, as for a game's frame.
func TestJoinAll(t *testing.T) {
	needValidator(t)
	var programs []link.Program
	layout := link.Layout{Precise: true}
	for _, source := range shaders(t) {
		p, l := placed(vertex(t, source, nil))
		layout.Words = max(layout.Words, l.Words)
		programs = append(programs, p)
	}
	isKept(t, "all", mustJoin(t, read(t, "testdata/host.comp"), programs, layout))
}

// TestLimitedLoops joins shaders whose loops count their iterations.
func TestLimitedLoops(t *testing.T) {
	needValidator(t)
	for _, name := range []string{"control", "displace", "globals", "morph", "nested", "specialized"} {
		joined, err := joinWords(read(t, "testdata/host.comp"), read(t, "testdata/"+name+".vert"))
		require.NoError(t, err)
		require.Empty(t, validate(t, joined, valid...), name)
		isKept(t, "limited:"+name, joined)
	}
}

// TestJoinDistances joins shaders that write fewer distances than others of the scene, or no distances.
func TestJoinDistances(t *testing.T) {
	needValidator(t)
	for _, source := range []string{"testdata/clipped.vert", "testdata/transform.vert"} {
		p, l := placed(vertex(t, source, nil))
		l.Distances, l.Stored = module.Distances{Clip: 4, CullPlanes: 2}, 31
		isKept(t, "distances:"+filepath.Base(source), mustJoin(t, read(t, "testdata/host.comp"), []link.Program{p}, l))
	}
}

// TestJoinSpecialized freezes constants; one is the length of an array.
func TestJoinSpecialized(t *testing.T) {
	needValidator(t)
	p, l := placed(vertex(t, "testdata/specialized.vert", map[uint32]uint32{0: 5, 1: 1, 2: 0x40400000, 7: 9}))
	joined := mustJoin(t, read(t, "testdata/host.comp"), []link.Program{p}, l)
	isKept(t, "specialized", joined)
	m := must.Get(module.Decode(joined))
	for _, in := range m.Globals {
		_, specialized := m.Decoration(in.Result(), module.SpecID)
		require.False(t, specialized)
		require.NotContains(t, []module.Op{module.OpSpecConstant, module.OpSpecConstantTrue, module.OpSpecConstantFalse}, in.Op)
	}
}

// TestJoinOtherCompilers joins modules in the form that DXC and Slang write.
func TestJoinOtherCompilers(t *testing.T) {
	needValidator(t)
	host := read(t, "testdata/host.comp")
	for _, file := range []string{"testdata/dxc.txt", "testdata/slang.txt"} {
		text := must.Get(os.ReadFile(file))
		words := spirvtest.Assemble(t, string(text))
		require.Empty(t, validate(t, words, validInput...), file)
		joined, err := joinWords(host, words)
		require.NoError(t, err, file)
		require.Empty(t, validate(t, joined, valid...), file)
		m := must.Get(module.Decode(joined))
		for _, in := range m.Globals { // a table keeps its values; other variables are set before each call
			if name := m.Name(in.Result()); name == "p0.table" || name == "p0.calls" {
				require.Len(t, in.Operands, map[string]int{"p0.table": 4, "p0.calls": 3}[name], name)
			}
		}
	}
}

// TestJoinPasses joins users' shaders, and our own trusted ones, with one of our passes.
func TestJoinPasses(t *testing.T) {
	needValidator(t)
	host := read(t, "../../shaders/spirv/geometry_hash.spv")
	for _, source := range []string{"testdata/skin4.vert", "testdata/specialized.vert", "testdata/images.vert"} {
		p, l := placed(vertex(t, source, nil))
		p.Name = source
		mustJoin(t, host, []link.Program{p}, l)
	}
	v := must.Get(module.ReadVertex(read(t, "../../shaders/spirv/vertex_skin.spv"), "", nil))
	p := link.Program{Vertex: v, Inputs: []link.Input{
		{Location: 0, Attribute: link.FromPositions}, {Location: 1, Attribute: link.FromNormals}, {Location: 2, Attribute: link.FromSkin}, {Location: 4, Attribute: link.FromClip}, {Location: 5}, {Location: 6}, {Location: 7},
	}, Blocks: []link.BlockLayout{{Binding: 8}}}
	joined := mustJoin(t, host, []link.Program{p}, link.Layout{Trusted: true})
	m := must.Get(module.Decode(joined))
	for _, f := range m.Functions {
		require.NotContains(t, m.Name(f.ID), "custom_fetch", "no one calls it")
	}
	require.Equal(t, exact(must.Get(module.Decode(host)))+exact(v.Module), exact(m), "precise is lost")
	_, _, err := link.Join(read(t, "testdata/host.comp"), []link.Program{p}, link.Layout{Trusted: true})
	require.EqualError(t, err, "host: no buffer Skin")
}

// TestJoinRefusesCopies: blocks that cannot be in Uniforms, or only some blocks of a kind there, are refused.
func TestJoinRefusesCopies(t *testing.T) {
	for source, c := range map[string]struct {
		copies int // of block 1
		cause  string
	}{
		"testdata/skin4.vert":  {1, "storage block skin cannot lie in a uniform buffer"},
		"testdata/arrays.vert": {0, "uniform block views in Uniforms, views not"},
	} {
		p, l := placed(vertex(t, source, nil))
		p.Blocks[1].Copies = c.copies
		_, _, err := link.Join(read(t, "testdata/host.comp"), []link.Program{p}, l)
		require.ErrorContains(t, err, c.cause)
	}
}

// exact counts the results that a module marks as NoContraction.
func exact(m *module.Module) (n int) {
	for _, in := range m.Head {
		if in.Op == module.OpDecorate && module.Decoration(in.At(1)) == module.NoContraction {
			n++
		}
	}
	return n
}
