package plan

import (
	"math"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders"
)

// hasAttributes reports whether the vertex queue holds attributes: HAS_ATTRIBUTES in the shaders.
func (p *Plan) hasAttributes() bool {
	f := &p.Frame
	return f.View != renderer.NoView || p.parts().shade.outputs() != shaders.OutputsNone || p.placesOnly()
}

// AttributeCount returns the number of elements of VertexAttributes.
func (p *Plan) AttributeCount() int {
	if p.hasAttributes() {
		return p.VertexCapacity
	}
	return 0
}

// vertexSpec adds the specialization of the vertex shader. Frames that do not displace share
// pipelines, whatever the scene.
func (p *planner) vertexSpec(spec map[string]uint32) map[string]uint32 {
	spec["OUTPUTS"] = p.plugs.shade.outputs()
	p.unshadedSpec(spec)
	if p.Frame.VertexShader == renderer.Displace {
		if p.cells == 0 {
			p.cells, p.height = displacement(p.Frame.Scene)
		}
		spec["DISPLACE_CELLS"], spec["DISPLACE_HEIGHT"] = math.Float32bits(p.cells), math.Float32bits(p.height)
	}
	return spec
}

const (
	displaceCells  = 8  // most lattice cells of the first octave along the box's longest side
	displaceHeight = 64 // the same in units of the displacement's height
	maxLattice     = 1 << 22
)

// displacement fits the noise to a scene. It returns lattice cells per scene unit, a power of
// two, so that finding a cell is nearly exact, and few enough that the last octave's cells have
// 32-bit numbers; and the height in scene units that noise of 1 gives. A scene without extent is
// not displaced.
func displacement(s *geometry.Scene) (cells, height float32) {
	low, high := poolBox(s)
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

// poolBox returns the box of the vertex pool in model space.
func poolBox(s *geometry.Scene) (low, high [3]float64) {
	for k := range low {
		low[k], high[k] = math.Inf(1), math.Inf(-1)
	}
	for _, p := range s.Positions {
		for k := range p {
			low[k], high[k] = min(low[k], float64(p[k])), max(high[k], float64(p[k]))
		}
	}
	return low, high
}

// vertexReads returns the least number of bytes that shading the vertices reads.
func (p *Plan) vertexReads(vertices int64) int64 {
	const vectorBytes = 12 // a float3
	switch {
	case p.Custom != nil:
		return vertices * p.Custom.inputBytes()
	case p.hasAttributes():
		return vertices * 2 * vectorBytes
	}
	return vertices * vectorBytes
}

// unshadedSpec adds whether a frame with custom vertex shaders has draws without one.
func (p *planner) unshadedSpec(spec map[string]uint32) {
	if p.Custom != nil {
		spec["UNSHADED"] = flag(p.someUnshaded())
	}
}
