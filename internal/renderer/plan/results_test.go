package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/shaders"
)

// TestResults plans a shade function without a device. A strategy of whole draws needs a second
// pass for the corners, and a bound on dispatches splits the passes.
func TestResults(t *testing.T) {
	s := reuse.Stream{Name: "edges", Indices: []uint32{0, 1, 2, 2, 1, 3, 3, 1, 0}, IDs: 4}
	for _, c := range []struct {
		strategy string
		part     int
		want     []string
	}{
		{"hash", 0, []string{"clear", "length:hash"}},
		{"multi", 0, []string{"clear", "length:multi", "length:multi"}},
		{"naive", 6, []string{"clear", "length:naive", "length:naive"}},
	} {
		config, err := reuse.Params{Batch: map[string]int{"naive": 3}[c.strategy]}.Resolve(c.strategy)
		require.NoError(t, err)
		p, err := NewResults(s, CutStream(s, config), Function{Name: "length", Reuse: config, Held: 4, Part: c.part, Spec: map[string]uint32{"SCALE": 7}}, testLimits)
		require.NoError(t, err)
		require.Equal(t, "source stored, shade function, sink results, raster none, residency whole", p.Recipe.String())
		var passes []string
		var firsts []uint32
		batches := map[string]uint32{}
		for i := range p.Passes {
			passes = append(passes, p.Passes[i].Name)
			if d, is := p.Passes[i].Op.(*Dispatch); is {
				require.EqualValues(t, 7, d.Spec["SCALE"])
				firsts = append(firsts, d.Push.FirstBatch)
				batches[p.Passes[i].Name] += d.Push.BatchCount
			}
		}
		require.EqualValues(t, map[string]int{"naive": 3, "hash": 1, "multi": 2}[c.strategy], batches["length:"+c.strategy], "all batches, in each of multi's two passes")
		require.Equal(t, c.want, passes)
		require.Equal(t, map[string][]uint32{"hash": {0}, "naive": {0, 2}, "multi": {1, 0}}[c.strategy], firsts, "multi shades vertices first")
		require.Equal(t, ByCaller, p.Buffer("EdgeLengths").From)
		require.Equal(t, "stream", p.Buffer(Batches).From)
		require.Contains(t, p.String(), "length:"+c.strategy)
	}
}

// TestOwnFunctions: a module is needed, and a second one only for results that corners take.
func TestOwnFunctions(t *testing.T) {
	multi, err := reuse.Resolve("multi", 0, 0)
	require.NoError(t, err)
	_, err = ReadFunction(multi.Strategy)
	require.EqualError(t, err, "own function: 0 modules: one, and for a whole-draw strategy a second one to expand")
	own, second := OwnFunction{strategy: multi.Strategy, shader: new(shaders.Shader)}, new(shaders.Shader)
	require.NoError(t, own.check(&Function{Reuse: multi}))
	require.ErrorContains(t, own.check(&Function{Reuse: multi, Held: 4}), "by a second module, compiled from multi-expand")
	own.expand, own.held = second, 4
	require.NoError(t, own.check(&Function{Reuse: multi, Held: 4}))
	require.ErrorContains(t, own.check(&Function{Reuse: multi, Held: 8}), "results of 8 bytes, and the shader's have 4")
	require.Same(t, second, (&Function{Shader: &own}).kernel("multi-expand"))
}
