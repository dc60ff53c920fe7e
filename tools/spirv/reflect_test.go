package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// reflected describes a shader of the test tree.
func reflected(t *testing.T, name string) *reflection {
	variants := must.Get(findVariants(built))
	i := slices.IndexFunc(variants, func(v *variant) bool { return v.Name == name })
	require.GreaterOrEqual(t, i, 0)
	r, err := reflectSPIRV(readSPIRV(t, variants[i].spvName()), variants[i].SpecNames)
	require.NoError(t, err)
	return r
}

func readSPIRV(t testing.TB, name string) []byte {
	return must.Get(os.ReadFile(filepath.Join(built, "spirv", name)))
}

// layoutOf returns the layout of the struct with a name: its fields with their offsets, and its
// size. The test fails if there is none.
func layoutOf(t *testing.T, r *reflection, name string) *structLayout {
	i := slices.IndexFunc(r.Structs, func(s *structLayout) bool { return s.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return r.Structs[i]
}

// The offsets were computed by hand with the std430 and std140 rules.
func TestStructLayouts(t *testing.T) {
	padded := reflected(t, "layout/padded")
	tests := map[string]struct {
		size   int
		fields []field
	}{
		"Padded": {304, []field{
			{"Id", "id", "uint32", "uint", 0, 4}, {"Axis", "axis", "[3]float32", "vec3", 16, 12}, {"Angle", "angle", "float32", "float", 28, 4},
			{"Uv", "uv", "[2]float32", "vec2", 32, 8}, {"Inner", "inner", "[2]Inner", "Inner[2]", 48, 64}, {"Basis", "basis", "[12]float32", "mat3", 112, 48},
			{"Model", "model", "[16]float32", "mat4", 160, 64}, {"Turn", "turn", "[4]float32", "mat2", 224, 16},
			{"Weights", "weights", "[3]float32", "float[3]", 240, 12}, {"Rows", "rows", "[2][4]int32", "ivec3[2]", 256, 32},
			{"Range", "range", "[2]uint32", "uvec2", 288, 8}, {"Type", "type", "uint32", "uint", 296, 4},
		}},
		"Inner":    {32, []field{{"Low", "low", "[3]float32", "vec3", 0, 12}, {"SizePx", "size_px", "[2]float32", "vec2", 16, 8}}},
		"Push":     {16, []field{{"First", "first", "uint32", "uint", 0, 4}, {"Scale", "scale", "[2]float32", "vec2", 8, 8}}},
		"Results":  {16, []field{{"ResultCount", "resultCount", "uint32", "uint", 0, 4}}}, // up to the array
		"Settings": {48, []field{{"Gains", "gains", "[2][4]float32", "float[2]", 0, 32}, {"Tint", "tint", "[3]float32", "vec3", 32, 12}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := layoutOf(t, padded, name)
			require.Equal(t, test.fields, s.Fields)
			require.Equal(t, test.size, s.Size)
		})
	}
	require.Len(t, padded.Structs, len(tests))
}

func TestInterfaces(t *testing.T) {
	padded := reflected(t, "layout/padded")
	require.Equal(t, []binding{
		{&module.Descriptor{Binding: 10, Name: "Results", WriteOnly: true}, "Results", "[4]float32"},
		{&module.Descriptor{Binding: 12, Name: "Items", ReadOnly: true}, "", "Padded"},
		{&module.Descriptor{Set: 1, Name: "Settings", Uniform: true}, "Settings", ""},
	}, withoutTypes(padded))
	require.Equal(t, []module.SpecConstant{
		{ID: 1, Name: "NATIVE", Kind: module.Bool}, {ID: 3, Name: "WORKGROUP", Kind: module.Uint}, {ID: 7, Name: "BIAS", Kind: module.Int}, {ID: 9, Name: "GAIN", Kind: module.Float},
	}, padded.SpecConstants)
	require.Equal(t, 16, padded.PushBytes)
	require.Equal(t, [3]string{"WORKGROUP", "", ""}, padded.LocalSizeSpec)
	require.Equal(t, uint32(2), padded.LocalSize[1])

	subgroup := reflected(t, "layout/subgroup")
	require.Equal(t, module.ComputeStage, subgroup.Stage)
	require.Equal(t, []string{"GroupNonUniform", "GroupNonUniformBallot", "GroupNonUniformShuffle", "Int64", "Int64Atomics", "Shader"}, subgroup.Capabilities)
	require.Equal(t, []module.SpecConstant{{ID: 3, Name: "WORKGROUP", Kind: module.Uint}}, subgroup.SpecConstants)
	require.Equal(t, "WORKGROUP", subgroup.LocalSizeSpec[0])

	shade := reflected(t, "raster/shade")
	require.Equal(t, module.FragmentStage, shade.Stage)
	require.Equal(t, []binding{{&module.Descriptor{Binding: 4, Name: "One", ReadOnly: true}, "Inner", ""}}, withoutTypes(shade))
	require.Equal(t, module.VertexStage, reflected(t, "raster/corner").Stage)
}

func withoutTypes(r *reflection) (list []binding) {
	for _, b := range r.Bindings {
		d := *b.Descriptor
		d.Type = nil
		list = append(list, binding{&d, b.Struct, b.Element})
	}
	return list
}

func TestVariantsDiffer(t *testing.T) {
	require.NotEqual(t, readSPIRV(t, "layout_padded.spv"), readSPIRV(t, "layout_padded-wide.spv"))
	narrow, wide := reflected(t, "layout/padded"), reflected(t, "layout/padded-wide")
	require.Equal(t, withoutTypes(narrow), withoutTypes(wide), "with one interface")
	require.Equal(t, narrow.SpecConstants, wide.SpecConstants)
	require.Equal(t, narrow.Structs, wide.Structs)
}
