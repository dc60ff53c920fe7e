package main

import (
	"context"
	"io"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/renderer"
)

// checkShader refuses flags that contradict --vertex-shader, and reads the names of ours.
func (f *renderFlags) checkShader(frame *renderer.Frame) error {
	if err := f.shader.Check(f.view); err != nil || f.shader.Name == "" {
		return err
	}
	if f.Given("load") {
		return cli.Usagef("--vertex-shader %s says what a vertex costs: it excludes --load", f.shader.Name)
	}
	var foreign bool
	if frame.VertexShader, foreign = f.shader.Ours(); !foreign {
		return nil
	}
	if f.subdivide.Levels > 0 {
		return cli.Usagef("--vertex-shader %s shades vertices of stored meshes: it excludes --subdivide", f.shader.Name)
	}
	return nil
}

// shading is how scenes are shaded where the vertex shader is not ours; else nil.
func (f *benchFlags) shading(stderr io.Writer) (measure.ShadingOf, error) {
	if _, foreign := f.shader.Ours(); !foreign {
		return nil, nil
	}
	f.Attributes = true
	shader, err := f.shader.Open(stderr, "")
	return shader.Shading, err
}

// checkShader refuses flags that contradict --vertex-shader, and takes over what it says of
// the loads.
func (f *benchFlags) checkShader() error {
	if err := f.shader.Check(""); err != nil || f.shader.Name == "" {
		return err
	}
	_, foreign := f.shader.Ours()
	switch {
	case foreign && f.subdivide.Levels > 0:
		return cli.Usagef("--vertex-shader %s shades vertices of stored meshes: it excludes --subdivide", f.shader.Name)
	case foreign && f.Backend.Backend == cli.CPU:
		return cli.Usagef("--vertex-shader %s is timed on a GPU: it excludes the cpu backend", f.shader.Name)
	case f.frames.on && f.Given("load"):
		return cli.Usagef("bench --frame takes one vertex shader: --vertex-shader excludes --load")
	}
	if !f.Given("load") {
		f.loads = nil
	}
	if !foreign {
		f.loads = append(f.loads, strings.Replace(f.shader.Name, renderer.Transform.String(), renderer.SimpleLoad, 1))
	}
	return nil
}

// printTemplate prints a uniforms file for the vertex shader, and for a mesh where one is
// named.
func (f *analyzeFlags) printTemplate(stdout, stderr io.Writer, paths []string) error {
	if err := f.shader.Check(""); err != nil {
		return err
	}
	if _, foreign := f.shader.Ours(); !foreign || f.shader.Name == cli.Captured || len(paths) > 1 {
		return cli.Usagef("--print-uniforms takes --vertex-shader FILE, and one mesh at most")
	}
	var scene *geometry.Scene
	var err error
	if len(paths) == 1 {
		if scene, err = cli.OpenAttributes(context.Background(), paths[0]); err != nil {
			return err
		}
	}
	text, err := f.shader.Template(stderr, scene)
	if err == nil {
		_, err = io.WriteString(stdout, text)
	}
	return err
}
