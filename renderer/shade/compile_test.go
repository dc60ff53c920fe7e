package shade

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// write makes files in a new folder, where the test then runs.
func write(t *testing.T, files map[string]string) {
	t.Chdir(t.TempDir())
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
}

// needsCompiler skips where a file's compiler is not installed.
func needsCompiler(t *testing.T, ending string) {
	t.Helper()
	if _, err := installed("a"+ending, languages[ending]); err != nil {
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

func TestWhatIsNoShaderIsRefused(t *testing.T) {
	write(t, map[string]string{"a.txt": "", "odd.spv": "abc", "empty.spv": "", "dir.spv/a": ""})
	for file, want := range map[string]string{
		"a.txt":     "a.txt: a vertex shader ends in .spv, .vert, .glsl, .hlsl, .slang, .wgsl",
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

// TestCompilersMessages goes through what compilers print that may not be installed.
func TestCompilersMessages(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"dxc", "a.hlsl:3:9: error: use of undeclared identifier 'q'\n  return q;\n         ^\na.hlsl:5:1: error: expected '}'\n", []string{"a.hlsl:3: use of undeclared identifier 'q'", "a.hlsl:5: expected '}'"}},
		{"slangc", "a.slang(4): error 30015: undefined identifier 'q'.\n    return q;\n           ^\n", []string{"a.slang:4: undefined identifier 'q'."}},
		{"newer slangc", "error[E30015]: undefined identifier\n ╭╼ a.slang\n  --> a.slang:4:12\n", []string{"a.slang:4: undefined identifier"}},
		{"glslang", "a.vert\nERROR: a.vert:2: 'x' : undeclared identifier \nERROR: a.vert:2: '' : compilation terminated \nERROR: 2 compilation errors.  No code generated.\n\n\n", []string{"a.vert:2: 'x' : undeclared identifier"}},
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
