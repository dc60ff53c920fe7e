//go:build cgo

package gpu

import (
	"image"

	vk "github.com/vulkan-go/vulkan"
)

// Clear is the contents with which a target is filled before drawing.
type Clear struct {
	Color [4]float32
	Depth float32
}

// Draw is one draw of a Render. Vertex shaders fetch from their set, unless the pipeline was made
// for vertex buffers: these are Streams. If Indirect is set, it holds a VkDrawIndirectCommand at
// Offset, and Vertices and Instances are not used. If Indices is set, the draw is indexed by the
// first Vertices of its 32-bit indices, each plus VertexOffset. If both are set, Indirect holds
// Draws VkDrawIndexedIndirectCommands, Stride apart. If Groups is set, so many workgroups of a mesh
// shader draw.
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

// Render draws to a target: over its contents, or over a colour if clear is not nil. The viewport
// is the whole target.
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

// bindAfter binds what a draw needs and the previous draw did not bind.
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
