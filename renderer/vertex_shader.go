package renderer

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
func (f *Frame) HasAttributes() bool {
	return f.View != NoView || f.VertexShader != Transform || f.Cull
}

// vertexText names what is done to a vertex beside transforming it.
func (f *Frame) VertexText() string {
	if f.VertexShader == Transform {
		return ""
	}
	return ", " + f.VertexShader.String()
}
