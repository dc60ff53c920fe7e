// Package shade shades frames with a user's vertex shader: it compiles the file if it is not
// SPIR-V, reads the values of its blocks from a uniforms file, finds the mesh's data for its
// inputs by name, and has the frame fill in matrices, camera and time (docs/vertex-shaders.md).
//
// It knows no flags and no device.
package shade

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// Shader is a user's compiled vertex shader with the values of its blocks, or Captured. It is
// immutable. A nil Shader stands for our own shaders.
type Shader struct {
	Source
	Vertex  *module.Vertex
	Missing *MissingError // members without a value: they are 0, matrices the identity; nil if there are none
	Notes   []string      // names in the uniforms file that the shader does not have, and a matrix that was guessed; one line each
	blocks  []*member
	inputs  []input
	packer
	filled []filling
}

// Source names the file to compile and the file with its values.
type Source struct {
	File     string
	Entry    string // the entry point; empty means the only one
	Uniforms string // a uniforms file, or empty
	Strict   bool   // makes missing values and unknown names errors
	Language string // one of Languages; if empty, the file's ending and text determine it
	Defines  Lines  // macros, NAME or NAME=VALUE
	Include  Lines  // folders where includes are searched, after the including file's own folder
	// LoopLimit bounds the iterations that all loops together take for one vertex; 0 means module.LoopLimit, and a
	// negative number no limit.
	LoopLimit int
}

var macro = regexp.MustCompile(`^[A-Za-z_]\w*(=.*)?$`)

// Check returns an error for an invalid language, macro or folder, before anything is opened.
func (s *Source) Check() error {
	if have := Languages(); s.Language != "" && !slices.Contains(have, s.Language) {
		return names.NotAmong("language", s.Language, names.Nearest(s.Language, have), strings.Join(have, ", "))
	}
	given := map[string]bool{}
	for _, define := range s.Defines.list() {
		name, _, _ := strings.Cut(define, "=")
		switch {
		case !macro.MatchString(define):
			return fmt.Errorf("--define %.60q: want NAME or NAME=VALUE", define)
		case given[name]:
			return fmt.Errorf("--define %.60s is given twice", name)
		}
		given[name] = true
	}
	for _, folder := range s.Include.list() {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return fmt.Errorf("--include %s: no such folder", names.Printable(folder))
		}
	}
	return nil
}

// Captured stands for the vertex shaders in a captured frame.
var Captured = &Shader{}

// Name returns the file without its folder, or "captured"; empty for our own shaders.
func (s *Shader) Name() string {
	switch s {
	case nil:
		return ""
	case Captured:
		return "captured"
	}
	return filepath.Base(s.File)
}

// Compile compiles a file, or reads its SPIR-V, and finds the entry point. The shader has no values
// yet.
func Compile(ctx context.Context, from Source) (_ *Shader, err error) {
	defer must.Catch(&err)
	file, entry := from.File, from.Entry
	code := must.Get(compile(ctx, from))
	m, err := module.Decode(code)
	must.OK(about(file, err))
	m, err = m.Limited(uint32(max(cmp.Or(from.LoopLimit, module.LoopLimit), 0)))
	must.OK(about(file, err))
	v, err := m.Vertex(entry, nil)
	if err != nil && entry == "" && len(m.EntryPoints()) > 1 {
		err = fmt.Errorf("%w by --entry", err)
	}
	must.OK(about(file, err))
	must.OK(validate(ctx, file, code))
	return &Shader{Source: from, Vertex: v}, nil
}

// Open compiles a file, and reads the values of its uniforms file: Compile, then With.
func Open(ctx context.Context, from Source) (*Shader, error) {
	s, err := Compile(ctx, from)
	if err != nil {
		return nil, err
	}
	return s.With(from.Uniforms)
}

// With returns the compiled shader with the values of a uniforms file; "" means none.
func (s *Shader) With(uniforms string) (_ *Shader, err error) {
	defer must.Catch(&err)
	full := s.read(uniforms)
	if lacks := full.guess(full.missing()); len(lacks) > 0 {
		full.Missing = full.missingError(lacks)
		if s.Strict {
			return nil, full.Missing
		}
		for _, m := range lacks {
			full.start(m)
		}
	}
	return full, nil
}

// read returns the shader with the values of a uniforms file; missing values stay unset.
func (s *Shader) read(file string) *Shader {
	u := readUniforms(file, s.Strict)
	s = &Shader{Source: s.Source, Vertex: s.Vertex}
	specialization := s.specialize(u)
	s.uniforms = u
	if len(specialization) > 0 {
		var err error
		s.Vertex, err = s.Vertex.Module.Vertex(s.Vertex.Entry.Name, specialization)
		must.OK(about(s.File, err))
	}
	s.blocks, s.inputs = s.blocksOf(), inputsOf(s.Vertex)
	s.bytes, s.given = make([][]byte, len(s.blocks)), make([][]int32, len(s.blocks))
	for i := range s.blocks {
		s.grow(i, s.Vertex.Blocks[i].Size)
	}
	for _, e := range s.values {
		if m := s.lookUp(s.blocks, e); m != nil {
			s.value(m, e.node)
		}
	}
	s.sizeImages()
	s.filled = fillings(s.blocks, &s.packer)
	s.Notes = s.notes
	return s
}

// MissingError lists members without a value.
type MissingError struct {
	text  string
	Lines []string // lines of a uniforms file that give the members valid values, mostly 0
}

func (e *MissingError) Error() string { return e.text }

// missingError returns the error that lists members without values.
func (s *Shader) missingError(lacks []*member) *MissingError {
	var list strings.Builder
	lines := make([]string, len(lacks))
	for i, m := range lacks {
		name := m.shortest(s.blocks)
		lines[i] = key(name) + ": " + zero(m.Type)
		switch {
		case i == 0:
			fmt.Fprintf(&list, "%s: ", s.blockText(m.block))
		case m.block != lacks[i-1].block:
			fmt.Fprintf(&list, "; %s: ", s.blockText(m.block))
		default:
			list.WriteString(", ")
		}
		fmt.Fprintf(&list, "%s (%s, offset %d)", name, m.Type, m.offset)
	}
	from := "give them in a file by --uniforms, which analyze --print-uniforms begins"
	if s.file != "" {
		from = "add them to " + s.file
	}
	return &MissingError{fmt.Sprintf("%s: %s without a value: %s: %s", s.File, names.Count(len(lacks), "member"), list.String(), from), lines}
}

// blockText describes a block by its kind, name, set and binding.
func (s *Shader) blockText(block int) string {
	b := &s.Vertex.Blocks[block]
	if b.Kind == module.PushConstants {
		return "push constants " + s.blocks[block].name
	}
	return fmt.Sprintf("%s %s of set %d, binding %d", b.Kind, s.blocks[block].name, b.Set, b.Binding)
}

// specialize returns the specialization constants that the file gives, by name or by number. The map has their bits by
// the constants' numbers.
func (s *Shader) specialize(u *uniforms) map[uint32]uint32 {
	all := map[uint32]uint32{}
	for _, e := range u.specialization {
		i := slices.IndexFunc(s.Vertex.Specializations, func(c module.SpecConstant) bool {
			return c.Name == e.name || strconv.Itoa(int(c.ID)) == e.name
		})
		if i < 0 {
			have := names.Of(s.Vertex.Specializations, func(c module.SpecConstant) string { return cmp.Or(c.Name, strconv.Itoa(int(c.ID))) })
			if len(have) == 0 {
				u.unknown(&u.notes, e.key, fmt.Errorf("%q: %s has no specialization constants", e.name, s.File))
			} else {
				u.unknown(&u.notes, e.key, names.Unknown("specialization constant", e.name, have))
			}
			continue
		}
		c := &s.Vertex.Specializations[i]
		t := module.Type{Kind: c.Kind, Width: 32}
		if c.Kind == module.Bool {
			t.Kind = module.Uint
		}
		bits, err := numberBits(&t, e.node)
		if c.Kind == module.Bool && (err != nil || bits > 1) {
			err = errors.New("true or false")
		}
		if err != nil {
			u.fail(e.node, "%s: %.40q: want %w", e.name, e.node.Value, err)
		}
		all[c.ID] = uint32(bits)
	}
	return all
}

// Outputs lists the shader's outputs that can be shown, besides the position.
func (s *Shader) Outputs() (list []string) {
	for _, o := range s.Vertex.Showable() {
		o.Name = lastName(o.Name)
		list = append(list, o.Parts()...)
	}
	return list
}

// output returns an output's name as the module spells it; it fails if the shader has no such output.
func (s *Shader) output(name string) string {
	if name == "" {
		return ""
	}
	if _, ok := s.Vertex.Part(name); ok {
		return name
	}
	for _, o := range s.Vertex.Outputs {
		if part, ok := strings.CutPrefix(name, lastName(o.Name)); ok {
			if _, ok := s.Vertex.Part(o.Name + part); ok {
				return o.Name + part
			}
		}
	}
	have := s.Outputs()
	if len(have) == 0 {
		must.Fail("%s: no output %q: it puts out only the position", s.File, name)
	}
	must.Fail("%s: %w", s.File, names.Unknown("output", name, have))
	return ""
}

// Shading returns how the shader shades a scene, with the scene's data for its inputs; nil if s is nil.
// shown is the output that the varying view shows, or "".
func (s *Shader) Shading(scene *geometry.Scene, shown string) (_ *geometry.Shading, err error) {
	defer must.Catch(&err)
	switch {
	case s == nil:
		return nil, nil
	case s == Captured:
		own, err := scene.CapturedShading(shown)
		must.OK(about("--vertex-shader captured", err))
		return own, nil
	case scene.Computed != nil:
		return nil, fmt.Errorf("%s shades stored meshes, and not those that are computed while they are drawn", s.File)
	}
	output := s.output(shown)
	matcher := newMatcher(s.uniforms, scene)
	inputs, err := matcher.match(s.inputs)
	must.OK(about(s.File, err))
	name := s.Name()
	shading := &geometry.Shading{
		Name: name, Programs: []link.Program{{Name: name, Vertex: s.Vertex, Inputs: inputs}}, Values: s.bytes, Shown: output,
		Notes: names.Of(matcher.notes, func(note string) string { return s.File + ": " + note }),
	}
	slots := make([]int, len(s.blocks))
	for i := range slots {
		slots[i] = i
	}
	for i := range scene.Draws {
		draw := s.capturedDraw(int32(i))
		draw.Values = slots
		shading.Draws = append(shading.Draws, draw)
	}
	for i := range s.filled {
		shading.Filled = append(shading.Filled, s.filled[i].filled())
	}
	return shading, nil
}

// include matches an include directive.
var include = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*["<]([^">\r\n]+)[">]`)

// mostFiles bounds the list that Files returns.
const mostFiles = 64

// Files lists a vertex shader's file and all paths where its includes, nested ones too, may be: next to the including
// file, next to the first file, and in Include. It searches the text, so it works for files that do not compile.
func (s Source) Files() []string {
	list := []string{s.File}
	for i := 0; i < len(list); i++ {
		info, err := os.Stat(list[i])
		if err != nil || !info.Mode().IsRegular() || info.Size() > largestSource {
			continue
		}
		text, _ := os.ReadFile(list[i]) // an unreadable file includes nothing
		for _, m := range include.FindAllSubmatch(text, mostFiles) {
			for _, folder := range append([]string{filepath.Dir(list[i])}, s.folders()...) {
				path := filepath.Join(folder, string(m[1]))
				if len(list) < mostFiles && !slices.Contains(list, path) {
					list = append(list, path)
				}
			}
		}
	}
	return list
}

var version = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*version[ \t]+(\d+)[ \t]*(\w*)[^\n]*\n?`)

// The oldest versions of GLSL and GLSL ES that glslangValidator compiles to SPIR-V. In older GLSL the lines of legacy
// replace the version line, and older GLSL ES is compiled as oldestES.
const (
	oldest, oldestES = 140, 310
	legacy           = "#version 450\n#define attribute in\n#define varying out\n#define texture2D texture\n"
)

// compileOpenGL compiles GLSL that was written for OpenGL or WebGL: with uniforms outside of blocks, without bindings
// and locations, of versions that SPIR-V does not support, and with includes. Uniforms become members of a block.
func (t *task) compileOpenGL(ctx context.Context, c *compiler, path string) (text string, err error) {
	name := t.file
	source := readFile(name, name, largestSource)
	head, rest := legacy, source
	if at := version.FindSubmatchIndex(source); at != nil {
		rest = source[at[1]:]
		number, _ := strconv.Atoi(string(source[at[2]:at[3]]))
		switch es := string(source[at[4]:at[5]]) == "es"; {
		case es:
			head = fmt.Sprintf("#version %d es\n", max(number, oldestES))
		case number >= oldest:
			head = string(source[at[0]:at[1]])
		}
	}
	line := 1 + bytes.Count(source[:len(source)-len(rest)], []byte("\n"))
	head = fmt.Sprintf("%s#extension GL_GOOGLE_include_directive : enable\n#line %d\n", head, line)
	must.OK(os.WriteFile(path, append([]byte(head), rest...), 0o600))
	relaxed := *t
	relaxed.file, relaxed.opengl = path, true
	text, err = run(ctx, nil, c.program, c.args(&relaxed)...)
	return strings.ReplaceAll(text, path, name), err
}
