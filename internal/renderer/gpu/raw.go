//go:build cgo

package gpu

import (
	"unsafe"

	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shaders"
)

// A raw frame (renderer.Frame.Raw) is drawn from the draw table, whose elements contain indirect
// commands. So nothing is recorded per draw, and nothing is recorded again when the camera moves.

// prepareRaw prepares a pass that draws the scene's pools, with one indirect call for each run of
// non-empty draws. A device without multi-draw gets one draw call per element instead.
func (r *recording) prepareRaw(pass *plan.Pass, pipeline *Pipeline, set *Set) func() {
	d := r.backend.device
	for i := range r.plan.Frame.Scene.Draws {
		d.checkIndices(&r.plan.Frame.Scene.Draws[i])
	}
	f := &r.plan.Frame
	pulled := f.Pulled() // the shader fetches indices and vertices itself
	var streams []*Buffer
	if s, err := shaders.Find(pass.Pipeline().Shaders[0]); err == nil && vertexStreams(s) > 0 {
		streams = []*Buffer{r.buffer(plan.Positions), r.buffer(plan.Normals)}
	}
	multi := d.Info.Features.MultiDraw && !pulled
	draws := rawDraws(plan.DrawData(f, f.Scene, f.Marks), multi)
	for i := range draws {
		x := &draws[i]
		x.Pipeline, x.Set = pipeline, set
		switch {
		case pulled:
			x.FirstVertex = x.FirstIndex
			continue
		case multi:
			x.Indirect = r.buffer(plan.Draws)
		}
		x.Streams, x.Indices = streams, r.buffer(plan.Indices)
	}
	return func() { r.commands.Render(r.target, emptyPicture(f.Look.BackgroundColor()), draws...) }
}

// vertexStreams returns the number of vertex buffers of a shader that draws the pools; 0 for
// shaders that fetch vertices themselves.
func vertexStreams(s *shaders.Shader) int {
	if s.Binding(string(plan.Positions)) != nil {
		return 0
	}
	return 2
}

// rawDraws returns the draws of a draw table, without the state that they share. Empty draws,
// including instances of earlier ones, are left out, since a device takes time for them too.
func rawDraws(table []shaders.Draw, multi bool) []Draw {
	var draws []Draw
	next := -1 // the element that would extend the last run
	for i := range table {
		t := &table[i]
		switch {
		case t.IndexCount == 0 || t.InstanceCount == 0:
			continue
		case !multi:
			draws = append(draws, Draw{
				Vertices: t.IndexCount, Instances: t.InstanceCount, FirstIndex: t.FirstIndex,
				VertexOffset: int32(t.VertexOffset), FirstInstance: t.FirstInstance,
			})
			continue
		case i == next:
			draws[len(draws)-1].Draws++
		default:
			offset := int64(i)*shaders.DrawSize + int64(unsafe.Offsetof(t.IndexCount))
			draws = append(draws, Draw{Offset: offset, Draws: 1, Stride: shaders.DrawSize})
		}
		next = i + 1
	}
	return draws
}
