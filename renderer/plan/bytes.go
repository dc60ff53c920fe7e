package plan

import (
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders"
)

// GeometryBytes is what the geometry passes of a frame must move at least, from
// the plan alone, where the scene is shaded as often as stats.Invocations says:
// the batch table and the index stream, or the lists in its place, read once, the position of each vertex
// shaded (its normal too where it is shaded), and the queues written.
//
// Of a mesh that is subdivided while it is drawn, its pools and tables are read once.
//
// It is a lower bound. Memory moves whole cache lines, strategies may read
// indices and vertices more than once, and shading counts, the draws and the
// camera are left out.
func (p *Plan) GeometryBytes(stats reuse.Stats) int64 {
	f := &p.Frame
	if f.Reuse.Strategy == nil {
		return 0 // a direct plan has no geometry pass
	}
	const vectorBytes = 12 // a float3
	triangles := int64(f.Scene.Triangles())
	shaded := int64(stats.Invocations)

	read := shaded * vectorBytes
	switch {
	case p.Custom != nil:
		read = shaded * p.Custom.inputBytes()
	case p.hasAttributes():
		read += shaded * vectorBytes
	}
	if Surface(f.Scene) != nil {
		read = p.sceneBytes()
	}
	read += int64(p.BatchCount)*shaders.BatchSize + p.streamBytes()
	if f.VertexShader == renderer.Skin {
		read += shaded * skinBytes
	}
	vertices, written := shaded*int64(p.vertexBytes()), triangles*p.triangleBytes()
	switch whole := f.Reuse.Strategy.WholeDraws; {
	case whole && f.Queue == renderer.Expanded: // written, read again for each corner, and written there
		written = vertices + 6*triangles*int64(p.vertexBytes())
	case f.Queue == renderer.Expanded:
		written = 3 * triangles * int64(p.vertexBytes())
	default:
		written += vertices
	}
	return read + written
}

// streamBytes is what says which vertices the batches have: the index stream, or lists.
func (p *Plan) streamBytes() int64 {
	const indexBytes = 4 // a uint
	switch {
	case p.Frame.Reuse.Strategy.Listed:
		return int64(len(p.Meshlets.Table))*shaders.MeshletSize + int64(len(p.Meshlets.Words))*indexBytes
	case Surface(p.Frame.Scene) != nil:
		return 0 // computed
	}
	return 3 * int64(p.Frame.Scene.Triangles()) * indexBytes
}
