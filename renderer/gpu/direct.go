package gpu

import (
	"fmt"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/picture"
	"github.com/shadeonce/shadeonce/renderer/plan"
	"github.com/shadeonce/shadeonce/shaders"
)

// hardwareCounts draws a scene's index stream with the device's graphics
// pipeline, and returns how often its vertex shader ran: for each (draw, vertex)
// pair, as reuse.Analyze lays counts out, by an atomic counter of the shader; and
// in all, by the pipeline's own statistics. The two come from one and the same
// pass, and where a driver's statistics are exact invocations is the counts' sum.
//
// Where the device has only one of the two, the other is nil or 0, and
// hardwareLacks says so. Having neither is an error.
func (b *Backend) hardwareCounts(s *geometry.Scene) (counts []uint32, invocations uint64, err error) {
	p, err := plan.NewDirect(s, b.Limits())
	if err != nil {
		return nil, 0, err
	}
	want := renderer.WantCounts
	if p.Frame.NoCounts {
		want = 0
	}
	out, err := b.Exec(p, renderer.CountCamera(s.Bounds()), want)
	if err != nil {
		return nil, 0, err
	}
	if h := out.Stats.Histogram; len(h) > 0 && h[0] > 0 {
		return nil, 0, fmt.Errorf("gpu: %s drew %d vertices without running their vertex shader", b.device.Info.Name, h[0])
	}
	return out.Counts, out.VertexInvocations, nil
}

// hardwareLacks says in one line what hardwareCounts cannot give on this device,
// and why; empty where it gives both.
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

// prepareDirect prepares a pass that draws the scene's index stream itself, one
// indexed draw a draw, with what counts it around it.
func (r *recording) prepareDirect(pass *plan.Pass, pipeline *Pipeline, set *Set) (func(), error) {
	d, c := r.backend.device, r.commands
	if d.Info.Features.PipelineStatistics && r.statistics == nil {
		var err error
		if r.statistics, err = d.NewStatistics(pass.Name); err != nil {
			return nil, err
		}
	}
	scene := r.plan.Frame.Scene
	draws := make([]Draw, 0, len(scene.Draws))
	for i := range scene.Draws {
		x := &scene.Draws[i]
		if err := d.checkIndices(x); err != nil {
			return nil, err
		}
		if x.IndexCount > 0 {
			draws = append(draws, Draw{
				Pipeline: pipeline, Set: set, Push: asBytes([]shaders.DirectPush{{Draw: uint32(i)}}),
				Indices: r.buffer(plan.Indices), FirstIndex: x.FirstIndex, Vertices: x.IndexCount, VertexOffset: int32(x.VertexOffset),
			})
		}
	}
	return func() {
		r.statistics.Count(c, func() { c.Render(r.target, emptyPicture(picture.Background), draws...) })
	}, nil
}

// checkIndices refuses a draw whose indices are too large for input assembly.
func (d *Device) checkIndices(x *geometry.Draw) error {
	if need := int64(x.VertexCount) - 1; need > d.Info.Limits.IndexValue {
		return &SizeError{What: "draw " + x.Name + ": its largest index", Need: need, Have: d.Info.Limits.IndexValue, Limit: "maxDrawIndexedIndexValue"}
	}
	return nil
}

// directPipeline makes the pipeline of a pass that draws the scene itself. With
// counts nothing is rasterized: the vertex shader's writes are what is wanted.
// Without them a driver might then leave the shader out, and it draws.
func (b *Backend) directPipeline(vertex *shaders.Shader) (*Pipeline, error) {
	return b.device.NewGraphicsPipeline(vertex, nil, RasterOptions{Discard: vertex.Binding("Counts") != nil})
}
