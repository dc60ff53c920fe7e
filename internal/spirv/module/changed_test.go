package module_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/interpret"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/internal/spirv/spirvtest"
)

const plain = "../link/testdata/plain.txt" // a vertex shader

// changed assembles a module from a text file in which lines are replaced: pairs of what a line begins with, and the new lines.
func changed(t testing.TB, file string, pairs ...string) []uint32 {
	text := string(must.Get(os.ReadFile(file)))
	for k := 0; k < len(pairs) && pairs[k] != ""; k += 2 {
		text = spirvtest.ReplaceLines(t, text, pairs[k], pairs[k+1])
	}
	return spirvtest.Assemble(t, text)
}

// loop counts %i from 0 up to 4.
const loop = "%i = OpVariable %ptrI Function; OpStore %i %zero; OpBranch %head; %head = OpLabel; OpLoopMerge %after %next 0; OpBranch %test; %test = OpLabel; " +
	"%now = OpLoad %int %i; %go = OpSLessThan %bool %now %four; OpBranchConditional %go %body %after; %body = OpLabel; OpBranch %next; %next = OpLabel; " +
	"%before = OpLoad %int %i; %j = OpIAdd %int %before %one; OpStore %i %j; OpBranch %head; %after = OpLabel; OpStore %position %d"

// phi counts a phi, in a loop of one block.
const phi = "OpBranch %head; %head = OpLabel; %now = OpPhi %int %n %begin %j %head; %j = OpIAdd %int %now %one; %go = OpSLessThan %bool %j %four; OpLoopMerge %after %head 0; " +
	"OpBranchConditional %go %head %after; %after = OpLabel; OpStore %position %d"

func looping(t testing.TB, loop string, pairs ...string) *module.Module {
	declared := "%int = OpTypeInt 32 1; %four = OpConstant %int 4; %most = OpConstant %int 1024; %more = OpConstant %int 1025; %ptrI = OpTypePointer Function %int"
	return must.Get(module.Decode(changed(t, plain, append(pairs, "%int =", declared, "OpStore", loop)...)))
}

// TestLoopsThatEndAreNotCounted: a loop that does not provably end within 1024 iterations counts them, or a shader could run forever.
func TestLoopsThatEndAreNotCounted(t *testing.T) {
	const test, start, before = "%go = OpSLessThan %bool %now %four", "OpStore %i %zero; ", "%before = OpLoad %int %i; "
	for _, c := range []struct {
		name    string
		counts  bool
		changes []string // pairs of old and new text
	}{
		{"as it is", false, nil},
		{"an initial value", false, []string{"Function; " + start, "Function %zero; "}},
		{"the constant first", false, []string{test, "%go = OpSGreaterThan %bool %four %now"}},
		{"a negated test", false, []string{test, "%not = OpSGreaterThanEqual %bool %now %four; %go = OpLogicalNot %bool %not"}},
		{"as many as need no count", false, []string{test, "%go = OpSLessThan %bool %now %most"}},
		{"one more", true, []string{test, "%go = OpSLessThan %bool %now %more"}},
		{"away from the end", true, []string{"OpIAdd", "OpISub"}},
		{"an empty block on the way out", false, []string{"%body %after;", "%body %out; %out = OpLabel; OpBranch %after;"}},
		{"another way out before the test", false, []string{"OpBranch %test", "%x = OpSLessThan %bool %n %zero; OpBranchConditional %x %test %after"}},
		{"a start that is not known", true, []string{start, "OpStore %i %n; ", test, "%go = OpSGreaterThan %bool %now %zero"}},
		{"a step from a value before the loop", true, []string{before, "", start, before + start}},
		{"a step that is not stored", true, []string{"OpStore %i %j; ", ""}},
		{"a step that is taken back", true, []string{"OpStore %i %j; ", "OpStore %i %j; OpStore %i %before; "}},
		{"a step elsewhere, too", true, []string{"%body = OpLabel", "%body = OpLabel; OpStore %i %zero"}},
	} {
		text := strings.NewReplacer(c.changes...).Replace(loop)
		require.True(t, c.changes == nil || text != loop, c.name)
		require.Equal(t, c.counts, must.Get(looping(t, text).Limited(100)).Loops.Counter != 0, c.name)
	}
}

// TestCountedLoops runs loops from the vertex's index up to 4, with a limit of 5 iterations. A loop that tests at the beginning
// of an iteration begins one more than it finishes.
func TestCountedLoops(t *testing.T) {
	for name, text := range map[string]string{"variable": strings.Replace(loop, "OpStore %i %zero", "OpStore %i %n", 1), "phi": phi} {
		whole := looping(t, text, "%uint =", map[string]string{"variable": "%uint = OpTypeInt 32 0", "phi": "%uint = OpTypeInt 32 1"}[name]) // the count may need a type of its own
		unlimited := must.Get(whole.Limited(0))
		require.Equal(t, whole.Code, unlimited.Code)
		require.Equal(t, module.Loops{}, *unlimited.Loops)
		m := must.Get(whole.Limited(5))
		require.Equal(t, [2]any{whole.Code, uint32(5)}, [2]any{m.File, m.Loops.Limit})
		v := must.Get(m.Vertex("", nil))
		p := must.Get(interpret.New(v))
		first := map[string]int32{"variable": 0, "phi": -1}[name]
		for start, ends := range map[int32]bool{2: true, first: true, first - 1: false, math.MinInt32: false} {
			err := p.Run(t.Context(), &interpret.Draw{BaseVertex: start, Blocks: make([][]byte, len(v.Blocks))}, make([][4]float32, 2))
			require.Equal(t, !ends, errors.As(err, &module.LoopError{}), "%s from %d: %v", name, start, err)
		}
	}
}

// TestChangedModules changes lines of a module. Each change is refused for its reason, or read if want is empty; package link
// has many more.
func TestChangedModules(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"%smooth =", "%smooth = OpExtInst %vec4 %glsl 78 %a", "interpolation functions exist only in fragment shaders"},
		{"%smooth =", "%smooth = OpExtInst %vec4 %glsl 79 %a %a", ""},
		{"OpStore", "%q = OpInBoundsAccessChain %ptrMat %many %one %zero; OpStore %position %d", ""},
		{"OpStore", "%q = OpCopyObject %ptrBlock %camera; %r = OpAccessChain %ptrMat %q %zero; OpStore %r %m", "stores to camera: a vertex shader may be run any number of times, and so must not change memory"},
		{"%block =", "%array = OpTypeRuntimeArray %float; OpDecorate %array ArrayStride 4; %block = OpTypeStruct %array %mat4", "camera: a runtime array before a struct's end"},
		{"%block =", "%empty = OpTypeStruct; %block = OpTypeStruct %mat4 %empty", ""},
		{"OpDecorate %spec", "OpDecorate %vec4 SpecId 4", ""},
	} {
		_, err := module.ReadVertex(changed(t, plain, c.old, c.new), "", nil)
		if c.want == "" {
			require.NoError(t, err, c.new)
			continue
		}
		require.EqualError(t, err, c.want, c.new)
	}
}

// TestWideSwitch: the literals of a switch have as many words as its selector.
func TestWideSwitch(t *testing.T) {
	for selector, fits := range map[string]bool{"%large": true, "%two": false} {
		_, err := module.ReadVertex(changed(t, plain, "%half =", "%half = OpConstant %float 0; %long = OpTypeInt 64 1; %large = OpConstant %long 5 1",
			"%a =", "OpSelectionMerge %other 0; OpSwitch "+selector+" %other 0x7fff0002 1 %other; %other = OpLabel; %a = OpLoad %vec4 %in"), "", nil)
		require.Equal(t, fits, err == nil, selector)
	}
}

// blocksByNumber has the shader read an array of n blocks at its vertex's index.
func blocksByNumber(t testing.TB, n int) (*module.Vertex, error) {
	return module.ReadVertex(changed(t, plain, "OpDecorate %many Set", "OpDecorate %many Set 1; OpDecorate %one2 Block; OpMemberDecorate %one2 0 Offset 8",
		"%blocks =", fmt.Sprintf("%%one2 = OpTypeStruct %%vec4; %%n2 = OpConstant %%uint %d; %%blocks = OpTypeArray %%one2 %%n2; %%ptrMember = OpTypePointer Uniform %%vec4", n),
		"OpStore", "%q = OpAccessChain %ptrMember %many %n %zero; %e = OpLoad %vec4 %q; OpStore %position %e"), "", nil)
}

// TestBlocksByNumber: an array of blocks with a computed index becomes one block, and the shader reads the same values from it.
func TestBlocksByNumber(t *testing.T) {
	v, err := blocksByNumber(t, 1024)
	require.NoError(t, err)
	require.Contains(t, described(v), "uniform block many 1.2[0] 32768 bytes, align 16\n 0: struct[1024] many, 32768 bytes, stride 32\n  8: vec4 member0, 16 bytes\n")
	for _, b := range v.Blocks { // only the array's blocks are no longer blocks of their own
		_, is := v.Module.Decoration(b.Type.ID, module.BlockDecoration)
		require.Equal(t, [2]bool{true, b.Name == "many"}, [2]bool{is, b.Gathered})
	}
	contents := binary.LittleEndian.AppendUint32(make([]byte, 32*3+8, 1024*32), math.Float32bits(7))
	positions := make([][4]float32, 5)
	d := &interpret.Draw{Blocks: make([][]byte, len(v.Blocks))}
	d.Blocks[1] = contents[:cap(contents)]
	require.NoError(t, must.Get(interpret.New(v)).Run(t.Context(), d, positions))
	require.Equal(t, [][4]float32{{}, {}, {}, {7}, {}}, positions)
	_, err = blocksByNumber(t, 1025)
	require.EqualError(t, err, "many: an array of blocks whose index is not constant")
}

// TestFlatOutputs describes a block of outputs. A member is flat if the member or the whole block is declared flat.
func TestFlatOutputs(t *testing.T) {
	for flat, want := range map[string][2]bool{"OpDecorate %shown 14": {true, true}, "OpMemberDecorate %struct 1 14": {false, true}} {
		v := must.Get(module.ReadVertex(changed(t, plain, "OpDecorate %in Location", "OpDecorate %in Location 0; OpName %struct \"struct\"; OpDecorate %shown Location 2; "+flat,
			"%two =", "%two = OpConstant %uint 2; %double = OpTypeFloat 64; %dvec2 = OpTypeVector %double 2; %list = OpTypeArray %dvec2 %two; %struct = OpTypeStruct %list %float %bool; %ptrShown = OpTypePointer Output %struct; %shown = OpVariable %ptrShown Output",
			"OpStore", "%undefined = OpUndef %struct; OpStore %shown %undefined; OpStore %position %d"), "", nil))
		require.Equal(t, want, [2]bool{v.Outputs[0].Flat, v.Outputs[1].Flat})
		require.Equal(t, [2]uint32{2, 4}, [2]uint32{v.Outputs[0].Location, v.Outputs[1].Location})
		require.Equal(t, []string{"struct.member0[0]", "struct.member0[1]"}, v.Outputs[0].Parts())
		for n, shows := range []bool{false, true, false} { // neither arrays nor bools are numbers to show
			p, ok := v.Part(fmt.Sprint("struct.member", n))
			require.Equal(t, [2]bool{true, shows}, [2]bool{ok, p.Shows()})
		}
		for _, name := range []string{"", "7]", "12x", "[", "struct.member1[0]", "struct.member0[2]", "struct.member0[-1]", "struct.member0[0"} {
			_, ok := v.Part(name)
			require.False(t, ok, name)
		}
	}
}

// TestImageSize: contents that are shorter than their head says are no image.
func TestImageSize(t *testing.T) {
	for _, c := range [][4]int{{15, 0, 0, 0}, {16, 0, 0, 16}, {16, 0, 1, 16}, {112, 2, 3, 112}, {111, 2, 3, 0}, {112, 7, 1, 0}, {64, math.MaxUint32, math.MaxUint32, 0}, {64, 1 << 31, 1 << 31, 0}} { // length, width, height, and size or 0
		contents := make([]byte, max(c[0], 16))
		module.PutImageSize(contents, uint32(c[1]), uint32(c[2]))
		_, _, size, ok := module.ImageSize(contents[:c[0]])
		require.Equal(t, c[3], size)
		require.Equal(t, c[3] > 0, ok, c)
	}
}

// TestFragment describes a fragment shader and variants of it. A function of the shader samples an element of an array of images at its
// parameter; main passes an input, and discards by the sample's alpha.
func TestFragment(t *testing.T) {
	const from, keep, none = "[{{tex 2 5 2} {smp 2 6 0} uv 3 [1 2]}]", " true 0.5", "[]"
	const image, coordinates = "%image = OpTypeImage %float ", "%x = OpCompositeExtract %float %at 0; %y = OpCompositeExtract %float %at2 1; %none = OpUndef %vec2; "
	for want, changes := range map[string][][2]string{
		from + keep: {
			{}, {"%low =", "%low = OpFOrdGreaterThan %bool %half %alpha"}, {"%tex =", "%tex = OpVariable %ptrImage UniformConstant"},
			{"%colour =", coordinates + "%sum = OpFAdd %vec2 %none %at; %colour = OpFunctionCall %vec4 %f %half %sum"},
		},
		from + " true 0": {
			{"%low =", "%low = OpFOrdLessThan %bool %half %alpha"}, {"%low =", "%low = OpFOrdGreaterThan %bool %alpha %half"}, {"OpBranchConditional", "OpBranchConditional %low %on %kill"},
			{"%half =", "%half = OpConstant %float 0x3fc00000"}, {"%half =", "%half = OpSpecConstant %float 0x3f000000"}, {"%on = OpLabel", "%on = OpLabel; OpKill; %out = OpLabel"},
		},
		from + " false 0": {{"OpKill", "OpBranch %on"}},
		none + keep: {
			{"%e =", "%e = OpAccessChain %ptrImage %tex %two %two"}, {"%two =", "%two = OpSpecConstant %uint 2"}, {"%tex =", "%tex = OpVariable %ptrTex Uniform"}, {"OpDecorate %uv Location", ""},
			{"%s =", "%s = OpUndef %sampler"}, {"%i =", "%i = OpUndef %image"}, {"%is =", "%is = OpUndef %both"}, {"%colour =", coordinates + "%xy = OpCompositeConstruct %vec2 %x %y; %colour = OpFunctionCall %vec4 %f %half %xy"},
			{"%image =", image + "3 0 0 0 1 0"}, {"%image =", image + "1 1 0 0 1 0"}, {"%image =", image + "1 0 1 0 1 0"}, {"%image =", image + "1 0 0 1 1 0"},
		},
		strings.Replace(from, "[1 2]", "[2 1]", 1) + keep: {{"%colour =", "%yx = OpVectorShuffle %vec2 %at2 %at 3 2; %colour = OpFunctionCall %vec4 %f %half %yx"}},
		strings.Replace(from, "5 2", "5 0", 1) + keep:     {{"%e =", "%e = OpCopyObject %ptrImage %tex"}},
	} {
		for _, c := range changes {
			f, err := must.Get(module.Decode(changed(t, "testdata/cutout.txt", c[0], c[1]))).Fragment()
			require.NoError(t, err)
			require.Equal(t, want, fmt.Sprint(f.Samples, f.Discards, f.Cutoff), c)
		}
	}
	_, err := must.Get(module.Decode(changed(t, plain))).Fragment()
	require.EqualError(t, err, "no entry point of the fragment stage")
}
