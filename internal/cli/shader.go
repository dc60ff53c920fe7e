package cli

import (
	"context"
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

// VertexShader is what --vertex-shader names.
type VertexShader struct {
	Ours     renderer.VertexShader
	Captured bool                 // a captured frame's own
	File     *vertexshader.Shader // nil without a file
	Shown    string               // the output that --view varying:NAME shows
}

// Check refuses flags that contradict each other, before anything is opened. view is the
// value of --view.
func (f *ShaderFlags) Check(view string) error {
	if _, shown := strings.CutPrefix(view, VaryingView); shown && (f.Name == "" || slices.Contains(renderer.VertexShaderNames, f.Name)) {
		return Usagef("--view %s shows an output of a vertex shader: it needs --vertex-shader FILE or %s", view, Captured)
	}
	isFile := f.Name != "" && !slices.Contains(shaderNames(), f.Name)
	for flag, value := range map[string]string{"entry": f.Entry, "uniforms": f.Uniforms} {
		if value != "" && !isFile {
			return Usagef("--%s needs --vertex-shader FILE", flag)
		}
	}
	if isFile && !slices.Contains(vertexshader.Endings(), strings.ToLower(filepath.Ext(f.Name))) {
		return UsageError{names.NotAmong("vertex shader", f.Name, names.Nearest(f.Name, shaderNames()),
			strings.Join(shaderNames(), ", ")+", or a file that ends in "+strings.Join(vertexshader.Endings(), ", "))}
	}
	return nil
}

// Read finds, and compiles, what the flags name. view is the value of --view.
func (f *ShaderFlags) Read(ctx context.Context, view string) (s VertexShader, err error) {
	if err := f.Check(view); err != nil {
		return s, err
	}
	s.Shown, _ = strings.CutPrefix(view, VaryingView)
	if s.Shown == view {
		s.Shown = ""
	}
	switch at := slices.Index(renderer.VertexShaderNames, f.Name); {
	case f.Name == "":
	case f.Name == Captured:
		s.Captured = true
	case at >= 0:
		s.Ours = renderer.VertexShader(at)
	default:
		s.File, err = vertexshader.Open(ctx, f.Name, f.Entry, f.Uniforms)
	}
	return s, err
}

// Foreign says whether the vertex shader is not ours.
func (s *VertexShader) Foreign() bool { return s.Captured || s.File != nil }

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
