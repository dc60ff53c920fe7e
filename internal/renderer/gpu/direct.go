//go:build cgo

package gpu

import (
	"fmt"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// hardwareCounts draws a scene's index stream with the device's graphics pipeline, and returns
// how often its vertex shader ran: counts for each (draw, vertex) pair, laid out as by
// reuse.Analyze, from an atomic counter in the shader; and invocations in all, from the
// pipeline's statistics. Both come from the same pass, and if a driver's statistics are exact,
// invocations is the sum of counts.
//
// If the device has only one of the two, the other is nil or 0, and hardwareLacks says which.
// Having neither is an error.
func (b *Backend) hardwareCounts(s *geometry.Scene) (counts []uint32, invocations uint64, err error) {
	defer must.Catch(&err)
	p := must.Get(plan.NewDirect(s, b.Limits()))
	want := renderer.WantCounts
	if p.Frame.NoCounts {
		want = 0
	}
	out := must.Get(b.Exec(p, renderer.CountCamera(s.Bounds()), want))
	if h := out.Stats.Histogram; len(h) > 0 && h[0] > 0 {
		return nil, 0, fmt.Errorf("gpu: %s drew %d vertices without running their vertex shader", b.device.Info.Name, h[0])
	}
	return out.Counts, out.VertexInvocations, nil
}

// hardwareLacks returns, in one line, what hardwareCounts cannot provide on this device, and why;
// "" if it provides both.
func (d *DeviceInfo) hardwareLacks() string {
	var lacks []string
	f := &d.Features
	if !f.VertexStores {
		lacks = append(lacks, "counts a vertex (no vertexPipelineStoresAndAtomics)")
	}
	if !f.PipelineStatistics {
		lacks = append(lacks, "pipeline statistics (no pipelineStatisticsQuery)")
	}
	if lacks == nil {
		return ""
	}
	return fmt.Sprintf("%s has no %s", d.Name, strings.Join(lacks, ", and no "))
}

// prepareDirect prepares a pass that draws the scene's index stream, with one indexed draw per
// draw, between the commands that count it.
func (r *recording) prepareDirect(pass *plan.Pass, pipeline *Pipeline, set *Set) func() {
	d, c := r.backend.device, r.commands
	if d.Info.Features.PipelineStatistics && r.statistics == nil {
		r.statistics = must.Get(d.NewStatistics(pass.Name))
	}
	scene := r.plan.Frame.Scene
	draws := make([]Draw, 0, len(scene.Draws))
	for i := range scene.Draws {
		x := &scene.Draws[i]
		d.checkIndices(x)
		if x.IndexCount > 0 {
			draws = append(draws, Draw{
				Pipeline: pipeline, Set: set, Push: asBytes([]shaders.DirectPush{{Draw: uint32(i)}}),
				Indices: r.buffer(plan.Indices), FirstIndex: x.FirstIndex, Vertices: x.IndexCount, VertexOffset: int32(x.VertexOffset),
			})
		}
	}
	return func() {
		r.statistics.Count(c, func() { c.Render(r.target, emptyPicture(picture.Background), draws...) })
	}
}

// checkIndices returns an error if a draw's indices are too large for input assembly.
func (d *Device) checkIndices(x *geometry.Draw) {
	if need := int64(x.VertexCount) - 1; need > d.Info.Limits.IndexValue {
		must.OK(&SizeError{What: "draw " + x.Name + ": its largest index", Need: need, Have: d.Info.Limits.IndexValue, Limit: "maxDrawIndexedIndexValue"})
	}
}

// directPipeline makes the pipeline of a pass that draws the scene itself. With counts nothing is
// rasterized, since only the vertex shader's writes are needed. Without counts it rasterizes,
// since a driver might otherwise skip the vertex shader.
func (b *Backend) directPipeline(vertex *shaders.Shader) *Pipeline {
	return must.Get(b.device.NewGraphicsPipeline(vertex, nil, RasterOptions{Discard: vertex.Binding("Counts") != nil}))
}
