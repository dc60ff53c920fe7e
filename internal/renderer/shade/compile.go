package shade

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

const (
	compileTimeout = 30 * time.Second
	largestModule  = 8 << 20  // bytes of SPIR-V
	largestSource  = 1 << 20  // bytes of a source file
	largestOutput  = 64 << 10 // bytes kept of a compiler's messages
	validator      = "spirv-val"
)

// compiler is a program that compiles a language to SPIR-V.
type compiler struct {
	program string
	have    string // how to install it
	args    func(*task) []string
}

// task describes one run of a compiler.
type task struct {
	Source
	file, target string // paths that the compiler gets
	opengl       bool   // whether to compile by OpenGL's rules
}

// options are the compiler options that define macros and name include folders.
func (t *task) options() (list []string) {
	for _, define := range t.Defines.list() {
		list = append(list, "-D"+define)
	}
	for _, folder := range t.folders() {
		list = append(list, "-I"+folder)
	}
	return list
}

const glslang = "apt-get install glslang-tools (Debian, Ubuntu)"

// languages lists the compilers of each language, the best first.
var languages = map[string][]compiler{
	"glsl": {{"glslangValidator", glslang, glslArgs}},
	"hlsl": {
		{"dxc", "https://github.com/microsoft/DirectXShaderCompiler/releases", func(t *task) []string {
			return append(t.options(), "-spirv", "-fspv-target-env=vulkan1.1", "-T", "vs_6_0", "-E", t.Entry, "-Fo", t.target, t.file)
		}},
		{"glslangValidator", glslang, func(t *task) []string {
			return append([]string{"-D", "-e", t.Entry}, glslArgs(t)...)
		}},
	},
	"slang": {{"slangc", "https://github.com/shader-slang/slang/releases", func(t *task) []string {
		return append(t.options(), "-target", "spirv", "-profile", "spirv_1_3", "-fvk-use-entrypoint-name", "-entry", t.Entry, "-stage", "vertex", "-lang", "slang", "-o", t.target, t.file)
	}}},
	// The Y axis stays as in the shader, since the well-known matrices already point it down.
	"wgsl": {{"naga", "cargo install naga-cli", func(t *task) []string {
		return []string{"-g", "--keep-coordinate-space", "--input-kind", "wgsl", t.file, t.target}
	}}},
}

func glslArgs(t *task) []string {
	args := append(t.options(), "-V", "--target-env", "vulkan1.1", "-S", "vert")
	if t.opengl {
		args = append(args, "-R", "--aml", "--amb")
	}
	return append(args, "-o", t.target, t.file)
}

// Endings lists the endings of files that can be vertex shaders.
func Endings() []string { return []string{".spv", ".vert", ".glsl", ".hlsl", ".slang", ".wgsl"} }

// Languages lists the values of Source.Language.
func Languages() []string { return []string{"spv", "glsl", "hlsl", "slang", "wgsl"} }

// Lines is a list of texts, stored as one text with a line per element. As the value of a flag it
// collects the values of all uses of the flag.
type Lines string

func (l *Lines) Set(text string) error {
	*l = Lines(strings.TrimPrefix(string(*l)+"\n"+text, "\n"))
	return nil
}
func (l *Lines) String() string { return string(*l) }
func (*Lines) Type() string     { return "text" }
func (l Lines) list() []string {
	return strings.FieldsFunc(string(l), func(r rune) bool { return r == '\n' })
}

// folders lists where an include is searched if it is not in the folder of the including file: in the shader
// file's folder, then in Include.
func (s *Source) folders() []string {
	return append([]string{filepath.Dir(s.File)}, s.Include.list()...)
}

var (
	comments = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	isGLSL   = regexp.MustCompile(`(?m)^\s*#\s*version\b|\bgl_Position\b`)
	isHLSL   = regexp.MustCompile(`\bfloat[234](x[234])?\b|\bcbuffer\b|:\s*SV_\w`)
)

// language returns Source.Language or, if that is empty, the language of the file's ending. The text of a file
// that ends in .vert or .glsl decides whether it is GLSL or HLSL.
func (s *Source) language() string {
	if s.Language != "" {
		return s.Language
	}
	ending := strings.ToLower(filepath.Ext(s.File))
	if !slices.Contains(Endings(), ending) {
		must.Fail("%s: a vertex shader ends in %s; name another file's language by --language", s.File, strings.Join(Endings(), ", "))
	}
	language := languageOf(ending)
	if language == "glsl" {
		text := comments.ReplaceAll(readFile(s.File, s.File, largestSource), nil)
		if isHLSL.Match(text) && !isGLSL.Match(text) {
			return "hlsl"
		}
	}
	return language
}

func languageOf(ending string) string {
	if ending == ".vert" {
		return "glsl"
	}
	return ending[1:]
}

// compile compiles a file to SPIR-V. If no entry point is named, it is main in languages whose
// compilers require a name.
func compile(ctx context.Context, from Source) (_ []uint32, err error) {
	defer must.Catch(&err)
	must.OK(from.Check())
	info, err := os.Stat(from.File)
	must.OK(about(from.File, err))
	language := from.language()
	if plain := map[string]string{"spv": "SPIR-V", "wgsl": "WGSL"}[language]; plain != "" && from.Defines+from.Include != "" {
		must.Fail("%s: %s has neither macros nor includes", from.File, plain)
	}
	if language == "spv" {
		return readModule(from.File, from.File), nil
	}
	c := must.Get(installed(from.File, languages[language]))
	folder, err := os.MkdirTemp("", "shadeonce-")
	must.OK(about(from.File, err))
	defer os.RemoveAll(folder)
	hint := map[bool]string{true: ": name it by --entry"}[from.Entry == ""]
	from.Entry = cmp.Or(from.Entry, "main")
	t := &task{Source: from, target: filepath.Join(folder, "vertex.spv"), file: from.File}
	if strings.HasPrefix(t.file, "-") { // otherwise it would be an option
		t.file = "./" + t.file
	}
	text, err := run(ctx, nil, c.program, c.args(t)...)
	if err != nil && language == "glsl" && info.Mode().IsRegular() && ctx.Err() == nil {
		text, err = t.compileOpenGL(ctx, c, filepath.Join(folder, "opengl.vert"))
	}
	if err == nil && strings.Contains(text, "Entry point not found") { // only a warning in glslangValidator
		return nil, fmt.Errorf("%s: no entry point %q%s", from.File, from.Entry, hint)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, compileError(from.File, c.program, text, err)
	}
	return readModule(from.File, t.target), nil
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

// readFile reads a file, and fails if it is longer than `most` bytes; name is its name in messages.
func readFile(name, path string, most int64) []byte {
	info, err := os.Stat(path)
	must.OK(about(name, err))
	if info.IsDir() {
		must.Fail("%s: is a folder", name)
	}
	f, err := os.Open(path)
	must.OK(about(name, err))
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1)) // the path may be a device that has no end
	must.OK(about(name, err))
	if length := max(info.Size(), int64(len(data))); length > most {
		must.Fail("%s: %d bytes, at most %d are read", name, length, most)
	}
	return data
}

// about puts a file's name in front of an error, in place of the path that the error names, if any. nil stays nil.
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
	// Validators reject a source language with a number that they do not know yet, so the numbers are set to 0.
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

// CompileError holds a compiler's messages about a file.
type CompileError struct {
	Lines []string // "file:line: message", at least one
}

// Error returns the first line and the number of further lines.
func (e *CompileError) Error() string {
	if more := len(e.Lines) - 1; more > 0 {
		return fmt.Sprintf("%s; %s more", e.Lines[0], names.Count(more, "error"))
	}
	return e.Lines[0]
}

var (
	// How compilers print the place of a message: glslangValidator; dxc and clang; slangc.
	placed = []*regexp.Regexp{
		regexp.MustCompile(`^ERROR: (.+?):(\d+): (.*)$`),
		regexp.MustCompile(`^(.+?):(\d+):\d+: (?:fatal )?error: (.*)$`),
		regexp.MustCompile(`^(.+?)\((\d+)\): (?:fatal )?error(?: \d+)?: (.*)$`),
	}
	unplaced  = regexp.MustCompile(`^(?:ERROR|error(?:\[\w+\])?|fatal error): (.*)$`)
	placement = regexp.MustCompile(`^\s*(?:┌─|-->) (.+?):(\d+):\d+`) // place of the message on the line before: naga and newer slangc
	noise     = regexp.MustCompile(`compilation terminated|compilation errors?\.|Could not parse|No code generated`)
	reason    = regexp.MustCompile(`^\s*= (.*)$`)   // naga gives reasons on the lines after a message
	escapes   = regexp.MustCompile(`\x1b\[[\d;]*m`) // naga colours its messages
	spaces    = regexp.MustCompile(`\s+`)
)

// compileError makes an error from a compiler's output.
func compileError(file, program, text string, err error) error {
	var found []string
	add := func(line string) {
		if line = names.Printable(spaces.ReplaceAllString(strings.TrimSpace(line), " ")); !slices.Contains(found, line) {
			found = append(found, line)
		}
	}
	pending := ""
	for line := range strings.Lines(escapes.ReplaceAllString(text, "")) {
		line = strings.TrimRight(line, "\r\n")
		if noise.MatchString(line) {
			continue
		}
		if m := placement.FindStringSubmatch(line); m != nil && pending != "" {
			add(m[1] + ":" + m[2] + ": " + pending)
			pending = ""
			continue
		}
		if m := reason.FindStringSubmatch(line); m != nil {
			if pending != "" {
				pending += ": " + m[1]
			} else if len(found) > 0 {
				found[len(found)-1] += ": " + names.Printable(m[1])
			}
			continue
		}
		m := firstMatch(line)
		if m == nil && pending != "" {
			continue
		}
		if pending != "" {
			add(file + ": " + pending)
		}
		pending = ""
		switch {
		case m == nil:
		case len(m) == 2:
			pending = m[1]
		default:
			add(m[1] + ":" + m[2] + ": " + strings.TrimPrefix(m[3], "'' : "))
		}
	}
	if pending != "" {
		add(file + ": " + pending)
	}
	if len(found) == 0 {
		return fmt.Errorf("%s: %s: %w", file, program, err)
	}
	return &CompileError{found}
}

// firstMatch finds a compiler's message in a line of its output. It returns the whole line, the file, the line number and the
// message. If the line names no place, it returns only the whole line and the message; if it has no message, nil.
func firstMatch(line string) []string {
	for _, form := range append(placed, unplaced) {
		if m := form.FindStringSubmatch(line); m != nil {
			return m
		}
	}
	return nil
}
