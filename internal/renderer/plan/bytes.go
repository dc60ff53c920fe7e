package plan

import (
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/shaders"
)

// GeometryBytes returns how much the geometry passes of a frame must move at least, computed from
// the plan, if the scene is shaded as often as stats.Invocations says. It counts the batch table
// and the index stream (or the lists that replace it), read once, the position of each shaded
// vertex (and its normal, if shaded), and the queues, written once.
//
// For a mesh that is subdivided while it is drawn, its pools and tables are read once.
//
// It is a lower bound. Memory moves whole cache lines, strategies may read indices and vertices
// more than once, and shading counts, the draws and the camera are left out.
func (p *Plan) GeometryBytes(stats reuse.Stats) int64 {
	f := &p.Frame
	if f.Reuse.Strategy == nil {
		return 0 // a direct plan has no geometry pass
	}
	shaded := int64(stats.Invocations)
	read, indices := p.parts().source.reads(p, shaded*p.shade().vertexBytes(p))
	if lists := &p.Meshlets; lists.Table != nil {
		indices = int64(len(lists.Table))*shaders.MeshletSize + int64(len(lists.Words))*indexBytes
	}
	read += indices + int64(p.BatchCount)*shaders.BatchSize
	return read + p.parts().sink.written(p, shaded, int64(f.Scene.Triangles()))
}

const indexBytes = 4 // a uint
