package link_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/internal/spirv/spirvtest"
)

// joinWords reads an arbitrary module and joins it with the host, like a user's shader.
func joinWords(host, words []uint32) ([]uint32, error) {
	m, err := module.Decode(words)
	if err != nil {
		return nil, err
	}
	if m, err = m.Limited(1000); err != nil {
		return nil, err
	}
	v, err := m.Vertex("", nil)
	if err != nil {
		return nil, err
	}
	p, l := placed(v)
	l.LoopEnds = 99
	joined, _, err := link.Join(host, []link.Program{p}, l)
	return joined, err
}

// TestDamagedWords damages a real module's header and its instructions' lengths.
func TestDamagedWords(t *testing.T) {
	host := read(t, "testdata/host.comp")
	good := read(t, "testdata/transform.vert")
	for name, c := range map[string]struct {
		damage func(w []uint32) []uint32
		want   string
	}{
		"empty":             {func([]uint32) []uint32 { return nil }, "shorter than a module's header"},
		"half a header":     {func(w []uint32) []uint32 { return w[:3] }, "shorter than a module's header"},
		"only a header":     {func(w []uint32) []uint32 { return w[:5] }, "no entry point of the vertex stage"},
		"magic":             {set(0, 0x464c457f), "magic number is 0x464c457f, not 0x07230203"},
		"big-endian":        {set(0, 0x03022307), "the words are in big-endian order"},
		"version 2":         {set(1, 0x20000), "version is 0x20000, not 1.0 to 1.6"},
		"version 1.9":       {set(1, 0x10900), "version is 0x10900, not 1.0 to 1.6"},
		"version bits":      {set(1, 0x10301), "version is 0x10301, not 1.0 to 1.6"},
		"no bound":          {set(3, 0), "bound of ids is 0, not 1 to 4194303"},
		"huge bound":        {set(3, 0xffffffff), "bound of ids is 4294967295, not 1 to 4194303"},
		"low bound":         {set(3, 20), "is not below the bound, 20"},
		"schema":            {set(4, 1), "instruction schema is 1, not 0"},
		"no length":         {set(5, 17), "word 5: the module ends within an instruction"},
		"long instruction":  {set(5, 0xffff0011), "word 5: the module ends within an instruction"},
		"short instruction": {set(5, 0x10011), "OpCapability: 0 operands are too few"},
		"no end":            {func(w []uint32) []uint32 { return w[:len(w)-1] }, "the module ends within a function"},
		"half of it":        {func(w []uint32) []uint32 { return w[:len(w)/2] }, "is not defined"},
		"twice": {func(w []uint32) []uint32 { return append(w, w[5:]...) },
			"OpCapability stands between functions"},
		"too long": {func(w []uint32) []uint32 { return append(w, make([]uint32, 3<<20)...) }, "words, more than 2097152"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := joinWords(host, c.damage(slices.Clone(good)))
			requireLine(t, err, c.want)
		})
	}
	for n := 6; n < len(good); n += 7 {
		_, err := joinWords(host, good[:n])
		requireLine(t, err, "")
	}
}

func set(at int, value uint32) func([]uint32) []uint32 {
	return func(w []uint32) []uint32 {
		w[at] = value
		return w
	}
}

func requireLine(t *testing.T, err error, want string) {
	require.ErrorContains(t, err, want)
	require.NotContains(t, err.Error(), "\n")
}

// TestDamagedText changes lines of a module: each change is refused for its reason, or joined if
// want is empty.
func TestDamagedText(t *testing.T) {
	needValidator(t)
	text := must.Get(os.ReadFile("testdata/plain.txt"))
	host := read(t, "testdata/host.comp")
	for _, c := range damages {
		t.Run(c.name, func(t *testing.T) {
			words := spirvtest.Assemble(t, spirvtest.ReplaceLines(t, string(text), c.old, c.new))
			joined, err := joinWords(host, words)
			if c.want != "" {
				requireLine(t, err, c.want)
				return
			}
			require.NoError(t, err)
			require.Empty(t, validate(t, words, validInput...))
			require.Empty(t, validate(t, joined, valid...))
		})
	}
}

// TestManyVariables: 1000 unused blocks are read quickly, since the work for a module is linear in its words; used
// ones are refused.
func TestManyVariables(t *testing.T) {
	text := string(must.Get(os.ReadFile("testdata/plain.txt")))
	declared, used := "%camera = OpVariable %ptrBlock Uniform", "%a = OpLoad %vec4 %in"
	for n := range 1000 {
		declared += fmt.Sprintf("; %%many%d = OpVariable %%ptrMany Uniform", n)
		used += fmt.Sprintf("; %%use%d = OpAccessChain %%ptrMat %%many%d %%zero %%zero", n, n)
	}
	text = spirvtest.ReplaceLines(t, spirvtest.ReplaceLines(t, text, "%camera =", ""), "%many =", declared+"; %many = OpVariable %ptrMany Uniform")
	_, err := joinWords(read(t, "testdata/host.comp"), spirvtest.Assemble(t, text))
	require.NoError(t, err, "what nothing uses does not count")
	_, err = joinWords(read(t, "testdata/host.comp"), spirvtest.Assemble(t, spirvtest.ReplaceLines(t, text, loadIn, used)))
	requireLine(t, err, "more than 256 inputs, outputs and blocks")
}

// TestDamagedBySeed changes words of real modules: a module that spirv-val accepts must be
// refused in one line, or joined to a module that it also accepts.
func TestDamagedBySeed(t *testing.T) {
	needValidator(t)
	host := read(t, "testdata/host.comp")
	random := rand.New(rand.NewPCG(15, 1))
	all := shaders(t)
	refused, joinedValid := 0, 0
	for n := range 400 {
		words := slices.Clone(read(t, all[n%len(all)]))
		for range 1 + random.IntN(3) {
			damageWord(words, random)
		}
		joined, err := joinWords(host, words)
		if err != nil {
			refused++
			require.NotContains(t, err.Error(), "\n")
			continue
		}
		said := validate(t, joined, valid...)
		if said == "" {
			joinedValid++
			continue
		}
		require.NotEmpty(t, validate(t, words, validInput...), "%s, module %d: spirv-val takes it and says of the joined one: %s", all[n%len(all)], n, said)
	}
	t.Logf("%d refused, %d joined", refused, joinedValid)
	require.Greater(t, refused, 100)
	require.Greater(t, joinedValid, 20)
}

// validInput are spirv-val's options for modules of all versions.
var validInput = []string{"--target-env", "vulkan1.3", "--scalar-block-layout"}

// damageWord changes one word after the header.
func damageWord(words []uint32, random *rand.Rand) {
	at := 5 + random.IntN(len(words)-5)
	switch random.IntN(5) {
	case 0:
		words[at] ^= 1 << random.IntN(32)
	case 1:
		words[at] = random.Uint32N(words[3])
	case 2:
		words[at]++
	case 3:
		words[at] = words[5+random.IntN(len(words)-5)]
	case 4:
		words[at] = []uint32{0, 1, 0xffffffff, 0x7fffffff, 1 << 16}[random.IntN(5)]
	}
}

// FuzzJoin passes arbitrary words through Decode, Vertex and Join.
func FuzzJoin(f *testing.F) {
	host := read(f, "testdata/host.comp")
	for _, source := range shaders(f) {
		f.Add(must.Get(os.ReadFile(spv(source))))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		words, err := module.Words(data)
		if err != nil {
			return
		}
		joined, err := joinWords(host, words)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		_, err = module.Decode(joined)
		require.NoError(t, err)
	})
}

// TestImagesAreOnlyFetched: a shader may fetch from an image's level 0, by 32-bit integers, or ask for its size.
// Fetches and queries of other kinds are refused for their reasons; want is empty for modules that are joined.
func TestImagesAreOnlyFetched(t *testing.T) {
	needValidator(t)
	text := string(must.Get(os.ReadFile("testdata/plain.txt")))
	text = spirvtest.ReplaceLines(t, text, "OpCapability", "OpCapability Shader; OpCapability Int64; OpCapability 50")
	text = spirvtest.ReplaceLines(t, text, "OpDecorate %many Set", `OpDecorate %many Set 1; OpName %tex "tex"; OpDecorate %tex Set 0; OpDecorate %tex Binding 3`)
	text = spirvtest.ReplaceLines(t, text, "%helper =", "%helper = OpTypeFunction %vec4 %vec4; %image = OpTypeImage %float 1 0 0 0 1 0; %ptrImage = OpTypePointer UniformConstant %image; %tex = OpVariable %ptrImage UniformConstant"+
		"; %long = OpTypeInt 64 1; %vec2 = OpTypeVector %float 2; %ivec2 = OpTypeVector %int 2; %ivec3 = OpTypeVector %int 3; %ivec4 = OpTypeVector %int 4; %lvec2 = OpTypeVector %long 2"+
		"; %at = OpConstantComposite %ivec2 %zero %one; %at3 = OpConstantComposite %ivec3 %zero %one %one; %far = OpConstantNull %lvec2; %real = OpConstantNull %vec2")
	for use, want := range map[string]string{
		"%x = OpImageFetch %vec4 %t %at":                 "",
		"%x = OpImageFetch %vec4 %t %at Lod %zero":       "",
		"%x = OpImageFetch %vec4 %t %at3 Lod %zero":      "",
		"%x = OpImageQuerySizeLod %ivec2 %t %zero":       "",
		"%x = OpImageFetch %vec4 %t %at Lod %one":        "OpImageFetch: a level other than 0 is not supported",
		"%x = OpImageFetch %vec4 %t %at Lod %n":          "OpImageFetch: a level other than 0 is not supported",
		"%x = OpImageQuerySizeLod %ivec2 %t %one":        "OpImageQuerySizeLod: a level other than 0 is not supported",
		"%x = OpImageFetch %vec4 %t %at ConstOffset %at": "OpImageFetch: offsets and samples are not supported",
		"%x = OpImageFetch %vec4 %t %zero":               "OpImageFetch: coordinates that are not 2 integers of 32 bits",
		"%x = OpImageFetch %vec4 %t %real":               "OpImageFetch: coordinates that are not 2 integers of 32 bits",
		"%x = OpImageFetch %vec4 %t %far":                "OpImageFetch: coordinates that are not 2 integers of 32 bits",
		"%x = OpImageFetch %ivec4 %t %at":                "OpImageFetch: its result is not a texel of the image",
		"%x = OpImageFetch %vec2 %t %at":                 "OpImageFetch: its result is not a texel of the image",
		"%x = OpImageQuerySizeLod %lvec2 %t %zero":       "OpImageQuerySizeLod: its result is not 2 integers of 32 bits",
		"%x = OpImageQuerySizeLod %ivec3 %t %zero":       "OpImageQuerySizeLod: its result is not 2 integers of 32 bits",
		"%x = OpImageQuerySizeLod %int %t %zero":         "OpImageQuerySizeLod: its result is not 2 integers of 32 bits",
		"%x = OpImageQueryLevels %int %t":                "OpImageQueryLevels: ",
	} {
		use = strings.NewReplacer(" Lod ", " 2 ", " ConstOffset ", " 8 ").Replace(use)
		words := spirvtest.Assemble(t, spirvtest.ReplaceLines(t, text, loadIn, "%t = OpLoad %image %tex; "+use+"; %a = OpLoad %vec4 %in"))
		joined, err := joinWords(read(t, "testdata/host.comp"), words)
		if want != "" {
			require.ErrorContains(t, err, "tex: "+want, use)
			continue
		}
		require.NoError(t, err, use)
		require.Empty(t, validate(t, joined, valid...), use)
	}
}

// TestManyCalls: 40 functions that each call the next one twice are refused, since drivers inline all calls; 10 are joined.
func TestManyCalls(t *testing.T) {
	text := string(must.Get(os.ReadFile("testdata/plain.txt")))
	for levels, want := range map[int]string{10: "", 40: "a function comes to more than 1048576 instructions with those that it calls"} {
		lines, callee := "", "%scale"
		for n := range levels {
			f := fmt.Sprintf("%%twice%d", n)
			lines += fmt.Sprintf("%s = OpFunction %%vec4 None %%helper; %[1]sp = OpFunctionParameter %%vec4; %[1]sl = OpLabel; %[1]sa = OpFunctionCall %%vec4 %[2]s %[1]sp; %[1]sb = OpFunctionCall %%vec4 %[2]s %[1]sa; OpReturnValue %[1]sb; OpFunctionEnd; ", f, callee)
			callee = f
		}
		words := spirvtest.Assemble(t, spirvtest.ReplaceLines(t, spirvtest.ReplaceLines(t, text, "%d =", "%d = OpFunctionCall %vec4 "+callee+" %c"), "%main =", lines+"%main = OpFunction %void None %nothing"))
		_, err := joinWords(read(t, "testdata/host.comp"), words)
		if want == "" {
			require.NoError(t, err)
			continue
		}
		requireLine(t, err, want)
	}
}
