// Package vertexshader makes a user's vertex shader what a frame is shaded by: it compiles
// the file where it is no SPIR-V, reads the values of its blocks from a uniforms file,
// finds the mesh's data for its inputs by their names, and has the frame fill in matrices,
// camera and time (docs/vertex-shaders.md).
//
// It knows no flags and no device.
package vertexshader

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders/module"
)

// Program is a compiled vertex shader, without values. It does not change.
type Program struct {
	File   string
	code   []uint32
	module *module.Module
	plain  *module.Vertex // without specialization
}

// Shader is a vertex shader with the values of its blocks. It does not change.
type Shader struct {
	*Program
	vertex         *module.Vertex
	blocks         []*member
	inputs         []input
	specialization map[uint32]uint32
	packer
	filled []filling
}

// Compile compiles a file, or reads its SPIR-V, and finds the entry point; an empty name
// is the only one.
func Compile(ctx context.Context, file, entry string) (*Program, error) {
	code, err := compile(ctx, file, entry)
	if err != nil {
		return nil, err
	}
	p := &Program{File: file, code: code}
	if p.module, err = module.Decode(code); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if p.plain, err = p.module.Vertex(entry, nil); err != nil {
		if entry == "" && len(p.module.EntryPoints()) > 1 {
			err = fmt.Errorf("%w by --entry", err)
		}
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return p, validate(ctx, file, code)
}

// Open is Compile and With.
func Open(ctx context.Context, file, entry, uniforms string) (*Shader, error) {
	p, err := Compile(ctx, file, entry)
	if err != nil {
		return nil, err
	}
	return p.With(uniforms)
}

// With reads the values from a uniforms file; empty is none. Values that the shader reads
// and nothing gives are an error that lists them.
func (p *Program) With(uniforms string) (*Shader, error) {
	s, err := p.read(uniforms)
	if err != nil {
		return nil, err
	}
	if lacks := s.missing(); len(lacks) > 0 {
		return nil, s.missingError(lacks)
	}
	return s, nil
}

// read is With, where values may be missing.
func (p *Program) read(file string) (s *Shader, err error) {
	s = &Shader{Program: p, vertex: p.plain}
	if s.uniforms, err = readUniforms(file); err != nil {
		return nil, err
	}
	if s.specialization, err = p.specialize(s.uniforms); err != nil {
		return nil, err
	}
	if len(s.specialization) > 0 {
		if s.vertex, err = p.module.Vertex(p.plain.Entry.Name, s.specialization); err != nil {
			return nil, fmt.Errorf("%s: %w", p.File, err)
		}
	}
	if s.blocks, err = blocksOf(s.vertex); err != nil {
		return nil, fmt.Errorf("%s: %w", p.File, err)
	}
	s.inputs = inputsOf(s.vertex)
	s.bytes, s.given = make([][]byte, len(s.blocks)), make([][]bool, len(s.blocks))
	for i := range s.blocks {
		s.grow(i, s.vertex.Blocks[i].Size)
	}
	for _, e := range s.values {
		m, err := lookUp(s.blocks, e.name)
		if err != nil {
			return nil, s.at(e.key, "%w", err)
		}
		if err := s.value(m, e.node); err != nil {
			return nil, err
		}
	}
	if err := s.sizeImages(); err != nil {
		return nil, err
	}
	s.filled, err = fillings(s.blocks, &s.packer)
	return s, err
}

// missingError lists members without values.
func (s *Shader) missingError(lacks []*member) error {
	var list strings.Builder
	for i, m := range lacks {
		switch {
		case i == 0:
			fmt.Fprintf(&list, "%s: ", s.blockText(m.block))
		case m.block != lacks[i-1].block:
			fmt.Fprintf(&list, "; %s: ", s.blockText(m.block))
		default:
			list.WriteString(", ")
		}
		fmt.Fprintf(&list, "%s (%s, offset %d)", m.short(), m.Type, m.offset)
	}
	from := "give them in a file by --uniforms, which analyze --print-uniforms begins"
	if s.file != "" {
		from = "add them to " + s.file
	}
	return fmt.Errorf("%s: %s without a value: %s: %s", s.File, names.Count(len(lacks), "member"), list.String(), from)
}

// blockText says where a block is.
func (s *Shader) blockText(block int) string {
	b := &s.vertex.Blocks[block]
	if b.Kind == module.PushConstants {
		return "push constants " + s.blocks[block].name
	}
	return fmt.Sprintf("%s %s of set %d, binding %d", b.Kind, s.blocks[block].name, b.Set, b.Binding)
}

// specialize reads the section of specialization constants, by their names or numbers.
func (p *Program) specialize(u *uniforms) (map[uint32]uint32, error) {
	all := map[uint32]uint32{}
	for _, e := range u.specialization {
		i := slices.IndexFunc(p.plain.Specializations, func(s module.Specialization) bool {
			return s.Name == e.name || strconv.Itoa(int(s.Number)) == e.name
		})
		if i < 0 {
			var have []string
			for _, s := range p.plain.Specializations {
				have = append(have, cmp.Or(s.Name, strconv.Itoa(int(s.Number))))
			}
			if len(have) == 0 {
				return nil, u.at(e.key, "%q: %s has no specialization constants", e.name, p.File)
			}
			return nil, u.at(e.key, "%w", names.Unknown("specialization constant", e.name, have))
		}
		s := &p.plain.Specializations[i]
		t := module.Type{Kind: s.Kind, Width: 32}
		if s.Kind == module.Bool {
			t.Kind = module.Uint
		}
		bits, err := numberBits(&t, e.node)
		if err != nil {
			return nil, u.at(e.node, "%s: %.40q: want %w", e.name, e.node.Value, err)
		}
		all[s.Number] = uint32(bits)
	}
	return all, nil
}

// Outputs are the names of what the shader puts out beside the position.
func (s *Shader) Outputs() (list []string) {
	for i := range s.vertex.Outputs {
		list = append(list, lastName(s.vertex.Outputs[i].Name))
	}
	return list
}

// output is the name of an output as the module has it.
func (s *Shader) output(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	for i, short := range s.Outputs() {
		if name == short || name == s.vertex.Outputs[i].Name {
			return s.vertex.Outputs[i].Name, nil
		}
	}
	if len(s.vertex.Outputs) == 0 {
		return "", fmt.Errorf("%s: no output %q: it puts out only the position", s.File, name)
	}
	return "", fmt.Errorf("%s: %w", s.File, names.Unknown("output", name, s.Outputs()))
}

// Shading is how the shader shades a scene. shown is the output of the varying view; empty
// for none. It finds the scene's data for the shader's inputs.
func (s *Shader) Shading(scene *geometry.Scene, shown string) (*renderer.Shading, error) {
	if scene.Computed != nil {
		return nil, fmt.Errorf("%s shades stored meshes, and not those that are computed while they are drawn", s.File)
	}
	output, err := s.output(shown)
	if err != nil {
		return nil, err
	}
	m := matcher{s.uniforms, scene}
	inputs, err := m.match(s.inputs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	program := geometry.ShaderProgram{
		Name: filepath.Base(s.File), Code: s.code, Entry: s.vertex.Entry.Name, Specialization: s.specialization, Inputs: inputs,
	}
	slots := make([]int, len(s.blocks))
	for i := range s.vertex.Blocks {
		b := &s.vertex.Blocks[i]
		program.Blocks = append(program.Blocks, geometry.ShaderBlock{Kind: geometry.BlockKind(b.Kind), Set: b.Set, Binding: b.Binding, Element: b.Element})
		slots[i] = i
	}
	shading := &renderer.Shading{
		Shading: &geometry.Shading{Programs: []geometry.ShaderProgram{program}, Values: s.bytes}, Name: program.Name, Shown: output,
	}
	for i := range scene.Draws {
		n := int32(i)
		shading.Draws = append(shading.Draws, geometry.DrawShading{Values: slots, Instance: n, DrawIndex: n, Clip: mgl32.Ident4()})
	}
	for i := range s.filled {
		shading.Filled = append(shading.Filled, s.filled[i].filled())
	}
	return shading, nil
}

// Captured is how a captured frame's own vertex shaders shade it. shown is the output of
// the varying view; empty for none.
func Captured(scene *geometry.Scene, shown string) (*renderer.Shading, error) {
	if scene.Shading == nil {
		return nil, errors.New("--vertex-shader captured: the file brings no vertex shaders along: it is no captured frame that holds them")
	}
	s := &renderer.Shading{Shading: scene.Shading, Name: "captured", Shown: shown}
	if scene.View() != nil {
		s.Captured = &scene.Capture.Clip
	}
	return s, nil
}
