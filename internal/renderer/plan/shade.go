package plan

import (
	"fmt"
	"slices"

	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// shade says what runs once per unique vertex. It is joined with the shaders that shade (shaders.Shader.Open).
type shade interface {
	String() string
	layOut(precise bool) error // must be called before the methods below, except outputs
	outputs() uint32           // what it outputs besides positions: the shaders' constant OUTPUTS
	key() string               // plugs with equal keys join the same vertex shaders
	buffers(p *planner)
	spec(spec map[string]uint32) // adds the constants of passes that shade
	raw(shader string) string
	reads(s *shaders.Shader, reads []Block) []Block // blocks that a joined shader reads
	bindings(s *shaders.Shader) []shaders.Binding   // of a joined shader
	join(s *shaders.Shader) (*shaders.Shader, error)
	vertexBytes(p *Plan) int64 // least number of bytes that shading a vertex reads
}

// functionShade is an application's shade function. The shaders that run it were compiled with it.
type functionShade struct{ ourShade }

func (*functionShade) String() string { return "function" }

func shadeOf(f *renderer.Frame) shade {
	if f.Shading != nil {
		return &moduleShade{frame: f}
	}
	return &ourShade{frame: f, vertex: f.VertexShader}
}

// layOutShade lays out the buffers that the shade reads. If several pipelines position a vertex, as
// in fused frames, they must agree bit for bit.
func (x *plugs) layOutShade() error {
	_, precise := x.sink.(fusedSink)
	return x.shade.layOut(precise)
}

// shade returns the laid out shade plug. For a plan that another package listed, it is made again
// from the frame, which has been planned before.
func (p *Plan) shade() shade {
	x := p.parts()
	if p.plugs.sink == nil {
		_ = x.layOutShade()
	}
	return x.shade
}

// Shader returns a shader as the plan runs it: joined with the frame's vertex shaders if it runs them.
func (p *Plan) Shader(name string) (*shaders.Shader, error) {
	if s := p.ownShader(name); s != nil {
		return s, nil
	}
	s, err := shaders.Find(name)
	if err != nil || s.Open == nil {
		return s, err
	}
	if s, err = p.shade().join(s); err == nil && s.Stage == shaders.Mesh {
		return p.sizedMesh(s)
	}
	return s, err
}

// ownShader returns a shader that a caller's function provides; nil if there is none with the name.
func (p *Plan) ownShader(name string) *shaders.Shader {
	if i := slices.IndexFunc(p.own, func(s *shaders.Shader) bool { return s.Name == name }); i >= 0 {
		return p.own[i]
	}
	return nil
}

// ShadeKey returns equal keys for plans that join equal vertex shaders with a pass's shaders; ""
// for a pass that shades nothing.
func (p *Plan) ShadeKey(pipeline *Pipeline) string {
	if !slices.ContainsFunc(pipeline.Shaders, func(name string) bool { return p.ownShader(name) == nil && shaders.Must(name).Open != nil }) {
		return ""
	}
	return p.shade().key()
}

// bindings returns the bindings of a shader as the plan runs it.
func (p *Plan) bindings(s *shaders.Shader) []shaders.Binding {
	if s.Open == nil {
		return s.Bindings
	}
	return p.shade().bindings(s)
}

// shadeReads returns the blocks that a shader reads as the plan runs it.
func (p *planner) shadeReads(shader string, reads []Block) []Block {
	s := shaders.Must(shader)
	if s.Open == nil {
		return reads
	}
	return p.plugs.shade.reads(s, reads)
}

// vertexSpec adds the specialization of the vertex shader.
func (p *planner) vertexSpec(spec map[string]uint32) map[string]uint32 {
	spec["OUTPUTS"], spec["SOLE"] = p.plugs.shade.outputs(), flag(p.Sole)
	p.plugs.shade.spec(spec)
	return spec
}

// checkShade joins a shade that comes from a file with one of the plan's passes, so that errors in
// joining, and missing capabilities, are found before anything is drawn.
func (p *planner) checkShade() error {
	m, ok := p.plugs.shade.(*moduleShade)
	if !ok {
		return nil
	}
	for i := range p.Passes {
		pipeline := p.Passes[i].Pipeline()
		if pipeline == nil || !slices.ContainsFunc(p.Passes[i].Uses, func(u Use) bool { return u.Block == Shadings }) {
			continue
		}
		s, err := p.Shader(pipeline.Shaders[0])
		if err != nil {
			return err
		}
		if missing := missing(s, &p.limits); len(missing) > 0 {
			return fmt.Errorf("vertex shader %s needs %s, which the device lacks", m.frame.Shading.Name, capabilityText(missing))
		}
		return nil
	}
	return nil
}
