package cli

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/internal/vertexshader"
	"github.com/shadeonce/shadeonce/renderer"
)

// VaryingView is what a value of --view begins with that names an output of the vertex
// shader.
const VaryingView = "varying:"

// ShaderFlags choose what shades vertices.
type ShaderFlags struct {
	Name     string // of a vertex shader of ours, Captured, or a file; empty leaves it to --load
	Entry    string
	Uniforms string
}

// Add adds the flags.
func (f *ShaderFlags) Add(flags *pflag.FlagSet) {
	flags.StringVar(&f.Name, "vertex-shader", "", "what shades vertices: "+strings.Join(shaderNames(), ", ")+
		" (a captured frame's own), or a `FILE` that ends in "+strings.Join(vertexshader.Endings(), ", "))
	flags.StringVar(&f.Entry, "entry", "", "entry point of --vertex-shader FILE, where it has several")
	flags.StringVar(&f.Uniforms, "uniforms", "", "JSON or YAML `file` with the values that --vertex-shader FILE reads; see analyze --print-uniforms")
}

// shaderNames are the values of --vertex-shader that are no files.
func shaderNames() []string { return append(slices.Clone(renderer.VertexShaderNames), Captured) }

// VertexShader is the vertex shader that --vertex-shader names where it is not ours; else
// it is empty.
type VertexShader struct {
	Captured bool                 // a captured frame's own
	File     *vertexshader.Shader // nil without a file
	Shown    string               // the output that --view varying:NAME shows
}

// Name is the file without its folder, or captured; empty for vertex shaders of ours.
func (s *VertexShader) Name() string {
	switch {
	case s.File != nil:
		return filepath.Base(s.File.File)
	case s.Captured:
		return Captured
	}
	return ""
}

// Ours is the vertex shader of ours that is named; foreign says that it is another.
func (f *ShaderFlags) Ours() (ours renderer.VertexShader, foreign bool) {
	at := slices.Index(renderer.VertexShaderNames, f.Name)
	return renderer.VertexShader(max(at, 0)), f.Name != "" && at < 0
}

// Check refuses flags that contradict each other, before anything is opened. view is the
// value of --view.
func (f *ShaderFlags) Check(view string) error {
	_, foreign := f.Ours()
	isFile := foreign && f.Name != Captured
	switch ending := strings.ToLower(filepath.Ext(f.Name)); {
	case strings.HasPrefix(view, VaryingView) && !foreign:
		return Usagef("--view %s shows an output of a vertex shader: it needs --vertex-shader FILE or %s", view, Captured)
	case f.Entry != "" && !isFile:
		return Usagef("--entry needs --vertex-shader FILE")
	case f.Uniforms != "" && !isFile:
		return Usagef("--uniforms needs --vertex-shader FILE")
	case isFile && !slices.Contains(vertexshader.Endings(), ending):
		return UsageError{names.NotAmong("vertex shader", f.Name, names.Nearest(f.Name, shaderNames()),
			strings.Join(shaderNames(), ", ")+", or a file that ends in "+strings.Join(vertexshader.Endings(), ", "))}
	}
	return nil
}

// Open compiles the file, where one is named, until it is interrupted. view is the value of
// --view.
func (f *ShaderFlags) Open(stderr io.Writer, view string) (s VertexShader, err error) {
	if _, foreign := f.Ours(); !foreign {
		return s, nil
	}
	s.Shown, s.Captured = shownOf(view), f.Name == Captured
	if s.Captured {
		return s, nil
	}
	err = WithProgress(stderr, "compiling", func(ctx context.Context) error {
		s.File, err = vertexshader.Open(ctx, f.Name, f.Entry, f.Uniforms)
		return err
	})
	return s, err
}

// Template is a uniforms file for the file that is named: see vertexshader.Program.Template.
func (f *ShaderFlags) Template(stderr io.Writer, scene *geometry.Scene) (text string, err error) {
	err = WithProgress(stderr, "compiling", func(ctx context.Context) error {
		p, err := vertexshader.Compile(ctx, f.Name, f.Entry)
		if err == nil {
			text, err = p.Template(scene)
		}
		return err
	})
	return text, err
}

// Shading is how a scene is shaded by what is not ours; nil where it is ours.
func (s *VertexShader) Shading(scene *geometry.Scene) (*renderer.Shading, error) {
	switch {
	case s.File != nil:
		return s.File.Shading(scene, s.Shown)
	case s.Captured:
		return vertexshader.Captured(scene, s.Shown)
	}
	return nil, nil
}

// shownOf is the output that --view varying:NAME names; empty for other views.
func shownOf(view string) string {
	if name, ok := strings.CutPrefix(view, VaryingView); ok {
		return name
	}
	return ""
}

// ParseShown reads --view where it may name an output of the vertex shader.
func ParseShown(view string) (renderer.View, error) {
	if view == VaryingView || view+":" == VaryingView {
		return 0, Usagef("--view %s: want the name of an output behind it, as %scolor", view, VaryingView)
	}
	if shownOf(view) != "" {
		return renderer.Varying, nil
	}
	return ParseView(view)
}

// ViewHelp says what --view takes.
func ViewHelp() string {
	return "what to show: " + strings.Join(renderer.ViewNames, ", ") + ", or " + VaryingView + "NAME, an output of --vertex-shader"
}
