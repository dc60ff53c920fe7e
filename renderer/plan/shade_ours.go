package plan

import (
	"fmt"
	"sync"

	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders"
	"github.com/shadeonce/shadeonce/shaders/link"
	"github.com/shadeonce/shadeonce/shaders/module"
)

// Our vertex shaders, shaders/vertex/*.vert, are joined with passes as those of others are
// (custom.go). The plan makes what they read, so that they are trusted.

// ourShade is a vertex shader of ours.
type ourShade struct{ vertex renderer.VertexShader }

func (ourShade) String() string { return "module" }

func (o ourShade) key() string { return o.vertex.String() }

func (o ourShade) outputs() uint32 {
	if o.vertex == renderer.Transform {
		return shaders.OutputsNone
	}
	return shaders.OutputsNormal
}

func (ourShade) raw(shader string) string { return shader }

func (ourShade) reads(_ *shaders.Shader, reads []Block) []Block { return reads }

func (ourShade) bindings(s *shaders.Shader) []shaders.Binding { return s.Bindings }

// ourBlocks are what our vertex shaders alone read.
var ourBlocks = []Block{Skin, Bones}

// ourInputs is what inputs of our vertex shaders read, by name.
var ourInputs = map[string]link.Source{"position": link.Positions, "normal": link.Normals, "skin": link.Skins, "clip": link.Clip}

// ours names a pass and the vertex shader of ours that is joined with it.
type ours struct {
	pass   string
	vertex renderer.VertexShader
}

// joinedOurs caches passes joined with our vertex shaders, by ours: *shaders.Shader. They depend
// on no frame.
var joinedOurs sync.Map

func (o ourShade) join(s *shaders.Shader) (*shaders.Shader, error) {
	key := ours{s.Name, o.vertex}
	if known, ok := joinedOurs.Load(key); ok {
		return known.(*shaders.Shader), nil
	}
	program, err := ourProgram(o.vertex)
	if err != nil {
		return nil, err
	}
	joined, err := join(s, []link.Program{program}, link.Layout{Trusted: true})
	if err != nil {
		return nil, fmt.Errorf("vertex shader %s: %w", o.vertex, err)
	}
	joinedOurs.Store(key, joined)
	return joined, nil
}

func ourProgram(vertex renderer.VertexShader) (p link.Program, err error) {
	compiled := shaders.Must("vertex/" + vertex.String())
	if p.Vertex, err = module.ReadVertex(compiled.Words(), "", nil); err != nil {
		return p, fmt.Errorf("%s: %w", compiled.Source, err)
	}
	p.Inputs = map[uint32]link.InputLayout{}
	for _, in := range p.Vertex.Inputs {
		from, ok := ourInputs[in.Name]
		if !ok {
			return p, fmt.Errorf("%s: no pass has an input %s", compiled.Source, in.Name)
		}
		for n := range in.Type.Locations() {
			p.Inputs[in.Location+uint32(n)] = link.InputLayout{Source: from}
		}
	}
	for _, b := range p.Vertex.Blocks {
		p.Blocks = append(p.Blocks, link.BlockLayout{Binding: b.Binding})
	}
	for _, out := range p.Vertex.Outputs {
		p.Shown = out.Name // the normal: the only one
	}
	return p, nil
}
