package interpret

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/internal/spirv/spirvtest"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// with assembles link's plain module with further types and constants, and with code in place of the store of its position.
func with(t testing.TB, code string) *module.Vertex {
	text := string(must.Get(os.ReadFile(fixtures + "plain.txt")))
	for _, change := range [][2]string{
		{"OpDecorate %block Block", "OpDecorate %block BufferBlock; OpDecorate %floats ArrayStride 4; OpDecorate %tex Binding 3"},
		{"%zero =", ""},
		{"%int =", "%int = OpTypeInt 32 1; %char = OpTypeInt 8 1; %double = OpTypeFloat 64; %vec2 = OpTypeVector %float 2; %dvec2 = OpTypeVector %double 2; %dvec4 = OpTypeVector %double 4; %ivec2 = OpTypeVector %int 2" +
			"; %pair = OpTypeStruct %float %float; %alone = OpTypeStruct %float; %mixed = OpTypeStruct %float %int; %widths = OpTypeStruct %int %ivec2; %floats = OpTypeRuntimeArray %float" +
			"; %zero = OpConstant %int 0; %last = OpConstant %int 299; %high = OpConstant %int 0x40080000; %three = OpConstantComposite %ivec2 %zero %high; %origin = OpConstantComposite %ivec2 %zero %zero"},
		{"%block =", "%block = OpTypeStruct %mat4 %floats; %image = OpTypeImage %float 1 0 0 0 1 0; %ptrImage = OpTypePointer UniformConstant %image; %tex = OpVariable %ptrImage UniformConstant; %reader = OpTypeFunction %vec4 %image %vec4" +
			"; %bad = OpConstant %vec4 1; %many300 = OpConstant %uint 300; %list = OpTypeArray %float %many300; %ptrList = OpTypePointer Function %list; %ptrF = OpTypePointer Function %float"},
		{"%scale =", "%g = OpFunction %vec4 None %reader; %gi = OpFunctionParameter %image; %gv = OpFunctionParameter %vec4; %gl = OpLabel; %gt = OpImageFetch %vec4 %gi %origin; %gs = OpFAdd %vec4 %gt %gv; OpReturnValue %gs" +
			"; OpFunctionEnd; %scale = OpFunction %vec4 None %helper"},
		{"OpStore", code},
	} {
		text = spirvtest.ReplaceLines(t, text, change[0], change[1])
	}
	return must.Get(module.ReadVertex(spirvtest.Assemble(t, text), "", nil))
}

// TestInstructions runs instructions that no fixture contains, for vertices -1 and 0. Both read the input (1, 2, 3, 4.75).
func TestInstructions(t *testing.T) {
	const store, spread = "; OpStore %position %r", "; %r = OpCompositeConstruct %vec4 %x %x %x %x; OpStore %position %r"
	of := func(x float32) [4]float32 { return [4]float32{x, x, x, x} }
	for code, want := range map[string][2][4]float32{
		"%twice = OpFAdd %vec4 %a %a; %r = OpVectorShuffle %vec4 %a %twice 0 5 6 3" + store: {{1, 4, 6, 4.75}, {1, 4, 6, 4.75}},
		"%r = OpVectorInsertDynamic %vec4 %a %half %n" + store:                              {{1, 2, 3, .5}, {.5, 2, 3, 4.75}},
		"%e = OpCompositeExtract %float %a 3; %s = OpExtInst %pair %glsl 36 %e; %x = OpCompositeExtract %float %s 0; %y = OpCompositeExtract %float %s 1; %r = OpCompositeConstruct %vec4 %x %y %y %x" + store: {{.75, 4, 4, .75}, {.75, 4, 4, .75}},
		"%xy = OpVectorShuffle %vec2 %a %a 1 2; %dxy = OpFConvert %dvec2 %xy; %sum = OpDot %double %dxy %dxy; %x = OpFConvert %float %sum" + spread:                                                            {of(13), of(13)},
		"%packed = OpExtInst %double %glsl 59 %three; %x = OpFConvert %float %packed" + spread:                                                                                                                 {of(3), of(3)},
		"%packed = OpExtInst %double %glsl 59 %three; %both = OpExtInst %ivec2 %glsl 65 %packed; %y = OpCompositeExtract %int %both 1; %x = OpBitcast %float %y" + spread:                                      {of(2.125), of(2.125)},
		"%l = OpArrayLength %uint %camera 1; %x = OpConvertUToF %float %l" + spread:                                                                                                                            {of(5), of(5)},
		"%v = OpVariable %ptrList Function; %to = OpAccessChain %ptrF %v %last; OpStore %to %half; %i = OpSConvert %char %n; %from = OpAccessChain %ptrF %v %i; %x = OpLoad %float %from" + spread:             {of(.5), {}},
		"%is = OpSLessThan %bool %n %zero; OpSelectionMerge %on 0; OpBranchConditional %is %yes %on; %yes = OpLabel; OpStore %position %a; OpBranch %on; %on = OpLabel":                                        {{1, 2, 3, 4.75}, {}},
		"%i = OpLoad %image %tex; %r = OpFunctionCall %vec4 %g %i %a" + store:                                                                                                                                  {{11, 22, 33, 44.75}, {11, 22, 33, 44.75}},
	} {
		v := with(t, code)
		head := blockOf(0, [4]uint32{1, 1}, f(10, 20, 30, 40))
		d := &Draw{Inputs: []Input{{0, vertexformat.Array(4, 32, "SFLOAT"), blockOf(0, f(1, 2, 3, 4.75)), 0}}, Blocks: [][]byte{make([]byte, 64+5*4), head}[:len(v.Blocks)], BaseVertex: -1}
		positions, _ := ran(t, must.Get(New(v)), 2, d)
		require.Equal(t, want[:], positions, code)
	}
}

// TestRefusedInstructions: New refuses instructions with operands or results of wrong types, which would otherwise panic or read other registers.
func TestRefusedInstructions(t *testing.T) {
	for code, want := range map[string]string{
		"%s = OpExtInst %alone %glsl 36 %f":                                     "OpExtInst: a result of type",
		"%s = OpExtInst %mixed %glsl 36 %f":                                     "OpExtInst: results of type",
		"%s = OpExtInst %pair %glsl 52 %f":                                      "OpExtInst: results of type",
		"%u = OpUndef %pair; %s = OpVectorExtractDynamic %float %u %zero":       "OpVectorExtractDynamic: a component of a",
		"%wide = OpFConvert %dvec4 %a; %s = OpExtInst %float %glsl 67 %a %wide": "OpExtInst: operands of type",
		"%is = OpIEqual %bool %n %n; %s = OpBitcast %int %is":                   "OpBitcast: a result of type",
		"%s = OpIAddCarry %widths %n %n":                                        "OpIAddCarry: a result of type",
		"%s = OpFAdd %vec4 %a %bad":                                             "OpConstant of type",
		"OpBranchConditional %one %on %on; %on = OpLabel":                       "OpBranchConditional: a condition of type",
		"OpBranch %on; %on = OpLabel; %s = OpPhi %int %n %on":                   "OpPhi: no value from block",
	} {
		_, err := New(with(t, code+"; OpStore %position %d"))
		require.ErrorContains(t, err, want, code)
	}
}

// TestStepsAndLoops: with Draw.Work set, Run bounds the steps of a vertex. Without it, only the module's loop limit does.
func TestStepsAndLoops(t *testing.T) {
	m := must.Get(module.Decode(must.Get(module.Words(must.Get(os.ReadFile("testdata/operations.spv"))))))
	p := must.Get(New(must.Get(must.Get(m.Limited(1<<20)).Vertex("", nil))))
	d := &Draw{Blocks: [][]byte{blockOf(0, int32(56))}}
	require.ErrorIs(t, p.Run(t.Context(), d, make([][4]float32, 1)), module.LoopError{Limit: 1 << 20})
	worked, stop := int64(0), errors.New("enough")
	d.Work = func(n int64) error { worked += n; return nil }
	require.EqualError(t, p.Run(t.Context(), d, make([][4]float32, 1)), "vertex 0 takes more than 1048576 steps")
	require.Equal(t, int64(mostSteps), worked)
	d.Work = func(int64) error { return stop }
	require.ErrorIs(t, p.Run(t.Context(), d, make([][4]float32, 1)), stop)
}

// TestIntegersAreRoundedOnce: a long integer does not become a 64-bit float on its way to a shorter one.
func TestIntegersAreRoundedOnce(t *testing.T) {
	const x = 1<<60 + 1<<36 + 1 // just above the middle between two floats
	for _, op := range []module.Op{module.OpConvertSToF, module.OpConvertUToF} {
		require.Equal(t, float32(1<<60+1<<37), float(uint32(conversions[op].make(64, 32)(x, 0, 0))))
	}
}
