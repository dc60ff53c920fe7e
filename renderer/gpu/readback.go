package gpu

import (
	"image"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
	"github.com/shadeonce/shadeonce/shaders"
)

// output reads back what want asks for.
func (r *recording) output(want renderer.Want) (*renderer.Output, error) {
	out := &renderer.Output{DeviceBytes: r.backend.device.peak}
	var err error
	if out.PipelineStatistics, err = r.statistics.Read(); err != nil {
		return nil, err
	}
	timings, err := r.timings()
	if err != nil {
		return nil, err
	}
	if out.Elapsed, err = r.elapsed(); err != nil {
		return nil, err
	}
	for _, t := range timings {
		out.AddTime(t.Pass, t.Duration)
	}
	if want&renderer.WantCounts != 0 {
		if err := r.readCounts(out); err != nil {
			return nil, err
		}
	}
	if want&renderer.WantQueues != 0 {
		if err := r.readQueues(out); err != nil {
			return nil, err
		}
	}
	return out, r.readPicture(out, want)
}

// elapsed returns the time from the beginning of the first part to the end of the last.
func (r *recording) elapsed() (time.Duration, error) {
	return elapsed(r.parts[0].commands, r.parts[len(r.parts)-1].commands)
}

func (r *recording) readCounts(out *renderer.Output) error {
	scene := r.plan.Frame.Scene
	counts, err := r.windows.takeCounts(r.plan.Frame.Shown), error(nil)
	if counts == nil {
		counts, err = Download[uint32](r.backend.device, r.buffer(plan.Counts), scene.DrawVertices())
	}
	if err != nil {
		return err
	}
	out.Counts = counts
	r.backend.device.Aside(func() { out.Stats = renderer.CountStats(scene, counts) })
	if r.plan.Fills(plan.CullCounts) {
		culled, err := Download[uint32](r.backend.device, r.buffer(plan.CullCounts), shaders.CullCounts)
		if err != nil {
			return err
		}
		out.Culling = renderer.NewCulling(culled)
		out.Stats = out.Stats.Culled(out.Culling.Survived)
	}
	for i := range r.plan.Chunks {
		for half := range r.plan.Halves { // chunks that are counted in advance write the first half's
			out.Cooperated += int(r.stateIn(half, i).Cooperated)
		}
	}
	return nil
}

func (r *recording) readQueues(out *renderer.Output) error {
	d, p := r.backend.device, r.plan
	q := &renderer.Queues{}
	half := p.Half(len(p.Chunks) - 1) // of the last chunk
	var err error
	if q.Positions, err = Download[[4]float32](d, r.copyOf(plan.VertexPositions, half), p.VertexCapacity); err != nil {
		return err
	}
	if q.Attributes, err = Download[[2]uint32](d, r.copyOf(plan.VertexAttributes, half), p.AttributeCount()); err != nil {
		return err
	}
	switch {
	case p.Frame.Queue != renderer.Indexed:
	case p.Cornered():
		q.Corners, err = Download[uint32](d, r.copyOf(plan.Corners, half), 3*p.TriangleCapacity)
	default:
		q.Triangles, err = Download[[2]uint32](d, r.copyOf(plan.Triangles, half), p.TriangleCapacity)
	}
	if err != nil {
		return err
	}
	out.Queues = q
	return nil
}

// ReadImage copies an image's pixels to the host, 4 bytes per pixel.
func (d *Device) ReadImage(m *Image) (*image.RGBA, error) {
	n := m.Width * m.Height * pixelBytes
	host, err := d.NewHostBuffer("readback of "+m.Name, int64(n), HostReads)
	if err != nil {
		return nil, err
	}
	defer host.Close()
	if err := d.runOnce(host.Name, func(c *Commands) { c.CopyImage(host, 0, m) }); err != nil {
		return nil, err
	}
	if err := host.Invalidate(); err != nil {
		return nil, err
	}
	return &image.RGBA{Pix: slices.Clone(host.Bytes()[:n]), Stride: m.Width * pixelBytes, Rect: image.Rect(0, 0, m.Width, m.Height)}, nil
}

// readVisible returns which triangle each pixel shows.
func (r *recording) readVisible() ([]uint32, error) {
	d, p := r.backend.device, r.plan
	pixels := p.Frame.Width * p.Frame.Height
	if p.Narrow {
		words, err := Download[uint32](d, r.buffer(plan.VisibleTriangles), pixels)
		return p.VisibleTrianglesNarrow(words), err
	}
	words, err := Download[uint64](d, r.buffer(plan.Visible), pixels)
	return p.VisibleTriangles(words), err
}
