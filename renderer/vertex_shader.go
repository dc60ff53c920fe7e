package renderer

// VertexShader is the shader that a strategy runs once per unique vertex. Values are
// the shaders' VERTEX_*.
type VertexShader uint32

// The vertex shaders. Skin and Displace do real work, and write a normal with every
// vertex, even with NoView.
const (
	Transform VertexShader = iota // to clip space, no more
	Skin                          // four bones per vertex, read from a separate stream
	Displace                      // procedural noise moves it along its normal
)

// VertexShaderNames are the names of the vertex shaders, in value order.
var VertexShaderNames = []string{"transform", "skin", "displace"}

func (v VertexShader) String() string { return nameOf(VertexShaderNames, uint32(v)) }

// vertexCycles is the load that costs as much as each vertex shader, between what it is
// for the strategies on an H200: 990 (claim) and 2,400 (naive-index) for skin, 2,600 and
// 5,800 for displace.
var vertexCycles = []int{0, 1500, 4000}

// VertexCycles is what shading a vertex costs beside transforming it, in cycles.
func (f *Frame) VertexCycles() int { return f.Load + vertexCycles[f.VertexShader] }

// hasAttributes says whether the vertex queue holds attributes: HAS_ATTRIBUTES
// of the shaders.
func (f *Frame) HasAttributes() bool {
	return f.View != NoView || f.VertexShader != Transform || f.Cull
}

// vertexText names what is done to a vertex beside transforming it.
func (f *Frame) VertexText() string {
	switch {
	case f.Shading != nil:
		return ", " + f.Shading.Name
	case f.VertexShader == Transform:
		return ""
	}
	return ", " + f.VertexShader.String()
}
