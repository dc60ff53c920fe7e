package gpu

/*
#include "ext.h"
void vkx_blit_part(vkxDevice *d, void *cmd, uint64_t src, const int32_t *from, uint64_t dst, const int32_t *to, uint32_t filter);
void vkx_scissor(vkxDevice *d, void *cmd, int32_t x, int32_t y, uint32_t width, uint32_t height);
*/
import "C"

import (
	"image"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// This file keeps to the rules of ext.go.

// copyBufferToImage writes a part of an image in layout TRANSFER_DST_OPTIMAL.
func (d extDevice) copyBufferToImage(cmd vk.CommandBuffer, src vk.Buffer, offset int64, dst vk.Image, aspect vk.ImageAspectFlagBits, part image.Rectangle) {
	C.vkx_copy_buffer_to_image(d.p, unsafe.Pointer(cmd), word(src), C.uint64_t(offset), word(dst), C.uint32_t(aspect),
		C.int32_t(part.Min.X), C.int32_t(part.Min.Y), C.uint32_t(part.Dx()), C.uint32_t(part.Dy()))
}

// blitPart copies a part of a colour image in TRANSFER_SRC_OPTIMAL to a part of
// one in TRANSFER_DST_OPTIMAL, scaling.
func (d extDevice) blitPart(cmd vk.CommandBuffer, src *Image, from image.Rectangle, dst vk.Image, to image.Rectangle, filter vk.Filter) {
	f, t := corners(from), corners(to)
	C.vkx_blit_part(d.p, unsafe.Pointer(cmd), word(src.handle), &f[0], word(dst), &t[0], C.uint32_t(filter))
}

func corners(r image.Rectangle) [4]C.int32_t {
	return [4]C.int32_t{C.int32_t(r.Min.X), C.int32_t(r.Min.Y), C.int32_t(r.Max.X), C.int32_t(r.Max.Y)}
}

// scissor has nothing drawn outside a rectangle from here to the end of the pass.
func (d extDevice) scissor(cmd vk.CommandBuffer, r image.Rectangle) {
	C.vkx_scissor(d.p, unsafe.Pointer(cmd), C.int32_t(r.Min.X), C.int32_t(r.Min.Y), C.uint32_t(r.Dx()), C.uint32_t(r.Dy()))
}
