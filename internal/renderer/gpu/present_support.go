//go:build cgo

package gpu

import (
	"fmt"
	"image"

	vk "github.com/vulkan-go/vulkan"
)

// WindowImage is an image of a swapchain, which owns it: 4 bytes per pixel, made with usage
// TRANSFER_DST. A recording writes it between BeginWindow and EndWindow, and must not use it
// outside.
type WindowImage struct {
	Handle        vk.Image
	Width, Height int // pixels
}

// WindowStage is the stage at which a submission of such a recording must wait until the image is
// acquired.
const WindowStage = vk.PipelineStageTransferBit

// BeginWindow prepares a window's image for writing and discards its contents.
func (c *Commands) BeginWindow(w WindowImage) {
	c.moveWindow(w, barrierStages{src: WindowStage, dst: transferStage, dstAccess: vk.AccessTransferWriteBit},
		vk.ImageLayoutUndefined, vk.ImageLayoutTransferDstOptimal)
}

// BlitWindow fills the whole window with a picture: pixel by pixel if the sizes are equal,
// otherwise stretched. It converts to the window's format.
func (c *Commands) BlitWindow(w WindowImage, picture *Image) {
	c.useImage(picture, homeLayout, copyFrom, false)
	c.blit(w.Handle, image.Rect(0, 0, w.Width, w.Height), picture, image.Rect(0, 0, picture.Width, picture.Height))
}

// FillWindow copies pixels in the window's format, row by row without padding, from a byte offset
// (a multiple of 4) of a buffer to a part of the window, over what was drawn there before.
func (c *Commands) FillWindow(w WindowImage, part image.Rectangle, src *Buffer, offset int64) {
	need := int64(part.Dx()) * int64(part.Dy()) * pixelBytes
	if c.err == nil && (part.Empty() || !part.In(image.Rect(0, 0, w.Width, w.Height)) || offset < 0 || need > src.Size-offset) {
		c.err = fmt.Errorf("gpu: %s: %v of a window of %dx%d from %s+%d (%d bytes)", c.Name, part, w.Width, w.Height, src.Name, offset, src.Size)
	}
	const write = vk.AccessTransferWriteBit
	c.moveWindow(w, barrierStages{transferStage, transferStage, write, write},
		vk.ImageLayoutTransferDstOptimal, vk.ImageLayoutTransferDstOptimal)
	c.useBuffer(src, copyFrom)
	c.settle()
	if c.err == nil {
		c.device.ext.copyBufferToImage(c.buf, src.handle, offset, w.Handle, vk.ImageAspectColorBit, part)
	}
}

// EndWindow prepares the image for Present.
func (c *Commands) EndWindow(w WindowImage) {
	c.moveWindow(w, barrierStages{src: transferStage, dst: vk.PipelineStageBottomOfPipeBit, srcAccess: vk.AccessTransferWriteBit},
		vk.ImageLayoutTransferDstOptimal, vk.ImageLayoutPresentSrc)
}

func (c *Commands) moveWindow(w WindowImage, s barrierStages, from, to vk.ImageLayout) {
	if c.err != nil {
		return
	}
	c.fail("vkCmdPipelineBarrier", c.device.ext.barrier(c.buf, barrierStages{src: s.src, dst: s.dst}, nil, []imageBarrier{
		{w.Handle, vk.ImageAspectColorBit, from, to, s.srcAccess, s.dstAccess},
	}))
}

// Check turns the result of a call in internal/renderer/present into an error that names the call, and
// remembers that the device was lost. Positive results (suboptimal, timeout) are not errors.
func (d *Device) Check(call string, r vk.Result) error { return d.check(call, r) }

// Lost reports whether the device was lost or has hung: nothing made from it may be waited for or
// freed.
func (d *Device) Lost() bool { return d.lost }

// SetName names an object that internal/renderer/present made, for validation messages.
func SetName[T any](d *Device, kind vk.ObjectType, handle T, name string) {
	d.name(kind, bits(handle), name)
}
