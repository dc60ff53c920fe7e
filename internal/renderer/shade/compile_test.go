package shade

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// write writes files to a new folder, and makes it the test's working folder.
func write(t *testing.T, files map[string]string) {
	t.Chdir(t.TempDir())
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
}

// needsCompiler skips the test if no compiler for a file is installed.
func needsCompiler(t *testing.T, ending string) {
	t.Helper()
	if _, err := installed("a"+ending, languages[languageOf(ending)]); err != nil {
		t.Skip(err)
	}
}

func TestCompilersSayWhereTheErrorIs(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"a.vert", "#version 450\nvoid main() { gl_Position = wind; }\n", "a.vert:2: 'wind' : undeclared identifier"},
		{"a.glsl", "#version 450\nvoid main() {\n  foo(); bar();\n}\n", "a.glsl:3: 'foo' : no matching overloaded function found"},
		{"dir/a.vert", "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"none.glsl\"\nvoid main() {}\n", "dir/a.vert:3: '#include'"},
		{"-a.vert", "#version 450\nvoid main() { x = 1; }\n", "./-a.vert:2: 'x' : undeclared identifier"},
		{"a.hlsl", "float4 main(float3 p : POSITION) : SV_Position { return float4(q, 1); }\n", "a.hlsl:1: "},
		{"a.wgsl", "@vertex fn main() -> @builtin(position) vec4<f32> {\n return wind; }\n", "a.wgsl:2: no definition in scope for identifier: `wind`"},
	} {
		t.Run(c.file, func(t *testing.T) {
			needsCompiler(t, filepath.Ext(c.file))
			write(t, map[string]string{c.file: c.text})
			_, err := compile(t.Context(), Source{File: c.file})
			require.Error(t, err)
			require.True(t, strings.HasPrefix(err.Error(), c.want), err.Error())
			require.NotContains(t, err.Error(), "\n")
			var compiled *CompileError
			require.True(t, errors.As(err, &compiled), err)
		})
	}
}

// TestOtherPeoplesSources compiles GLSL that Vulkan's rules refuse and OpenGL's allow, sources with includes or
// macros, and sources whose ending does not tell the language. It also tests what is refused.
func TestOtherPeoplesSources(t *testing.T) {
	const (
		body = "uniform mat4 mvp;\nuniform float size;\nvoid main() { vUv = uv * size; gl_Position = mvp * vec4(position, 1.0); }\n"
		now  = "in vec3 position;\nin vec2 uv;\nout vec2 vUv;\n" + body
		hlsl = "// gl_Position: HLSL has none\nfloat4x4 mvp; float size;\nvoid VS(float3 position : POSITION, float2 uv : TEXCOORD0, out float4 p : SV_Position, out float2 vUv : TEXCOORD0)\n{ p = mul(mvp, float4(position, 1)); vUv = uv * size SUFFIX; }\n"
		old  = "attribute vec3 position;\nattribute vec2 uv;\nvarying vec2 vUv;\n" + body
	)
	write(t, map[string]string{
		"core.vert": "/* made by\n hand */\n#version 330 core\n" + now, "es.vert": "#version 300 es\n" + now, "old.vert": "#version 120\n" + old, "none.glsl": old,
		"include.vert": "#version 330\n#include \"lib.glsl\"\n", "lib/lib.glsl": now,
		"macro.vert": "#version 330\n" + strings.Replace(now, "size;", "size;\nconst float two = TWO;\n#ifndef ONE\nno\n#endif", 1),
		"hlsl.vert":  hlsl, "hlsl.fx": hlsl, "x.vert": "abc",
		"typo.vert": "#version 120\n\nattribute vec3 position;\nvoid main() { gl_Position = vec4(positoin, 1.0); }\n",
	})
	for _, from := range []Source{
		{File: "core.vert"}, {File: "es.vert"}, {File: "old.vert"}, {File: "none.glsl"}, {File: "none.glsl", Language: "glsl"},
		{File: "include.vert", Include: "lib"}, {File: "include.vert", Include: ".\nlib"}, {File: "macro.vert", Defines: "ONE\nTWO=2.0"},
		{File: "hlsl.vert", Entry: "VS", Defines: "SUFFIX=* 1"}, {File: "hlsl.fx", Entry: "VS", Language: "hlsl", Defines: "SUFFIX="},
	} {
		s, err := Compile(t.Context(), from)
		require.NoError(t, err, from.File)
		require.Len(t, s.Vertex.Inputs, 2, from.File)
		require.Len(t, s.Outputs(), 1, from.File)
		full, err := s.With("")
		require.NoError(t, err, from.File)
		require.ErrorContains(t, full.Missing, ": size (float, ", "mvp is well known")
		require.NotContains(t, full.Missing.Error(), "mvp")
	}
	for want, from := range map[string]Source{
		"typo.vert:4: 'positoin' : undeclared identifier":                                   {File: "typo.vert"},
		"include.vert:2: '#include' : Could not process include directive for header name:": {File: "include.vert"},
		"--include none: no such folder":                                                    {File: "core.vert", Include: "none"},
		`--define "2=3": want NAME or NAME=VALUE`:                                           {File: "core.vert", Defines: "A\n2=3"},
		`unknown language "cg": have spv, glsl, hlsl`:                                       {File: "core.vert", Language: "cg"},
		"x.vert: WGSL has neither macros nor includes":                                      {File: "x.vert", Language: "wgsl", Defines: "A"},
		"x.vert: SPIR-V has neither macros nor includes":                                    {File: "x.vert", Language: "spv", Include: "lib"},
		"--define A is given twice":                                                         {File: "core.vert", Defines: "A=1\nB\nA=.5"},
		"x.vert: no SPIR-V: ":                                                               {File: "x.vert", Language: "spv"},
	} {
		_, err := compile(t.Context(), from)
		require.ErrorContains(t, err, want)
	}
}

func TestWhatIsNoShaderIsRefused(t *testing.T) {
	write(t, map[string]string{"a.txt": "", "odd.spv": "abc", "empty.spv": "", "dir.spv/a": ""})
	for file, want := range map[string]string{
		"a.txt":     "a.txt: a vertex shader ends in .spv, .vert, .glsl, .hlsl, .slang, .wgsl; name another file's language by --language",
		"none.vert": "none.vert: no such file or directory",
		"odd.spv":   "odd.spv: no SPIR-V: 3 bytes are not whole words",
		"dir.spv":   "dir.spv: is a folder",
	} {
		_, err := compile(t.Context(), Source{File: file})
		require.EqualError(t, err, want)
	}
	t.Setenv("PATH", "")
	write(t, map[string]string{"a.vert": "", "a.hlsl": "", "a.slang": "", "a.wgsl": ""})
	for file, want := range map[string]string{
		"a.vert":  "a.vert: needs glslangValidator, not installed: apt-get install glslang-tools (Debian, Ubuntu)",
		"a.hlsl":  "a.hlsl: needs dxc or glslangValidator, not installed: apt-get install glslang-tools (Debian, Ubuntu)",
		"a.slang": "a.slang: needs slangc, not installed: https://github.com/shader-slang/slang/releases",
		"a.wgsl":  "a.wgsl: needs naga, not installed: cargo install naga-cli",
	} {
		_, err := compile(t.Context(), Source{File: file})
		require.EqualError(t, err, want)
	}
}

// TestCompilersMessages parses messages of compilers, installed or not.
func TestCompilersMessages(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"dxc", "a.hlsl:3:9: error: use of undeclared identifier 'q'\n  return q;\n         ^\na.hlsl:5:1: error: expected '}'\n", []string{"a.hlsl:3: use of undeclared identifier 'q'", "a.hlsl:5: expected '}'"}},
		{"slangc", "a.slang(4): error 30015: undefined identifier 'q'.\n    return q;\n           ^\n", []string{"a.slang:4: undefined identifier 'q'."}},
		{"newer slangc", "error[E30015]: undefined identifier\n ╭╼ a.slang\n  --> a.slang:4:12\n", []string{"a.slang:4: undefined identifier"}},
		{"glslang", "a.vert\nERROR: a.vert:2: 'x' : undeclared identifier \nERROR: a.vert:2: '' : compilation terminated \nERROR: 2 compilation errors.  No code generated.\n\n\n", []string{"a.vert:2: 'x' : undeclared identifier"}},
		{"naga", "\x1b[1merror\x1b[0m: Entry point main is invalid\n \x1b[36m=\x1b[0m Argument 0\n = only numbers\n\nerror: second\n  ┌─ a.wgsl:2:3\n  = because\n", []string{"a: Entry point main is invalid: Argument 0: only numbers", "a.wgsl:2: second: because"}},
		{"only noise", "Segmentation fault\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := compileError("a", "compiler", c.text, errors.New("exit status 1"))
			var compiled *CompileError
			if !errors.As(err, &compiled) {
				require.EqualError(t, err, "a: compiler: exit status 1")
				compiled = &CompileError{}
			}
			require.Equal(t, c.want, compiled.Lines)
		})
	}
	require.EqualError(t, &CompileError{[]string{"a:1: b", "a:2: c", "a:3: d"}}, "a:1: b; 2 errors more")
}

func TestFilesThatAreIncluded(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }
	require.NoError(t, os.Mkdir(at("lib"), 0o700))
	for name, text := range map[string]string{
		"a.vert":         "#version 450\n#include \"lib/noise.glsl\"\n\t# include <gone.glsl>\r\n// #include \"no.glsl\"\nint a; #include \"no.glsl\"\n#include \"lib/noise.glsl\"\n",
		"lib/noise.glsl": "#include \"../a.vert\"\n#include \"hash.glsl\"\n",
	} {
		require.NoError(t, os.WriteFile(at(name), []byte(text), 0o600))
	}
	require.Equal(t, []string{at("a.vert"), at("lib/noise.glsl"), at("gone.glsl"), at("../a.vert"), at("lib/hash.glsl"), at("hash.glsl")}, Source{File: at("a.vert")}.Files())
	require.Equal(t, []string{at("lib/noise.glsl"), at("a.vert"), at("../a.vert"), at("lib/hash.glsl"), at("hash.glsl")}, Source{File: at("lib/noise.glsl"), Include: Lines(folder)}.Files()[:5])
	require.Equal(t, []string{at("none.vert")}, Source{File: at("none.vert")}.Files())
}
