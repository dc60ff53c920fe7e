package plan

import (
	"slices"

	"github.com/shadeonce/shadeonce/shaders"
)

// shade says what runs once per unique vertex. Shaders that shade (shaders.Shader.Open) are
// joined with it.
type shade interface {
	String() string
	key() string     // equal keys join the same vertex shaders
	outputs() uint32 // what it puts out besides positions: OUTPUTS of the shaders
	raw(shader string) string
	reads(s *shaders.Shader, reads []Block) []Block // blocks that a joined shader reads
	bindings(s *shaders.Shader) []shaders.Binding   // of a joined shader
	join(s *shaders.Shader) (*shaders.Shader, error)
}

// functionShade is a shade function of an application, which its shaders are compiled with.
type functionShade struct{ ourShade }

func (functionShade) String() string { return "function" }

// Shader returns a shader as a plan runs it: joined with the frame's vertex shaders if it shades
// by them.
func (p *Plan) Shader(name string) (*shaders.Shader, error) {
	s, err := shaders.Find(name)
	if err != nil || s.Open == nil {
		return s, err
	}
	return p.parts().shade.join(s)
}

// ShadeKey returns the same for plans that join the same vertex shaders with the shaders of a
// pass; empty for a pass that shades nothing.
func (p *Plan) ShadeKey(program *Program) string {
	if !slices.ContainsFunc(program.Shaders, func(name string) bool { return shaders.Must(name).Open != nil }) {
		return ""
	}
	return p.parts().shade.key()
}

// bindings returns those of a shader as the plan runs it.
func (p *Plan) bindings(s *shaders.Shader) []shaders.Binding {
	if s.Open == nil {
		return s.Bindings
	}
	return p.parts().shade.bindings(s)
}

// shadeReads returns the blocks that a shader reads as the plan runs it.
func (p *planner) shadeReads(shader string, reads []Block) []Block {
	s := shaders.Must(shader)
	if s.Open == nil {
		return reads
	}
	return p.plugs.shade.reads(s, reads)
}
