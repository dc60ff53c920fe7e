// What panels and split pictures need of recording: blits of parts, and clipping.
#include "ext_internal.h"

void vkx_blit_part(vkxDevice *d, void *cmd, uint64_t src, const int32_t *from, uint64_t dst, const int32_t *to, uint32_t filter) {
    VkImageBlit region = {
        .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .srcOffsets = {{from[0], from[1], 0}, {from[2], from[3], 1}},
        .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .dstOffsets = {{to[0], to[1], 0}, {to[2], to[3], 1}},
    };
    d->CmdBlitImage((VkCommandBuffer)cmd, H(VkImage, src), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, H(VkImage, dst),
                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region, (VkFilter)filter);
}

void vkx_scissor(vkxDevice *d, void *cmd, int32_t x, int32_t y, uint32_t width, uint32_t height) {
    VkRect2D scissor = {{x, y}, {width, height}};
    d->CmdSetScissor((VkCommandBuffer)cmd, 0, 1, &scissor);
}
