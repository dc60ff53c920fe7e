package renderer

import (
	"math"

	"github.com/shadeonce/shadeonce/geometry"
)

// VertexShader is what a strategy runs once a unique vertex. Values are the
// shaders' VERTEX_*.
type VertexShader uint32

// The vertex shaders. The last two are real work beside Frame.Load's chain: they
// write a normal with every vertex, also where there is no view.
const (
	Transform VertexShader = iota // to clip space, no more
	Skin                          // four bones a vertex, read from a stream of their own
	Displace                      // procedural noise moves it along its normal
)

// VertexShaderNames are the names of the vertex shaders, in value order.
var VertexShaderNames = []string{"transform", "skin", "displace"}

func (v VertexShader) String() string { return nameOf(VertexShaderNames, uint32(v)) }

// hasAttributes says whether the vertex queue holds attributes: HAS_ATTRIBUTES
// of the shaders.
func (f *Frame) hasAttributes() bool {
	return f.View != NoView || f.VertexShader != Transform || f.Cull
}

// vertexText names what is done to a vertex beside transforming it.
func (f *Frame) vertexText() string {
	if f.VertexShader == Transform {
		return ""
	}
	return ", " + f.VertexShader.String()
}

// AttributeCount is the elements of VertexAttributes.
func (p *Plan) AttributeCount() int {
	if p.Frame.hasAttributes() {
		return p.VertexCapacity
	}
	return 0
}

// vertexSpec adds the specialization of the vertex shader. Frames that do not
// displace share pipelines, whatever the scene.
func (p *Plan) vertexSpec(spec map[string]uint32) map[string]uint32 {
	spec["VERTEX_SHADER"] = uint32(p.Frame.VertexShader)
	if p.Frame.VertexShader == Displace {
		if p.cells == 0 {
			p.cells, p.height = displacement(p.Frame.Scene)
		}
		spec["DISPLACE_CELLS"], spec["DISPLACE_HEIGHT"] = math.Float32bits(p.cells), math.Float32bits(p.height)
	}
	return spec
}

const (
	displaceCells  = 8  // the box's longest side in lattice cells of the first octave, at most
	displaceHeight = 64 // the same in units of the displacement's height
	maxLattice     = 1 << 22
)

// displacement fits the noise to a scene: lattice cells a scene unit, a power of
// two, so that finding a cell rounds little, and few enough that the last
// octave's cells have 32-bit numbers; and the height that noise of 1 gives, in
// scene units. A scene without extent is not displaced.
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

// poolBox is the box of the vertex pool in model space.
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
