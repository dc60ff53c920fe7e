// Recording and submission: the calls whose arrays vulkan-go may free early.
#include "ext_internal.h"
#include <stdlib.h>

VkResult vkx_barrier(vkxDevice *d, void *cmd, uint32_t srcStages, uint32_t dstStages, uint32_t srcAccess,
                     uint32_t dstAccess, uint32_t nb, const vkxBufferBarrier *b, uint32_t ni, const vkxImageBarrier *i) {
    VkMemoryBarrier memory = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, srcAccess, dstAccess};
    VkBufferMemoryBarrier *buffers = calloc((size_t)nb + 1, sizeof *buffers);
    VkImageMemoryBarrier *images = calloc((size_t)ni + 1, sizeof *images);
    if (!buffers || !images) {
        free(buffers);
        free(images);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    for (uint32_t k = 0; k < nb; k++)
        buffers[k] = (VkBufferMemoryBarrier){
            .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
            .srcAccessMask = b[k].srcAccess,
            .dstAccessMask = b[k].dstAccess,
            .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
            .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
            .buffer = H(VkBuffer, b[k].buffer),
            .size = VK_WHOLE_SIZE,
        };
    for (uint32_t k = 0; k < ni; k++)
        images[k] = (VkImageMemoryBarrier){
            .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
            .srcAccessMask = i[k].srcAccess,
            .dstAccessMask = i[k].dstAccess,
            .oldLayout = (VkImageLayout)i[k].oldLayout,
            .newLayout = (VkImageLayout)i[k].newLayout,
            .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
            .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
            .image = H(VkImage, i[k].image),
            .subresourceRange = {i[k].aspect, 0, 1, 0, 1},
        };
    d->CmdPipelineBarrier((VkCommandBuffer)cmd, srcStages, dstStages, 0, srcAccess | dstAccess ? 1 : 0, &memory, nb,
                          buffers, ni, images);
    free(buffers);
    free(images);
    return VK_SUCCESS;
}

void vkx_copy_buffer(vkxDevice *d, void *cmd, uint64_t src, uint64_t dst, uint64_t srcOffset, uint64_t dstOffset,
                     uint64_t size) {
    VkBufferCopy region = {srcOffset, dstOffset, size};
    d->CmdCopyBuffer((VkCommandBuffer)cmd, H(VkBuffer, src), H(VkBuffer, dst), 1, &region);
}

void vkx_copy_image_to_buffer(vkxDevice *d, void *cmd, uint64_t image, uint32_t aspect, uint32_t width, uint32_t height,
                              uint64_t buffer, uint64_t offset) {
    VkBufferImageCopy region = {
        .bufferOffset = offset,
        .imageSubresource = {aspect, 0, 0, 1},
        .imageExtent = {width, height, 1},
    };
    d->CmdCopyImageToBuffer((VkCommandBuffer)cmd, H(VkImage, image), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                            H(VkBuffer, buffer), 1, &region);
}

void vkx_copy_buffer_to_image(vkxDevice *d, void *cmd, uint64_t buffer, uint64_t offset, uint64_t image,
                              uint32_t aspect, int32_t x, int32_t y, uint32_t width, uint32_t height) {
    VkBufferImageCopy region = {
        .bufferOffset = offset,
        .imageSubresource = {aspect, 0, 0, 1},
        .imageOffset = {x, y, 0},
        .imageExtent = {width, height, 1},
    };
    d->CmdCopyBufferToImage((VkCommandBuffer)cmd, H(VkBuffer, buffer), H(VkImage, image),
                            VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
}

void vkx_begin_pass(vkxDevice *d, void *cmd, uint64_t pass, uint64_t framebuffer, uint32_t width, uint32_t height,
                    const float *rgba, float depth) {
    VkClearValue clear[2] = {
        {.color = {.float32 = {rgba[0], rgba[1], rgba[2], rgba[3]}}},
        {.depthStencil = {depth, 0}},
    };
    VkRenderPassBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
        .renderPass = H(VkRenderPass, pass),
        .framebuffer = H(VkFramebuffer, framebuffer),
        .renderArea = {{0, 0}, {width, height}},
        .clearValueCount = 2,
        .pClearValues = clear,
    };
    d->CmdBeginRenderPass((VkCommandBuffer)cmd, &info, VK_SUBPASS_CONTENTS_INLINE);
}

void vkx_viewport(vkxDevice *d, void *cmd, uint32_t width, uint32_t height) {
    VkViewport viewport = {0, 0, (float)width, (float)height, 0, 1};
    VkRect2D scissor = {{0, 0}, {width, height}};
    d->CmdSetViewport((VkCommandBuffer)cmd, 0, 1, &viewport);
    d->CmdSetScissor((VkCommandBuffer)cmd, 0, 1, &scissor);
}

void vkx_draw_mesh(vkxDevice *d, void *cmd, uint32_t x, uint32_t y) {
    d->CmdDrawMeshTasksEXT((VkCommandBuffer)cmd, x, y, 1);
}

void vkx_begin_label(vkxDevice *d, void *cmd, const char *name) {
    VkDebugUtilsLabelEXT label = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = name};
    if (d->CmdBeginDebugUtilsLabelEXT)
        d->CmdBeginDebugUtilsLabelEXT((VkCommandBuffer)cmd, &label);
}

void vkx_end_label(vkxDevice *d, void *cmd) {
    if (d->CmdEndDebugUtilsLabelEXT)
        d->CmdEndDebugUtilsLabelEXT((VkCommandBuffer)cmd);
}

VkResult vkx_submit(vkxDevice *d, void *queue, void *cmd, uint64_t wait, uint32_t waitStages, uint64_t signal,
                    uint64_t fence) {
    VkCommandBuffer commands = (VkCommandBuffer)cmd;
    VkSemaphore waits = H(VkSemaphore, wait), signals = H(VkSemaphore, signal);
    VkPipelineStageFlags stages = waitStages;
    VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .waitSemaphoreCount = wait ? 1 : 0,
        .pWaitSemaphores = &waits,
        .pWaitDstStageMask = &stages,
        .commandBufferCount = 1,
        .pCommandBuffers = &commands,
        .signalSemaphoreCount = signal ? 1 : 0,
        .pSignalSemaphores = &signals,
    };
    return d->QueueSubmit((VkQueue)queue, 1, &info, H(VkFence, fence));
}

VkResult vkx_present(vkxDevice *d, void *queue, uint64_t swapchain, uint32_t image, uint64_t wait) {
    VkSwapchainKHR chain = H(VkSwapchainKHR, swapchain);
    VkSemaphore waits = H(VkSemaphore, wait);
    VkPresentInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
        .waitSemaphoreCount = wait ? 1 : 0,
        .pWaitSemaphores = &waits,
        .swapchainCount = 1,
        .pSwapchains = &chain,
        .pImageIndices = &image,
    };
    return d->QueuePresentKHR ? d->QueuePresentKHR((VkQueue)queue, &info) : VK_ERROR_EXTENSION_NOT_PRESENT;
}

VkResult vkx_flush(vkxDevice *d, uint64_t memory) {
    VkMappedMemoryRange range = {VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, NULL, H(VkDeviceMemory, memory), 0, VK_WHOLE_SIZE};
    return d->FlushMappedMemoryRanges(d->handle, 1, &range);
}

VkResult vkx_invalidate(vkxDevice *d, uint64_t memory) {
    VkMappedMemoryRange range = {VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, NULL, H(VkDeviceMemory, memory), 0, VK_WHOLE_SIZE};
    return d->InvalidateMappedMemoryRanges(d->handle, 1, &range);
}

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
