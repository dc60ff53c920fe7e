package shade

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/shaders/module"
)

const (
	compileTimeout = 30 * time.Second
	largestModule  = 8 << 20  // bytes of SPIR-V
	largestOutput  = 64 << 10 // bytes of a compiler's messages
	validator      = "spirv-val"
)

// compiler is a program that compiles a language to SPIR-V.
type compiler struct {
	program string
	have    string // how to install it
	args    func(file, entry, target string) []string
}

var glslang = "apt-get install glslang-tools (Debian, Ubuntu)"

// languages lists the compilers for each file ending, the best first.
var languages = map[string][]compiler{
	".vert": {{"glslangValidator", glslang, glslArgs}},
	".glsl": {{"glslangValidator", glslang, glslArgs}},
	".hlsl": {
		{"dxc", "https://github.com/microsoft/DirectXShaderCompiler/releases", func(file, entry, target string) []string {
			return []string{"-spirv", "-fspv-target-env=vulkan1.1", "-T", "vs_6_0", "-E", entry, "-Fo", target, file}
		}},
		{"glslangValidator", glslang, func(file, entry, target string) []string {
			return append([]string{"-D", "-e", entry}, glslArgs(file, entry, target)...)
		}},
	},
	".slang": {{"slangc", "https://github.com/shader-slang/slang/releases", func(file, entry, target string) []string {
		return []string{"-target", "spirv", "-profile", "spirv_1_3", "-fvk-use-entrypoint-name", "-entry", entry, "-stage", "vertex", "-o", target, file}
	}}},
	// The Y axis stays as the shader has it, since the well-known matrices already point it down.
	".wgsl": {{"naga", "cargo install naga-cli", func(file, _, target string) []string {
		return []string{"-g", "--keep-coordinate-space", file, target}
	}}},
}

func glslArgs(file, _, target string) []string {
	return []string{"-V", "--target-env", "vulkan1.1", "-S", "vert", "-I" + filepath.Dir(file), "-o", target, file}
}

// Endings lists the endings of files that can be vertex shaders.
func Endings() []string { return []string{".spv", ".vert", ".glsl", ".hlsl", ".slang", ".wgsl"} }

// compile compiles a file to SPIR-V. If no entry point is named, it is main in languages whose
// compilers need a name.
func compile(ctx context.Context, from Source) (_ []uint32, err error) {
	defer must.Catch(&err)
	file, entry := from.File, from.Entry
	ending := strings.ToLower(filepath.Ext(file))
	if !slices.Contains(Endings(), ending) {
		return nil, fmt.Errorf("%s: a vertex shader ends in %s", file, strings.Join(Endings(), ", "))
	}
	_, err = os.Stat(file)
	must.OK(about(file, err))
	if ending == ".spv" {
		return readModule(file, file), nil
	}
	c := must.Get(installed(file, languages[ending]))
	folder, err := os.MkdirTemp("", "shadeonce-")
	must.OK(about(file, err))
	defer os.RemoveAll(folder)
	if entry == "" {
		entry = "main"
	}
	target, source := filepath.Join(folder, "vertex.spv"), file
	if strings.HasPrefix(file, "-") { // otherwise it would be an option
		source = "./" + file
	}
	text, err := run(ctx, nil, c.program, c.args(source, entry, target)...)
	if err == nil && strings.Contains(text, "Entry point not found") { // only a warning in glslangValidator
		return nil, fmt.Errorf("%s: no entry point %q: name it by --entry", file, entry)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, compileError(file, c.program, text, err)
	}
	return readModule(file, target), nil
}

// installed returns the first of the compilers that is installed.
func installed(file string, among []compiler) (*compiler, error) {
	var programs []string
	for i := range among {
		if _, err := exec.LookPath(among[i].program); err == nil {
			return &among[i], nil
		}
		programs = append(programs, among[i].program)
	}
	return nil, fmt.Errorf("%s: needs %s, not installed: %s", file, strings.Join(programs, " or "), among[len(among)-1].have)
}

// run runs a program for a bounded time and returns its output, cut at largestOutput.
func run(ctx context.Context, input []byte, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, compileTimeout, fmt.Errorf("no end after %s", compileTimeout))
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.WaitDelay = time.Second
	var text bounded
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &text, &text
	err := cmd.Run()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return text.String(), err
}

// bounded keeps the first largestOutput bytes and drops the rest.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), largestOutput-b.Len())])
	return len(p), nil
}

// readModule reads the words of a module; file is the name for messages.
func readModule(file, path string) []uint32 {
	words, err := module.Words(readFile(file, path, largestModule))
	if err != nil {
		must.Fail("%s: no SPIR-V: %w", file, err)
	}
	return words
}

// readFile reads a file of at most that many bytes; name is its name for messages.
func readFile(name, path string, most int64) []byte {
	info, err := os.Stat(path)
	must.OK(about(name, err))
	if info.IsDir() {
		must.Fail("%s: is a folder", name)
	}
	if info.Size() > most {
		must.Fail("%s: %d bytes, at most %d are read", name, info.Size(), most)
	}
	data, err := os.ReadFile(path)
	must.OK(about(name, err))
	return data
}

// about puts a file's name before an error, in place of a path in it; nil stays nil.
func about(file string, err error) error {
	var at *os.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", file, err)
}

// validate checks a module with spirv-val, if that is installed.
func validate(ctx context.Context, file string, words []uint32) error {
	const language, version16 = 1, 0x10600
	if _, err := exec.LookPath(validator); err != nil {
		return nil
	}
	data := module.Bytes(words)
	// Validators reject the numbers of languages that are newer than they are, so they are given 0.
	for at := module.HeaderWords; at+language < len(words); at += int(words[at] >> 16) {
		if words[at]&0xffff == uint32(module.OpSource) {
			binary.LittleEndian.PutUint32(data[4*(at+language):], 0)
		}
	}
	environment := "vulkan1.2"
	if words[1] >= version16 {
		environment = "vulkan1.3"
	}
	text, err := run(ctx, data, validator, "--target-env", environment, "--scalar-block-layout", "-")
	if err == nil {
		return nil
	}
	said, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if said = strings.TrimPrefix(said, "error: "); said == "" {
		said = err.Error()
	}
	return fmt.Errorf("%s: %s: %s", file, validator, names.Printable(said))
}
