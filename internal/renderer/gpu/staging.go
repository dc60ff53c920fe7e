//go:build cgo

package gpu

import (
	"encoding/binary"
	"fmt"
	"image"
	"slices"
	"unsafe"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// A ring is host memory through which data of any size is copied to or from device-local buffers
// in pieces, so that the host copies one piece while the device copies another.
const (
	ringBytes = 16 << 20
	ringSlots = 4
	slotBytes = ringBytes / ringSlots
)

type ring struct {
	slots [ringSlots]ringSlot
	next  int // number of pieces uploaded so far; the next one uses the slot with this number modulo ringSlots
}

type ringSlot struct {
	host     *Buffer
	commands *Commands
	into     []byte // destination of the readback in flight; nil if there is none
}

// needRing makes a ring of the device if it does not exist yet.
func (d *Device) needRing(made **ring, name string, access HostAccess) error {
	if *made != nil {
		return nil
	}
	r := &ring{}
	for i := range r.slots {
		s := &r.slots[i]
		var err error
		if s.host, err = d.NewHostBuffer(fmt.Sprintf("%s %d", name, i), slotBytes, access); err == nil {
			s.commands, err = d.NewCommands(fmt.Sprintf("%s %d", name, i))
		}
		if err != nil {
			r.close()
			return err
		}
	}
	*made = r
	return nil
}

func (r *ring) close() {
	for i := range r.slots {
		r.slots[i].commands.Close()
		r.slots[i].host.Close()
	}
}

// finish waits for a slot's copy and, for a readback, takes the data.
func (s *ringSlot) finish() error {
	if err := s.commands.Wait(Timeout); err != nil {
		return err
	}
	if s.into == nil {
		return nil
	}
	err := s.host.Invalidate()
	copy(s.into, s.host.mapped)
	s.into = nil
	return err
}

// drain finishes every slot, and returns err or, if that is nil, the first error of a slot.
func (r *ring) drain(err error) error {
	for i := range r.slots {
		if e := r.slots[i].finish(); err == nil {
			err = e
		}
	}
	return err
}

func (s *ringSlot) submit(begin func(c *Commands), record func(c *Commands)) error {
	begin(s.commands)
	record(s.commands)
	if err := s.commands.End(); err != nil {
		return err
	}
	return s.commands.Submit(Semaphores{})
}

// UploadBytes copies data to a buffer at a byte offset, a multiple of 4, and waits until the copy
// is done. No submission may be using the buffer.
func (d *Device) UploadBytes(dst *Buffer, offset int64, data []byte) error {
	if err := d.beginUpload(dst, offset, data); err != nil {
		return err
	}
	return d.upload.drain(nil)
}

// beginUpload is UploadBytes, but does not wait for the last pieces. When it returns, the caller may
// reuse `data`, and later submissions see the uploaded contents.
func (d *Device) beginUpload(dst *Buffer, offset int64, data []byte) (err error) {
	defer func() {
		if err != nil && d.upload != nil {
			err = d.upload.drain(err)
		}
	}()
	defer must.Catch(&err)
	must.OK(checkRange("upload to", dst, offset, len(data)))
	must.OK(d.needRing(&d.upload, "upload", HostWrites))
	for len(data) > 0 {
		s := &d.upload.slots[d.upload.next%ringSlots]
		d.upload.next++
		must.OK(s.finish())
		n := 0
		must.OK(geometry.Faults(func() { n = copy(s.host.mapped, data) })) // data may be a mapped file
		must.OK(s.host.Flush())
		at := offset
		must.OK(s.submit((*Commands).BeginApart, func(c *Commands) { c.Copy(dst, at, s.host, 0, int64(n)) }))
		data, offset = data[n:], offset+int64(n)
	}
	return nil
}

// DownloadBytes fills `data` from a buffer, from a byte offset on.
func (d *Device) DownloadBytes(data []byte, src *Buffer, offset int64) error {
	if err := checkRange("download from", src, offset, len(data)); err != nil {
		return err
	}
	if err := d.needRing(&d.readback, "readback", HostReads); err != nil {
		return err
	}
	for i := 0; len(data) > 0; i++ {
		s := &d.readback.slots[i%ringSlots]
		if err := s.finish(); err != nil {
			return d.readback.drain(err) // no slot may still point into data
		}
		n, at := min(len(data), slotBytes), offset
		if err := s.submit((*Commands).Begin, func(c *Commands) { c.Copy(s.host, 0, src, at, int64(n)) }); err != nil {
			return d.readback.drain(err)
		}
		s.into = data[:n]
		data, offset = data[n:], offset+int64(n)
	}
	return d.readback.drain(nil)
}

func checkRange(what string, b *Buffer, offset int64, n int) error {
	if offset < 0 || int64(n) > b.Size-offset {
		return fmt.Errorf("gpu: %s %s: %d bytes at %d, it has %d", what, b.Name, n, offset, b.Size)
	}
	return nil
}

// Upload copies a slice to the start of a buffer. T must have the layout that the shaders read: a
// number, or an array or struct of numbers. Upload panics if T contains a pointer.
func Upload[T any](d *Device, dst *Buffer, data []T) error { return UploadAt(d, dst, 0, data) }

// UploadAt copies a slice to a buffer, from element `first` of the buffer on.
func UploadAt[T any](d *Device, dst *Buffer, first int, data []T) error {
	return d.UploadBytes(dst, offsetOf[T](first), asBytes(data))
}

// Download returns the first n elements of a buffer; T is as for Upload.
func Download[T any](d *Device, src *Buffer, n int) ([]T, error) {
	data := make([]T, n)
	return data, DownloadAt(d, data, src, 0)
}

// DownloadAt fills a slice from a buffer, from element `first` of the buffer on.
func DownloadAt[T any](d *Device, data []T, src *Buffer, first int) error {
	return d.DownloadBytes(asBytes(data), src, offsetOf[T](first))
}

// offsetOf returns the byte offset of an element.
func offsetOf[T any](i int) int64 {
	var one T
	return int64(i) * int64(unsafe.Sizeof(one))
}

// asBytes returns the memory of a slice whose elements consist of numbers.
func asBytes[T any](s []T) []byte {
	var one T
	size := int(unsafe.Sizeof(one))
	if binary.Size(one) != size { // -1 if T has other fields than numbers
		panic(fmt.Sprintf("gpu: %T is not made of numbers only", one))
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*size)
}

// output reads back what `want` asks for.
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
		for half := range r.plan.Halves { // chunks that are counted in advance write the states of the first half
			out.Cooperated += int(r.state(half, i).Cooperated)
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
	return &image.RGBA{Pix: slices.Clone(host.mapped[:n]), Stride: m.Width * pixelBytes, Rect: image.Rect(0, 0, m.Width, m.Height)}, nil
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
