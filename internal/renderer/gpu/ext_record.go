package gpu

/*
#include <stdlib.h>
#include "ext.h"
*/
import "C"

import (
	"image"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

func (d extDevice) barrier(cmd vk.CommandBuffer, s barrierStages, buffers []bufferBarrier, images []imageBarrier) vk.Result {
	b := make([]C.vkxBufferBarrier, len(buffers))
	for i, x := range buffers {
		b[i] = C.vkxBufferBarrier{
			buffer: word(x.buffer), srcAccess: C.uint32_t(x.srcAccess), dstAccess: C.uint32_t(x.dstAccess),
		}
	}
	m := make([]C.vkxImageBarrier, len(images))
	for i, x := range images {
		m[i] = C.vkxImageBarrier{
			image: word(x.image), aspect: C.uint32_t(x.aspect), oldLayout: C.uint32_t(x.oldLayout),
			newLayout: C.uint32_t(x.newLayout), srcAccess: C.uint32_t(x.srcAccess), dstAccess: C.uint32_t(x.dstAccess),
		}
	}
	return vk.Result(C.vkx_barrier(d.p, unsafe.Pointer(cmd), C.uint32_t(s.src), C.uint32_t(s.dst), C.uint32_t(s.srcAccess), C.uint32_t(s.dstAccess),
		C.uint32_t(len(b)), unsafe.SliceData(b), C.uint32_t(len(m)), unsafe.SliceData(m)))
}

func (d extDevice) copyBuffer(cmd vk.CommandBuffer, src, dst vk.Buffer, srcOffset, dstOffset, size int64) {
	C.vkx_copy_buffer(d.p, unsafe.Pointer(cmd), word(src), word(dst), C.uint64_t(srcOffset), C.uint64_t(dstOffset), C.uint64_t(size))
}

// copyImageToBuffer reads the image in layout TRANSFER_SRC_OPTIMAL.
func (d extDevice) copyImageToBuffer(cmd vk.CommandBuffer, m *Image, dst vk.Buffer, offset int64) {
	C.vkx_copy_image_to_buffer(d.p, unsafe.Pointer(cmd), word(m.handle), C.uint32_t(m.aspect), C.uint32_t(m.Width), C.uint32_t(m.Height), word(dst), C.uint64_t(offset))
}

func (d extDevice) beginPass(cmd vk.CommandBuffer, pass vk.RenderPass, framebuffer vk.Framebuffer, width, height int, rgba [4]float32, depth float32) {
	c := [4]C.float{C.float(rgba[0]), C.float(rgba[1]), C.float(rgba[2]), C.float(rgba[3])}
	C.vkx_begin_pass(d.p, unsafe.Pointer(cmd), word(pass), word(framebuffer), C.uint32_t(width), C.uint32_t(height), &c[0], C.float(depth))
	C.vkx_viewport(d.p, unsafe.Pointer(cmd), C.uint32_t(width), C.uint32_t(height))
}

func (d extDevice) drawMesh(cmd vk.CommandBuffer, groups [2]uint32) {
	C.vkx_draw_mesh(d.p, unsafe.Pointer(cmd), C.uint32_t(groups[0]), C.uint32_t(groups[1]))
}

func (d extDevice) beginLabel(cmd vk.CommandBuffer, name string) {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	C.vkx_begin_label(d.p, unsafe.Pointer(cmd), c)
}

func (d extDevice) endLabel(cmd vk.CommandBuffer) { C.vkx_end_label(d.p, unsafe.Pointer(cmd)) }

func (d extDevice) submit(queue vk.Queue, cmd vk.CommandBuffer, wait vk.Semaphore, stages vk.PipelineStageFlagBits, signal vk.Semaphore, fence vk.Fence) vk.Result {
	return vk.Result(C.vkx_submit(d.p, unsafe.Pointer(queue), unsafe.Pointer(cmd), word(wait), C.uint32_t(stages), word(signal), word(fence)))
}

func (d extDevice) present(queue vk.Queue, chain vk.Swapchain, image uint32, wait vk.Semaphore) vk.Result {
	return vk.Result(C.vkx_present(d.p, unsafe.Pointer(queue), word(chain), C.uint32_t(image), word(wait)))
}

// flush makes the host's writes to mapped memory visible to the device.
func (d extDevice) flush(memory vk.DeviceMemory) vk.Result {
	return vk.Result(C.vkx_flush(d.p, word(memory)))
}

// invalidate makes the device's writes visible to the host.
func (d extDevice) invalidate(memory vk.DeviceMemory) vk.Result {
	return vk.Result(C.vkx_invalidate(d.p, word(memory)))
}

// copyBufferToImage writes a part of an image in layout TRANSFER_DST_OPTIMAL.
func (d extDevice) copyBufferToImage(cmd vk.CommandBuffer, src vk.Buffer, offset int64, dst vk.Image, aspect vk.ImageAspectFlagBits, part image.Rectangle) {
	C.vkx_copy_buffer_to_image(d.p, unsafe.Pointer(cmd), word(src), C.uint64_t(offset), word(dst), C.uint32_t(aspect),
		C.int32_t(part.Min.X), C.int32_t(part.Min.Y), C.uint32_t(part.Dx()), C.uint32_t(part.Dy()))
}

// blitPart copies a part of a colour image in TRANSFER_SRC_OPTIMAL to a part of an image in
// TRANSFER_DST_OPTIMAL, with scaling.
func (d extDevice) blitPart(cmd vk.CommandBuffer, src *Image, from image.Rectangle, dst vk.Image, to image.Rectangle, filter vk.Filter) {
	f, t := corners(from), corners(to)
	C.vkx_blit_part(d.p, unsafe.Pointer(cmd), word(src.handle), &f[0], word(dst), &t[0], C.uint32_t(filter))
}

func corners(r image.Rectangle) [4]C.int32_t {
	return [4]C.int32_t{C.int32_t(r.Min.X), C.int32_t(r.Min.Y), C.int32_t(r.Max.X), C.int32_t(r.Max.Y)}
}

// scissor restricts drawing to a rectangle until the next call or the end of the pass.
func (d extDevice) scissor(cmd vk.CommandBuffer, r image.Rectangle) {
	C.vkx_scissor(d.p, unsafe.Pointer(cmd), C.int32_t(r.Min.X), C.int32_t(r.Min.Y), C.uint32_t(r.Dx()), C.uint32_t(r.Dy()))
}
