package plan

import (
	"fmt"
	"math"
	"sync"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/renderer"
)

// Our vertex shaders, shaders/vertex/*.vert, are joined with passes as users' vertex shaders are
// (shade_module.go). The plan makes the data that they read, so the shaders are trusted (link.Layout).

// ourShade is one of our vertex shaders.
type ourShade struct {
	frame  *renderer.Frame
	vertex renderer.VertexShader

	cells, height float32 // of displacement: lattice cells per scene unit; scene units by which a noise of 1 moves a vertex
}

func (*ourShade) String() string { return "module" }

func (o *ourShade) layOut(bool) error {
	if o.vertex == renderer.Displace {
		o.cells, o.height = displacement(o.frame.Scene)
	}
	return nil
}

func (o *ourShade) key() string { return o.vertex.String() }

func (o *ourShade) outputs() uint32 {
	if o.vertex == renderer.Transform {
		return shaders.OutputsNone
	}
	return shaders.OutputsNormal
}

func (o *ourShade) buffers(p *planner) {
	vertices, rows, filled := 0, 0, ByNobody
	if o.vertex == renderer.Skin {
		vertices, rows, filled = len(o.frame.Scene.Positions), boneRows*boneCount, ByPlan
	}
	p.add(Skin, filled, "scene", "uint2 bones, weights", vertices, skinBytes)
	p.add(Bones, filled, "scene", "vec4 row", rows, 16)
}

// spec adds the constants of displacement. Frames that do not displace share pipelines, whatever
// the scene.
func (o *ourShade) spec(spec map[string]uint32) {
	if o.vertex == renderer.Displace {
		spec["DISPLACE_CELLS"], spec["DISPLACE_HEIGHT"] = math.Float32bits(o.cells), math.Float32bits(o.height)
	}
}

func (*ourShade) raw(shader string) string                       { return shader }
func (*ourShade) reads(_ *shaders.Shader, reads []Block) []Block { return reads }
func (*ourShade) bindings(s *shaders.Shader) []shaders.Binding   { return s.Bindings }

func (o *ourShade) vertexBytes(p *Plan) int64 {
	bytes := int64(vectorBytes)
	if p.hasAttributes() {
		bytes += vectorBytes
	}
	if o.vertex == renderer.Skin {
		bytes += skinBytes
	}
	return bytes
}

// vectorBytes is the size of a float3.
const vectorBytes = 12

// ourBlocks are blocks that only our vertex shaders read.
var ourBlocks = []Block{Skin, Bones}

// ourInputs maps names of our vertex shaders' inputs to the data that they read.
var ourInputs = map[string]int{"position": link.FromPositions, "normal": link.FromNormals, "skin": link.FromSkin, "clip": link.FromClip}

// ours names a pass and the vertex shader joined with it.
type ours struct {
	pass   string
	vertex renderer.VertexShader
}

// joinedOurs caches passes joined with our vertex shaders: a map from ours to *shaders.Shader. The
// joined passes do not depend on a frame.
var joinedOurs sync.Map

func (o *ourShade) join(s *shaders.Shader) (*shaders.Shader, error) {
	key := ours{s.Name, o.vertex}
	if known, ok := joinedOurs.Load(key); ok {
		return known.(*shaders.Shader), nil
	}
	program, err := ourProgram(o.vertex)
	if err != nil {
		return nil, err
	}
	layout := link.Layout{Trusted: true}
	for _, out := range program.Vertex.Outputs {
		layout.Shown = out.Name // the normal: the only output
	}
	joined, err := join(s, []link.Program{program}, layout)
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
	for _, in := range p.Vertex.Inputs {
		from, ok := ourInputs[in.Name]
		if !ok {
			return p, fmt.Errorf("%s: no pass has an input %s", compiled.Source, in.Name)
		}
		for n := range in.Type.Locations() {
			p.Inputs = append(p.Inputs, link.Input{Location: in.Location + uint32(n), Attribute: from})
		}
	}
	for _, b := range p.Vertex.Blocks {
		p.Blocks = append(p.Blocks, link.BlockLayout{Binding: b.Binding})
	}
	return p, nil
}

const (
	displaceCells  = 8  // most lattice cells of the first octave along the box's longest side
	displaceHeight = 64 // the box's longest side in units of the displacement's height
	maxLattice     = 1 << 22
)

// displacement fits the noise to a scene. It returns lattice cells per scene unit: a power of two, so
// that finding a cell is nearly exact, and few enough that the last octave's cells have 32-bit numbers.
// It also returns by how many scene units a noise of 1 moves a vertex: 0 for a scene without extent.
func displacement(s *geometry.Scene) (cells, height float32) {
	box := geometry.BoxOf(s.Positions...)
	low, high := exact.Double(box.Min), exact.Double(box.Max)
	extent, farthest := 0.0, 0.0
	for k := range low {
		extent = max(extent, high[k]-low[k])
		farthest = max(farthest, math.Abs(low[k]), math.Abs(high[k]))
	}
	if extent == 0 {
		return 1, 0
	}
	exponent := min(math.Floor(math.Log2(displaceCells/extent)), math.Floor(math.Log2(maxLattice/farthest)))
	return float32(math.Exp2(max(-100, min(100, exponent)))), float32(extent / displaceHeight)
}
