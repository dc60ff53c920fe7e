//go:build cgo

package gpu

import (
	"slices"

	vk "github.com/vulkan-go/vulkan"
)

// A recording knows how each buffer and image was last used, and inserts a barrier before a use
// that must wait for it: a read after a write, a write after a read or write, a change of layout.
// Passes that only read the same buffers get no barrier, so that the device may overlap them.

// use is one way in which a command uses a resource.
type use struct {
	stages vk.PipelineStageFlagBits
	access vk.AccessFlagBits
	writes bool
	atomic bool // writes whose order does not matter: other atomic uses need not wait
}

const (
	transferStage = vk.PipelineStageTransferBit
	computeStage  = vk.PipelineStageComputeShaderBit
	vertexStage   = vk.PipelineStageVertexShaderBit
	fragmentStage = vk.PipelineStageFragmentShaderBit
	meshStage     = vk.PipelineStageFlagBits(0x100000) // VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT, which vulkan-go lacks
	depthStages   = vk.PipelineStageEarlyFragmentTestsBit | vk.PipelineStageLateFragmentTestsBit
)

var (
	copyFrom     = use{stages: transferStage, access: vk.AccessTransferReadBit}
	copyTo       = use{stages: transferStage, access: vk.AccessTransferWriteBit, writes: true}
	drawIndirect = use{stages: vk.PipelineStageDrawIndirectBit, access: vk.AccessIndirectCommandReadBit}
	fetchIndices = use{stages: vk.PipelineStageVertexInputBit, access: vk.AccessIndexReadBit}
	fetchStreams = use{stages: vk.PipelineStageVertexInputBit, access: vk.AccessVertexAttributeReadBit}
	colorTarget  = use{stages: vk.PipelineStageColorAttachmentOutputBit, access: vk.AccessColorAttachmentReadBit | vk.AccessColorAttachmentWriteBit, writes: true}
	depthTarget  = use{stages: depthStages, access: vk.AccessDepthStencilAttachmentReadBit | vk.AccessDepthStencilAttachmentWriteBit, writes: true}
)

// shaderUse returns the use of a descriptor by a pipeline's shaders.
func shaderUse(stages vk.PipelineStageFlagBits, a vk.AccessFlagBits) use {
	return use{stages: stages, access: a, writes: a&vk.AccessShaderWriteBit != 0}
}

// history is what has happened to a resource since its last write.
type history struct {
	write use // the last write; zero if none is pending
	reads use // the reads since then, for which a later write must wait
	seen  use // stages and accesses to which the write is already visible
}

// next returns the barrier that use u needs after history h, and the history after u. A zero src
// stage means that no barrier is needed.
func (h history) next(u use) (b barrierStages, after history) {
	if u.atomic && h.write.atomic && h.reads.stages == 0 && u.stages&^h.write.stages == 0 && u.access&^h.write.access == 0 {
		return b, h
	}
	if u.writes {
		b = barrierStages{src: h.write.stages | h.reads.stages, dst: u.stages, srcAccess: h.write.access, dstAccess: u.access}
		return b, history{write: u}
	}
	after = h
	after.reads.stages |= u.stages
	after.reads.access |= u.access
	if h.write.stages != 0 && (u.stages&^h.seen.stages != 0 || u.access&^h.seen.access != 0) {
		// Include the stages and accesses that saw the write before, so that `seen` covers every pair of its
		// stages and accesses.
		after.seen.stages |= u.stages
		after.seen.access |= u.access
		b = barrierStages{h.write.stages, after.seen.stages, h.write.access, after.seen.access}
	}
	return b, after
}

type imageState struct {
	history
	layout vk.ImageLayout
}

type bufferUse struct {
	buffer *Buffer
	use    use
}

type imageUse struct {
	image   *Image
	layout  vk.ImageLayout
	use     use
	discard bool // the previous contents are not needed
}

// useBuffer records a use of a buffer by the next command. Several uses by one command count as
// one.
func (c *Commands) useBuffer(b *Buffer, u use) {
	i := slices.IndexFunc(c.bufferUses, func(x bufferUse) bool { return x.buffer == b })
	if i < 0 {
		c.bufferUses = append(c.bufferUses, bufferUse{b, u})
		return
	}
	x := &c.bufferUses[i].use
	*x = use{x.stages | u.stages, x.access | u.access, x.writes || u.writes, x.atomic && u.atomic}
}

// useImage records a use of an image by the next command, which may use an image only once.
func (c *Commands) useImage(m *Image, layout vk.ImageLayout, u use, discard bool) {
	c.imageUses = append(c.imageUses, imageUse{m, layout, u, discard})
}

// settle records the barriers that the collected uses need, in one call.
func (c *Commands) settle() {
	if c.noting != nil {
		c.noteStep()
		return
	}
	if c.settled {
		c.bufferUses, c.imageUses = c.bufferUses[:0], c.imageUses[:0]
		return
	}
	var sum barrierStages // stages of all barriers; the accesses are in the barriers of buffers and images
	var buffers []bufferBarrier
	var images []imageBarrier
	for _, x := range c.bufferUses {
		s, after := c.buffers[x.buffer].next(x.use)
		c.buffers[x.buffer] = after
		if s.src != 0 {
			sum.src |= s.src
			sum.dst |= s.dst
			buffers = append(buffers, bufferBarrier{x.buffer.handle, s.srcAccess, s.dstAccess})
		}
	}
	for _, x := range c.imageUses {
		if s, b, needed := c.moveImage(x); needed {
			sum.src |= s.src
			sum.dst |= s.dst
			images = append(images, b)
		}
	}
	c.bufferUses, c.imageUses = c.bufferUses[:0], c.imageUses[:0]
	if sum.src != 0 && c.err == nil {
		c.fail("vkCmdPipelineBarrier", c.device.ext.barrier(c.buf, sum, buffers, images))
	}
}

// moveImage returns the barrier that a use of an image needs, a change of layout included; false if it needs none.
func (c *Commands) moveImage(x imageUse) (barrierStages, imageBarrier, bool) {
	state, known := c.images[x.image]
	if !known {
		state = imageState{layout: homeLayout}
	}
	moves := state.layout != x.layout || x.discard
	s, after := state.next(use{stages: x.use.stages, access: x.use.access, writes: x.use.writes || moves})
	if moves && !x.use.writes {
		// The change of layout is a write that ends before x.use begins.
		after = history{write: use{stages: x.use.stages}, seen: x.use, reads: x.use}
	}
	c.images[x.image] = imageState{after, x.layout}
	if s.src == 0 && !moves {
		return s, imageBarrier{}, false
	}
	if s.src == 0 {
		// First use in this recording: depend on the barrier at the recording's start.
		s.src = x.use.stages
	}
	old := state.layout
	if x.discard {
		old = vk.ImageLayoutUndefined
	}
	return s, imageBarrier{x.image.handle, x.image.aspect, old, x.layout, s.srcAccess, s.dstAccess}, true
}
