//go:build cgo

package gpu

import (
	"fmt"
	"image"
	"strings"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// hardwareCounts draws a scene's index stream with the device's graphics pipeline, and returns how
// often its vertex shader ran. counts has the number for each (draw, vertex) pair, laid out as by
// reuse.Analyze, from an atomic counter in the shader. invocations is the total from the pipeline's
// statistics. Both come from the same pass; if the driver's statistics are exact, invocations is the
// sum of counts.
//
// If the device can count in only one of these ways, the other result is nil or 0, and hardwareLacks
// says which. It is an error if the device has neither way.
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

// prepareDirect prepares a pass that draws the scene's index stream with one indexed draw command
// per non-empty draw. If the device has pipeline statistics, the pass collects them.
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

// checkIndices fails (must.OK) if a draw's indices are too large for input assembly.
func (d *Device) checkIndices(x *geometry.Draw) {
	if need := int64(x.VertexCount) - 1; need > d.Info.Limits.IndexValue {
		must.OK(&SizeError{What: "draw " + x.Name + ": its largest index", Need: need, Have: d.Info.Limits.IndexValue, Limit: "maxDrawIndexedIndexValue"})
	}
}

// A raw frame (renderer.Frame.Raw) is drawn from the draw table, whose elements contain indirect
// commands. So nothing is recorded per draw, and nothing is recorded again when the camera moves.

// prepareRaw prepares a pass that draws the scene's pools, with one indirect call for each run of
// non-empty draws. A device without multi-draw, or a shader that fetches indices itself, gets one
// draw call per non-empty draw instead.
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

// rawDraws returns the draws of a draw table, without the state that they share. It leaves out entries
// that draw nothing, among them draws that an earlier entry draws as its instances: a device takes
// time for such entries, too.
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

// Clear holds the colour and the depth to which a target is cleared before drawing.
type Clear struct {
	Color [4]float32
	Depth float32
}

// Draw is one draw of a Render. Vertex shaders fetch from their set, unless the pipeline was made for vertex
// buffers, which are then Streams. If Indirect is set, it holds a VkDrawIndirectCommand at Offset, and
// Vertices and Instances are not used. If Indices is set, the draw takes as many of its 32-bit indices as
// Vertices says, from FirstIndex on, and adds VertexOffset to each. If both are set, Indirect holds as many
// VkDrawIndexedIndirectCommands as Draws says, Stride bytes apart. If Groups is set, that many workgroups of a
// mesh shader draw.
type Draw struct {
	Pipeline  *Pipeline
	Set       *Set
	Push      []byte
	Indirect  *Buffer
	Offset    int64 // in bytes
	Vertices  uint32
	Instances uint32

	FirstVertex uint32 // for draws that are neither indexed nor indirect

	Indices       *Buffer
	FirstIndex    uint32
	VertexOffset  int32
	FirstInstance uint32

	Draws, Stride int

	Groups [2]uint32

	Streams []*Buffer // the same in all draws of a Render

	Clip image.Rectangle // the part of the target to draw to; empty means all of it
}

// Render draws to a target. If clear is nil it draws over the target's contents, else it first clears
// the target to that colour and depth. The viewport is the whole target.
func (c *Commands) Render(t *Target, clear *Clear, draws ...Draw) {
	discard := clear != nil
	c.useImage(t.Color, vk.ImageLayoutColorAttachmentOptimal, colorTarget, discard)
	c.useImage(t.Depth, vk.ImageLayoutDepthStencilAttachmentOptimal, depthTarget, discard)
	for i := range draws {
		draws[i].Set.use(c)
		if b := draws[i].Indirect; b != nil {
			c.useBuffer(b, drawIndirect)
		}
		if b := draws[i].Indices; b != nil {
			c.useBuffer(b, fetchIndices)
		}
		for _, b := range draws[i].Streams {
			c.useBuffer(b, fetchStreams)
		}
	}
	c.settle()
	if !c.records() {
		return
	}
	d := c.device
	pass, value := d.passes[0], Clear{}
	if discard {
		pass, value = d.passes[1], *clear
	}
	d.ext.beginPass(c.buf, pass, t.framebuffer, t.Color.Width, t.Color.Height, value.Color, value.Depth)
	var last Draw
	if len(draws) > 0 {
		c.bindStreams(draws[0].Streams)
	}
	for i := range draws {
		x := &draws[i]
		if !c.bindAfter(&last, x) {
			break
		}
		c.clip(t, &last, x)
		switch {
		case x.Groups[0] > 0:
			d.ext.drawMesh(c.buf, x.Groups)
		case x.Indirect != nil && x.Indices != nil:
			for first := 0; first < x.Draws; first += d.Info.Limits.IndirectDraws {
				n := min(x.Draws-first, d.Info.Limits.IndirectDraws)
				vk.CmdDrawIndexedIndirect(c.buf, x.Indirect.handle, vk.DeviceSize(x.Offset)+vk.DeviceSize(first*x.Stride), uint32(n), uint32(x.Stride))
			}
		case x.Indirect != nil:
			vk.CmdDrawIndirect(c.buf, x.Indirect.handle, vk.DeviceSize(x.Offset), 1, 16)
		case x.Indices != nil:
			vk.CmdDrawIndexed(c.buf, x.Vertices, max(1, x.Instances), x.FirstIndex, x.VertexOffset, x.FirstInstance)
		default:
			vk.CmdDraw(c.buf, x.Vertices, max(1, x.Instances), x.FirstVertex, x.FirstInstance)
		}
		last = *x
	}
	vk.CmdEndRenderPass(c.buf)
}

func (c *Commands) bindStreams(streams []*Buffer) {
	if len(streams) == 0 {
		return
	}
	handles := make([]vk.Buffer, len(streams))
	for i, b := range streams {
		handles[i] = b.handle
	}
	vk.CmdBindVertexBuffers(c.buf, 0, uint32(len(handles)), handles, make([]vk.DeviceSize, len(handles)))
}

// bindAfter binds the resources of draw x that `last`, the previous draw, did not bind. It returns false after an
// error.
func (c *Commands) bindAfter(last, x *Draw) bool {
	if x.Indices != nil && x.Indices != last.Indices {
		vk.CmdBindIndexBuffer(c.buf, x.Indices.handle, 0, vk.IndexTypeUint32)
	}
	if x.Pipeline == last.Pipeline && x.Set == last.Set && len(x.Push) == len(last.Push) {
		c.push(x.Pipeline, x.Push)
		return true
	}
	return c.bind(x.Pipeline, x.Set, x.Push)
}

// clip sets the scissor of a draw if it differs from the previous draw's.
func (c *Commands) clip(t *Target, last, x *Draw) {
	if x.Clip == last.Clip {
		return
	}
	whole := image.Rect(0, 0, t.Color.Width, t.Color.Height)
	part := x.Clip.Intersect(whole)
	if x.Clip.Empty() {
		part = whole
	}
	c.device.ext.scissor(c.buf, part)
}
