// Shared by the ext_*.c files only: the tables of entry points.
#ifndef SHADEONCE_VKX_INTERNAL_H
#define SHADEONCE_VKX_INTERNAL_H

#include "ext.h"
#include <pthread.h>

#define VKX_LOG_MAX 256

struct vkxInstance {
    VkInstance handle;
    PFN_vkGetInstanceProcAddr gipa;
    VkDebugUtilsMessengerEXT messenger;
    uint32_t api;
    int debugUtils;
    pthread_mutex_t lock; // guards the log: drivers call back from their own threads
    char *log[VKX_LOG_MAX];
    uint32_t logCount;
};

// Entry points of one device, fetched once when it is opened.
#define VKX_DEVICE_CALLS(X) \
    X(AllocateDescriptorSets) X(CmdBeginRenderPass) X(CmdBlitImage) X(CmdCopyBuffer) \
    X(CmdCopyBufferToImage) X(CmdCopyImageToBuffer) X(CmdPipelineBarrier) X(CmdSetScissor) X(CmdSetViewport) \
    X(CreateComputePipelines) X(CreateDescriptorPool) X(CreateDescriptorSetLayout) X(CreateFramebuffer) \
    X(CreateGraphicsPipelines) X(CreatePipelineCache) X(CreatePipelineLayout) X(CreateRenderPass) \
    X(CreateShaderModule) X(DestroyDescriptorPool) X(DestroyDevice) X(DestroyShaderModule) \
    X(FlushMappedMemoryRanges) X(InvalidateMappedMemoryRanges) X(QueueSubmit) X(UpdateDescriptorSets)

struct vkxDevice {
    VkDevice handle;
    int adopted; // a caller's, who destroys it
#define X(name) PFN_vk##name name;
    VKX_DEVICE_CALLS(X)
#undef X
    // Null where the extension is absent.
    PFN_vkQueuePresentKHR QueuePresentKHR;
    PFN_vkCmdDrawMeshTasksEXT CmdDrawMeshTasksEXT;
    PFN_vkSetDebugUtilsObjectNameEXT SetDebugUtilsObjectNameEXT;
    PFN_vkCmdBeginDebugUtilsLabelEXT CmdBeginDebugUtilsLabelEXT;
    PFN_vkCmdEndDebugUtilsLabelEXT CmdEndDebugUtilsLabelEXT;
};

// A non-dispatchable handle from its 64-bit value, and back.
#define H(type, value) ((type)(uintptr_t)(value))
#define W(handle) ((uint64_t)(uintptr_t)(handle))

#endif
