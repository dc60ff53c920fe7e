package cli

import (
	"cmp"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/renderer/shade"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/renderer"
)

// VaryingView is the prefix of --view values that name an output of the vertex shader.
const VaryingView = "varying:"

// ShaderFlags choose what shades vertices.
type ShaderFlags struct {
	Name     string // a built-in vertex shader, Captured, or a file; empty means that --load decides
	Entry    string
	Uniforms string
	Strict   bool
	Language string
	Defines  shade.Lines
	Include  shade.Lines
	Loops    uint32 // most iterations of a vertex's loops; 0 means any number

	Opened *shade.Shader // the file's shader, once Open has compiled it
}

// Source returns the file and the other flags about it.
func (f *ShaderFlags) Source() shade.Source {
	return shade.Source{File: f.Name, Entry: f.Entry, Uniforms: f.Uniforms, Strict: f.Strict, Language: f.Language, Defines: f.Defines, Include: f.Include,
		LoopLimit: cmp.Or(int(f.Loops), -1)}
}

// Add adds --vertex-shader and the flags about its file to a command.
func (f *ShaderFlags) Add(flags *pflag.FlagSet) {
	flags.StringVar(&f.Name, "vertex-shader", "", "what shades vertices: "+strings.Join(shaderNames(), ", ")+
		" (a captured frame's own), or a `FILE` that ends in "+strings.Join(shade.Endings(), ", "))
	flags.StringVar(&f.Entry, "entry", "", "entry point of --vertex-shader FILE, where it has several")
	flags.StringVar(&f.Language, "language", "", "language of --vertex-shader FILE, where its ending does not say: "+strings.Join(shade.Languages(), ", "))
	flags.VarP(&f.Defines, "define", "D", "macro `NAME[=VALUE]` of --vertex-shader FILE; may be repeated")
	flags.VarP(&f.Include, "include", "I", "`folder` where includes of --vertex-shader FILE are searched; may be repeated")
	flags.Uint32Var(&f.Loops, "loop-limit", module.LoopLimit, "loops of --vertex-shader FILE may take `N` iterations for a vertex; 0 lifts the limit")
	flags.StringVar(&f.Uniforms, "uniforms", "", "JSON or YAML `file` with the values that --vertex-shader FILE reads; see analyze --print-uniforms")
	flags.BoolVar(&f.Strict, "strict", false, "refuse where --vertex-shader FILE reads values or data of the mesh that nothing gives, and names that it does not have")
}

// shaderNames are the values of --vertex-shader that are not files.
func shaderNames() []string { return append(slices.Clone(renderer.VertexShaderNames), Captured) }

// Ours returns the built-in vertex shader that --vertex-shader names; `foreign` reports whether it names
// one that is not built in.
func (f *ShaderFlags) Ours() (ours renderer.VertexShader, foreign bool) {
	at := slices.Index(renderer.VertexShaderNames, f.Name)
	return renderer.VertexShader(max(at, 0)), f.Name != "" && at < 0
}

// Readers returns the formats, with attributes if the vertex shader may need them.
func (f *ShaderFlags) Readers() format.Formats {
	formats := capture.Readers()
	if _, foreign := f.Ours(); foreign {
		formats = formats.Attributes()
	}
	return formats
}

// Check returns an error if Name is neither a built-in shader nor a shader file. It is called before
// anything is opened.
func (f *ShaderFlags) Check() error {
	source := f.Source()
	if err := source.Check(); err != nil {
		return UsageError{err}
	}
	_, foreign := f.Ours()
	if foreign && f.Name != Captured && f.Language == "" && !slices.Contains(shade.Endings(), strings.ToLower(filepath.Ext(f.Name))) {
		return UsageError{names.NotAmong("vertex shader", f.Name, names.Nearest(f.Name, shaderNames()),
			strings.Join(shaderNames(), ", ")+", or a file that ends in "+strings.Join(shade.Endings(), ", ")+" or has --language")}
	}
	return nil
}

// Open compiles the file, if one is named; an interrupt by the user cancels it. It returns nil for a
// built-in shader, and shade.Captured for Captured.
func (f *ShaderFlags) Open(stderr io.Writer) (s *shade.Shader, err error) {
	if _, foreign := f.Ours(); !foreign {
		return nil, nil
	}
	if f.Name == Captured {
		return shade.Captured, nil
	}
	err = WithProgress(stderr, "compiling", func(ctx context.Context) error {
		s, err = shade.Open(ctx, f.Source())
		return err
	})
	f.Opened = s
	if s != nil {
		for _, note := range s.Notes {
			Tell(stderr, note)
		}
		if s.Missing != nil {
			Tell(stderr, s.Missing.Error()+"; they are 0, and matrices the identity")
		}
	}
	return s, err
}

// TellNotes prints which inputs of the vertex shader a scene lacks, and what is read instead.
func TellNotes(stderr io.Writer, shading *geometry.Shading) {
	if shading != nil {
		for _, note := range shading.Notes {
			Tell(stderr, note)
		}
	}
}

// Template returns a uniforms file for the named shader: see shade.Shader.Template.
func (f *ShaderFlags) Template(stderr io.Writer, scene *geometry.Scene) (text string, err error) {
	err = WithProgress(stderr, "compiling", func(ctx context.Context) error {
		p, err := shade.Compile(ctx, f.Source())
		if err == nil {
			text, err = p.Template(scene)
		}
		return err
	})
	return text, err
}

// ShownOf returns the name of the output that --view varying:NAME shows; "" for other views.
func ShownOf(view string) string {
	if name, ok := strings.CutPrefix(view, VaryingView); ok {
		return name
	}
	return ""
}

// ParseShown parses a --view that may name an output of the vertex shader.
func ParseShown(view string) (renderer.View, error) {
	if view == VaryingView || view+":" == VaryingView {
		return 0, Usagef("--view %s: want the name of an output behind it, as %scolor", view, VaryingView)
	}
	if ShownOf(view) != "" {
		return renderer.Varying, nil
	}
	return ParseView(view)
}

// ViewHelp says what --view takes.
func ViewHelp() string {
	return "what to show: " + strings.Join(renderer.ViewNames, ", ") + ", or " + VaryingView + "NAME, an output of --vertex-shader"
}
