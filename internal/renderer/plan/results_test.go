package plan

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
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
		config := must.Get(reuse.Params{Batch: map[string]int{"naive": 3}[c.strategy]}.Resolve(c.strategy))
		p := must.Get(NewResults(s, CutStream(s, config), Function{Name: "length", Reuse: config, Held: 4, Part: c.part, Spec: map[string]uint32{"SCALE": 7}}, testLimits))
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

// TestOwnFunctions: a module is needed, and a second one only for results that corners take. Results have the
// module's size, and constants are the function's own.
func TestOwnFunctions(t *testing.T) {
	multi := must.Get(reuse.Resolve("multi", 0, 0))
	_, err := ReadFunction(multi.Strategy)
	require.EqualError(t, err, "own function: 0 modules: one, and for a whole-draw strategy a second one to expand")
	own, second := OwnFunction{strategy: multi.Strategy, shader: new(shaders.Shader)}, new(shaders.Shader)
	require.NoError(t, own.check(&Function{Reuse: multi}))
	require.ErrorContains(t, own.check(&Function{Reuse: multi, Held: 4}), "by a second module, compiled from multi-expand")
	own.expand, own.held = second, 4
	require.NoError(t, own.check(&Function{Reuse: multi, Held: 4}))
	require.ErrorContains(t, own.check(&Function{Reuse: multi, Held: 8}), "Held is 8, and the shader's corners take results of 4 bytes")
	for _, s := range reuse.Strategies { // the size is read from each strategy's module
		modules := [][]byte{shaders.Must("length/" + s.Name).SPIRV}
		if expands(s) {
			modules = append(modules, shaders.Must("length/"+s.Name+"-expand").SPIRV)
		}
		require.Equal(t, 4, must.Get(ReadFunction(s, modules...)).held, s.Name)
	}
	own.shader.SpecConstants = []shaders.SpecConstant{{Name: "COUNT"}, {Name: "SCALE"}}
	require.NoError(t, own.check(&Function{Reuse: multi, Held: 4, Spec: map[string]uint32{"SCALE": 7}}))
	require.ErrorContains(t, own.check(&Function{Reuse: multi, Held: 4, Spec: map[string]uint32{"SCALE": 7, "COUNT": 0}}), `"COUNT" is no specialization constant of the function's own source; it declares SCALE`)
	require.Same(t, second, (&Function{Shader: &own}).kernel("multi-expand"))
}

// TestTexCoordData: the texture coordinate sets of a vertex are adjacent, whatever other attributes the scene has.
func TestTexCoordData(t *testing.T) {
	s := &geometry.Scene{Positions: make([]mgl32.Vec3, 2)}
	for _, data := range []string{"another one", "a at 0..a at 1..", "b at 0..b at 1.."} {
		s.Attributes = append(s.Attributes, geometry.Attribute{Format: vertexformat.R32G32_SFLOAT, Data: []byte(data)})
	}
	for want, sets := range map[string][]int{"a at 0..a at 1..": {1}, "b at 0..a at 0..b at 1..a at 1..": {2, 1}} {
		s.Textures = &geometry.Textures{Sets: sets}
		require.Equal(t, want, string(TexCoordData(s)))
	}
	var window geometry.Scene
	beginTexCoords(&window, s)
	gatherTexCoords(&window, s, 1)
	require.Equal(t, "a at 0..a at 1..", string(s.Attributes[1].Data), "a window has memory of its own")
}

// TestLeastAlpha: a sample, in 1/TextureOne, passes an alpha test if it is at least the cutoff. Most cutoffs lie between two samples.
func TestLeastAlpha(t *testing.T) {
	const one = shaders.TextureOne
	for cutoff, want := range map[float64]uint32{-1: 0, 0: 0, 1e-9: 1, .3 / one: 1, .5: one / 2, 5.01 / one: 6, 5.99 / one: 6, 1: one, (one + .1) / one: one + 1, 9: 2 * one} {
		require.Equal(t, want, leastAlpha(cutoff), "%g", cutoff)
	}
}

// TestNormalRowsDoNotDependOnScale: normals of a model in microns equal those of one in kilometres,
// and a flattened model has finite rows.
func TestNormalRowsDoNotDependOnScale(t *testing.T) {
	turn := mgl32.HomogRotate3DY(0.7).Mul4(mgl32.Scale3D(1, 2, 3))
	want := normalRows(turn)
	for _, scale := range []float32{1e-12, 1e-3, 1e3, 1e12} {
		got := normalRows(turn.Mul4(mgl32.Scale3D(scale, scale, scale)))
		for r := range got {
			require.InDeltaSlice(t, want[r][:], got[r][:], 1e-5, "scale %g", scale)
		}
	}
	flat := normalRows(mgl32.Scale3D(1, 0, 1))
	require.Equal(t, [4]float32{0, 1, 0, 0}, flat[1], "a flattened model's normals point along the lost axis")
	require.Equal(t, [3][4]float32{}, normalRows(mgl32.Mat4{}))
}
