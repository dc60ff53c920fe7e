//go:build cgo

package gpu

import (
	"image"
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// output reads back what want asks for.
func (r *recording) output(want renderer.Want) *renderer.Output {
	out := &renderer.Output{DeviceBytes: r.backend.device.peak}
	out.PipelineStatistics = must.Get(r.statistics.Read())
	for _, t := range r.timings() {
		out.AddTime(t.Pass, t.Duration)
	}
	ran := r.executed()
	out.Elapsed = must.Get(elapsed(ran[0].commands, ran[len(ran)-1].commands))
	if want&renderer.WantCounts != 0 {
		r.readCounts(out)
	}
	if want&renderer.WantQueues != 0 {
		r.readQueues(out)
	}
	r.readPicture(out, want)
	return out
}

func (r *recording) readCounts(out *renderer.Output) {
	scene := r.plan.Frame.Scene
	counts := r.windows.takeCounts(r.plan.Frame.Shown)
	if counts == nil {
		counts = must.Get(Download[uint32](r.backend.device, r.buffer(plan.Counts), scene.DrawVertices()))
	}
	out.Counts = counts
	var err error
	r.backend.device.Aside(func() { out.Stats, err = renderer.CountStats(scene, counts) })
	must.OK(err)
	if r.plan.Fills(plan.CullCounts) {
		culled := must.Get(Download[uint32](r.backend.device, r.buffer(plan.CullCounts), shaders.CullCounts))
		out.Culling = renderer.NewCulling(culled)
		out.Stats = out.Stats.Culled(out.Culling.Survived)
	}
	for i := range r.plan.Chunks {
		for half := range r.plan.Halves { // chunks that are counted in advance write the first half's
			out.Cooperated += int(r.stateIn(half, i).Cooperated)
		}
	}
}

func (r *recording) readQueues(out *renderer.Output) {
	d, p := r.backend.device, r.plan
	q := &renderer.Queues{}
	half := p.Half(len(p.Chunks) - 1) // of the last chunk
	q.Positions = must.Get(Download[[4]float32](d, r.copyOf(plan.VertexPositions, half), p.VertexCapacity))
	q.Attributes = must.Get(Download[[2]uint32](d, r.copyOf(plan.VertexAttributes, half), p.AttributeCount()))
	switch {
	case p.Frame.Queue != renderer.Indexed:
	case p.Cornered():
		q.Corners = must.Get(Download[uint32](d, r.copyOf(plan.Corners, half), 3*p.TriangleCapacity))
	default:
		q.Triangles = must.Get(Download[[2]uint32](d, r.copyOf(plan.Triangles, half), p.TriangleCapacity))
	}
	out.Queues = q
}

// ReadImage copies an image's pixels to the host, 4 bytes per pixel.
func (d *Device) ReadImage(m *Image) (_ *image.RGBA, err error) {
	defer must.Catch(&err)
	n := m.Width * m.Height * pixelBytes
	host := must.Get(d.NewHostBuffer("readback of "+m.Name, int64(n), HostReads))
	defer host.Close()
	must.OK(d.runOnce(host.Name, func(c *Commands) { c.CopyImage(host, 0, m) }))
	must.OK(host.Invalidate())
	return &image.RGBA{Pix: slices.Clone(host.Bytes()[:n]), Stride: m.Width * pixelBytes, Rect: image.Rect(0, 0, m.Width, m.Height)}, nil
}

// readVisible returns which triangle each pixel shows.
func (r *recording) readVisible() []uint32 {
	d, p := r.backend.device, r.plan
	pixels := p.Frame.Width * p.Frame.Height
	if p.Narrow {
		return p.VisibleTrianglesNarrow(must.Get(Download[uint32](d, r.buffer(plan.VisibleTriangles), pixels)))
	}
	return p.VisibleTriangles(must.Get(Download[uint64](d, r.buffer(plan.Visible), pixels)))
}

// readDepths returns the depths of the visibility buffer.
func (r *recording) readDepths() []float32 {
	d, p := r.backend.device, r.plan
	pixels := p.Frame.Width * p.Frame.Height
	if p.Narrow {
		words := must.Get(Download[uint32](d, r.buffer(plan.VisibleDepths), pixels))
		return plan.DepthsOf(pixels, func(i int) uint32 { return words[i] })
	}
	words := must.Get(Download[uint64](d, r.buffer(plan.Visible), pixels))
	return plan.DepthsOf(pixels, func(i int) uint32 { return uint32(words[i] >> 32) })
}
