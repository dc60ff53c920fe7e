// Runs a vertex shader in a graphics pipeline on its own device; transform feedback keeps the
// outputs. All data is in one buffer that the host maps; images are copied from it.
#include "feedback.h"
#include <dlfcn.h>
#include <string.h>

#define CALLS(X) \
    X(AllocateCommandBuffers) X(AllocateDescriptorSets) X(AllocateMemory) X(BeginCommandBuffer) X(BindBufferMemory) \
    X(CmdBeginRenderPass) X(CmdBeginTransformFeedbackEXT) X(CmdBindDescriptorSets) X(CmdBindIndexBuffer) X(CmdBindPipeline) \
    X(CmdBindTransformFeedbackBuffersEXT) X(CmdBindVertexBuffers) X(CmdCopyBufferToImage) X(CmdDrawIndexed) X(CmdEndRenderPass) \
    X(CmdEndTransformFeedbackEXT) X(CmdPipelineBarrier) X(CmdPushConstants) X(CreateBuffer) X(CreateBufferView) X(CreateCommandPool) \
    X(CreateDescriptorPool) X(CreateDescriptorSetLayout) X(CreateFramebuffer) X(CreateGraphicsPipelines) X(CreateImage) X(CreateImageView) \
    X(CreatePipelineLayout) X(CreateRenderPass) X(CreateSampler) X(BindImageMemory) X(DestroyImage) X(DestroyImageView) X(DestroySampler) \
    X(DestroyBufferView) X(GetImageMemoryRequirements) \
    X(CreateShaderModule) X(DestroyBuffer) X(DestroyCommandPool) X(DestroyDescriptorPool) X(DestroyDescriptorSetLayout) \
    X(DestroyDevice) X(DestroyFramebuffer) X(DestroyPipeline) X(DestroyPipelineLayout) X(DestroyRenderPass) \
    X(DestroyShaderModule) X(EndCommandBuffer) X(FreeMemory) X(GetBufferMemoryRequirements) X(GetDeviceQueue) X(MapMemory) \
    X(QueueSubmit) X(QueueWaitIdle) X(UpdateDescriptorSets)

#define MAX_SETS 8
#define MAX_ITEMS 64

typedef struct {
#define X(name) PFN_vk##name name;
    CALLS(X)
#undef X
    VkInstance instance;
    VkPhysicalDevice physical;
    PFN_vkGetInstanceProcAddr gipa;
    uint32_t family; // of queues that draw
    VkDevice device;
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *mapped;
    VkPhysicalDeviceMemoryProperties types;
    VkImage images[MAX_ITEMS]; // by block, like the next three arrays
    VkDeviceMemory imageMemory[MAX_ITEMS];
    VkImageView views[MAX_ITEMS];
    VkBufferView texels[MAX_ITEMS];
    VkSampler sampler;
    VkDescriptorSetLayout sets[MAX_SETS];
    uint32_t setCount;
    VkDescriptorPool pool;
    VkDescriptorSet bound[MAX_SETS];
    VkPipelineLayout layout;
    VkShaderModule module;
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    VkPipeline pipeline;
    VkCommandPool commands;
} run;

// Makes the function that contains it return the error of a call that fails.
#define TRY(call) \
    do { \
        VkResult r_ = (call); \
        if (r_ != VK_SUCCESS) \
            return r_; \
    } while (0)

#define LOAD(x, name) ((PFN_vk##name)(x)->gipa((x)->instance, "vk" #name))

static VkResult open_device(run *x) {
    // The loader that made the instance; never closed.
    void *loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    x->gipa = loader ? (PFN_vkGetInstanceProcAddr)dlsym(loader, "vkGetInstanceProcAddr") : NULL;
    if (!x->gipa)
        return VK_ERROR_INITIALIZATION_FAILED;
    VkQueueFamilyProperties families[MAX_ITEMS];
    uint32_t count = MAX_ITEMS;
    LOAD(x, GetPhysicalDeviceQueueFamilyProperties)(x->physical, &count, families);
    while (x->family < count && !(families[x->family].queueFlags & VK_QUEUE_GRAPHICS_BIT))
        x->family++;
    if (x->family == count)
        return VK_ERROR_FEATURE_NOT_PRESENT;
    VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT};
    VkPhysicalDeviceVulkan12Features v12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &feedback};
    VkPhysicalDeviceVulkan11Features v11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &v12};
    VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &v11};
    LOAD(x, GetPhysicalDeviceFeatures2)(x->physical, &all);
    if (!feedback.transformFeedback)
        return VK_ERROR_FEATURE_NOT_PRESENT;
    all.features.robustBufferAccess = VK_FALSE;
    feedback.geometryStreams = VK_FALSE;
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, NULL, 0, x->family, 1, &priority};
    const char *extension = VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME;
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &all,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .enabledExtensionCount = 1,
        .ppEnabledExtensionNames = &extension,
    };
    TRY(LOAD(x, CreateDevice)(x->physical, &info, NULL, &x->device));
    PFN_vkGetDeviceProcAddr gdpa = LOAD(x, GetDeviceProcAddr);
    int complete = 1;
#define X(name) complete &= (x->name = (PFN_vk##name)gdpa(x->device, "vk" #name)) != NULL;
    CALLS(X)
#undef X
    return complete ? VK_SUCCESS : VK_ERROR_EXTENSION_NOT_PRESENT;
}

static VkResult allocate(run *x, VkMemoryRequirements need, VkMemoryPropertyFlags want, VkDeviceMemory *memory) {
    uint32_t type = 0;
    while (type < x->types.memoryTypeCount && (!(need.memoryTypeBits >> type & 1) || (x->types.memoryTypes[type].propertyFlags & want) != want))
        type++;
    VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, NULL, need.size, type};
    return x->AllocateMemory(x->device, &info, NULL, memory);
}

static VkResult make_buffer(run *x, uint64_t size, const void *data) {
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = size,
        .usage = VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                 VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT,
    };
    TRY(x->CreateBuffer(x->device, &info, NULL, &x->buffer));
    VkMemoryRequirements need;
    x->GetBufferMemoryRequirements(x->device, x->buffer, &need);
    LOAD(x, GetPhysicalDeviceMemoryProperties)(x->physical, &x->types);
    TRY(allocate(x, need, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, &x->memory));
    TRY(x->BindBufferMemory(x->device, x->buffer, x->memory, 0));
    TRY(x->MapMemory(x->device, x->memory, 0, VK_WHOLE_SIZE, 0, &x->mapped));
    memcpy(x->mapped, data, size);
    return VK_SUCCESS;
}

// Makes an image for the texels of a block, 16 bytes each. It has optimal tiling, and draw copies
// the texels into it: Vulkan does not require linear one-dimensional images, and NVIDIA has none.
static VkResult make_image(run *x, uint32_t i, const feedbackBlock *b) {
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = b->height ? VK_IMAGE_TYPE_2D : VK_IMAGE_TYPE_1D,
        .format = (VkFormat)b->format,
        .extent = {b->width, b->height ? b->height : 1, 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
    };
    TRY(x->CreateImage(x->device, &info, NULL, &x->images[i]));
    VkMemoryRequirements need;
    x->GetImageMemoryRequirements(x->device, x->images[i], &need);
    TRY(allocate(x, need, 0, &x->imageMemory[i]));
    TRY(x->BindImageMemory(x->device, x->images[i], x->imageMemory[i], 0));
    VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = x->images[i],
        .viewType = b->height ? VK_IMAGE_VIEW_TYPE_2D : VK_IMAGE_VIEW_TYPE_1D,
        .format = info.format,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
    };
    return x->CreateImageView(x->device, &view, NULL, &x->views[i]);
}

static VkResult make_texels(run *x, const feedbackJob *job) {
    VkSamplerCreateInfo sampler = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    TRY(x->CreateSampler(x->device, &sampler, NULL, &x->sampler));
    for (uint32_t i = 0; i < job->blockCount; i++) {
        const feedbackBlock *b = &job->blocks[i];
        VkBufferViewCreateInfo view = {VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO, NULL, 0, x->buffer, (VkFormat)b->format, b->offset, b->bytes};
        if (b->type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER)
            TRY(x->CreateBufferView(x->device, &view, NULL, &x->texels[i]));
        else if (b->type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER)
            TRY(make_image(x, i, b));
    }
    return VK_SUCCESS;
}

// Makes descriptor sets of the blocks, and the pipeline's layout. Blocks of one binding form an array.
static VkResult make_sets(run *x, const feedbackJob *job) {
    VkDescriptorPoolSize sizes[4] = {
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, MAX_ITEMS},
        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, MAX_ITEMS},
        {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, MAX_ITEMS},
        {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, MAX_ITEMS},
    };
    VkDescriptorPoolCreateInfo pool = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, NULL, 0, MAX_SETS, 4, sizes};
    TRY(x->CreateDescriptorPool(x->device, &pool, NULL, &x->pool));
    for (uint32_t i = 0; i < job->blockCount; i++)
        x->setCount = x->setCount > job->blocks[i].set + 1 ? x->setCount : job->blocks[i].set + 1;
    for (uint32_t set = 0; set < x->setCount; set++) {
        VkDescriptorSetLayoutBinding bindings[MAX_ITEMS];
        uint32_t n = 0;
        for (uint32_t i = 0; i < job->blockCount; i++) {
            const feedbackBlock *b = &job->blocks[i];
            uint32_t k = 0;
            if (b->set != set)
                continue;
            while (k < n && bindings[k].binding != b->binding)
                k++;
            if (k == n)
                bindings[n++] = (VkDescriptorSetLayoutBinding){b->binding, (VkDescriptorType)b->type, 0, VK_SHADER_STAGE_VERTEX_BIT, NULL};
            if (bindings[k].descriptorCount <= b->element)
                bindings[k].descriptorCount = b->element + 1;
        }
        VkDescriptorSetLayoutCreateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, NULL, 0, n, bindings};
        TRY(x->CreateDescriptorSetLayout(x->device, &info, NULL, &x->sets[set]));
        VkDescriptorSetAllocateInfo allocate = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, NULL, x->pool, 1, &x->sets[set]};
        TRY(x->AllocateDescriptorSets(x->device, &allocate, &x->bound[set]));
    }
    for (uint32_t i = 0; i < job->blockCount; i++) {
        const feedbackBlock *b = &job->blocks[i];
        VkDescriptorBufferInfo at = {x->buffer, b->offset, b->bytes};
        VkDescriptorImageInfo image = {x->sampler, x->views[i], VK_IMAGE_LAYOUT_GENERAL};
        VkWriteDescriptorSet write = {
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = x->bound[b->set],
            .dstBinding = b->binding,
            .dstArrayElement = b->element,
            .descriptorCount = 1,
            .descriptorType = (VkDescriptorType)b->type,
            .pBufferInfo = &at,
            .pImageInfo = &image,
            .pTexelBufferView = &x->texels[i],
        };
        x->UpdateDescriptorSets(x->device, 1, &write, 0, NULL);
    }
    VkPushConstantRange push = {VK_SHADER_STAGE_VERTEX_BIT, 0, job->pushBytes};
    VkPipelineLayoutCreateInfo layout = {
        VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, NULL, 0, x->setCount, x->sets, job->pushBytes ? 1 : 0, &push,
    };
    return x->CreatePipelineLayout(x->device, &layout, NULL, &x->layout);
}

static VkResult make_pipeline(run *x, const feedbackJob *job) {
    VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS};
    VkRenderPassCreateInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, .subpassCount = 1, .pSubpasses = &subpass};
    TRY(x->CreateRenderPass(x->device, &pass, NULL, &x->pass));
    VkFramebufferCreateInfo frame = {VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, NULL, 0, x->pass, 0, NULL, 1, 1, 1};
    TRY(x->CreateFramebuffer(x->device, &frame, NULL, &x->framebuffer));
    VkShaderModuleCreateInfo module = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, NULL, 0, job->codeBytes, job->code};
    TRY(x->CreateShaderModule(x->device, &module, NULL, &x->module));
    VkPipelineShaderStageCreateInfo stage = {
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, NULL, 0, VK_SHADER_STAGE_VERTEX_BIT, x->module, job->entry, NULL,
    };
    VkVertexInputBindingDescription bindings[MAX_ITEMS];
    VkVertexInputAttributeDescription attributes[MAX_ITEMS];
    for (uint32_t i = 0; i < job->attributeCount; i++) {
        const feedbackAttribute *a = &job->attributes[i];
        bindings[i] = (VkVertexInputBindingDescription){i, a->stride, a->stride ? VK_VERTEX_INPUT_RATE_VERTEX : VK_VERTEX_INPUT_RATE_INSTANCE};
        attributes[i] = (VkVertexInputAttributeDescription){a->location, i, (VkFormat)a->format, 0};
    }
    VkPipelineVertexInputStateCreateInfo input = {
        VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO, NULL, 0, job->attributeCount, bindings, job->attributeCount, attributes,
    };
    VkPipelineInputAssemblyStateCreateInfo assembly = {
        VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, NULL, 0, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, VK_FALSE,
    };
    VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .rasterizerDiscardEnable = VK_TRUE, .lineWidth = 1,
    };
    VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .stageCount = 1,
        .pStages = &stage,
        .pVertexInputState = &input,
        .pInputAssemblyState = &assembly,
        .pRasterizationState = &raster,
        .layout = x->layout,
        .renderPass = x->pass,
    };
    return x->CreateGraphicsPipelines(x->device, VK_NULL_HANDLE, 1, &info, NULL, &x->pipeline);
}

// Records the copy of a block's texels into its image, and a barrier after it.
static void fill_image(run *x, VkCommandBuffer c, VkImage image, const feedbackBlock *b) {
    VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
    };
    x->CmdPipelineBarrier(c, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
    VkBufferImageCopy copy = {
        .bufferOffset = b->offset,
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .imageExtent = {b->width, b->height ? b->height : 1, 1},
    };
    x->CmdCopyBufferToImage(c, x->buffer, image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
    barrier.oldLayout = VK_IMAGE_LAYOUT_GENERAL;
    x->CmdPipelineBarrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_VERTEX_SHADER_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

static VkResult draw(run *x, const feedbackJob *job) {
    VkCommandPoolCreateInfo pool = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, NULL, 0, x->family};
    TRY(x->CreateCommandPool(x->device, &pool, NULL, &x->commands));
    VkCommandBufferAllocateInfo allocate = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, x->commands, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    VkCommandBuffer c;
    TRY(x->AllocateCommandBuffers(x->device, &allocate, &c));
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    TRY(x->BeginCommandBuffer(c, &begin));
    for (uint32_t i = 0; i < job->blockCount; i++)
        if (x->images[i])
            fill_image(x, c, x->images[i], &job->blocks[i]);
    VkRenderPassBeginInfo pass = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, .renderPass = x->pass, .framebuffer = x->framebuffer, .renderArea = {{0, 0}, {1, 1}},
    };
    x->CmdBeginRenderPass(c, &pass, VK_SUBPASS_CONTENTS_INLINE);
    x->CmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, x->pipeline);
    if (x->setCount)
        x->CmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, x->layout, 0, x->setCount, x->bound, 0, NULL);
    if (job->pushBytes)
        x->CmdPushConstants(c, x->layout, VK_SHADER_STAGE_VERTEX_BIT, 0, job->pushBytes, job->push);
    for (uint32_t i = 0; i < job->attributeCount; i++) {
        VkDeviceSize offset = job->attributes[i].offset;
        x->CmdBindVertexBuffers(c, i, 1, &x->buffer, &offset);
    }
    x->CmdBindIndexBuffer(c, x->buffer, job->indexOffset, VK_INDEX_TYPE_UINT32);
    VkDeviceSize at = job->resultOffset, bytes = job->resultBytes;
    x->CmdBindTransformFeedbackBuffersEXT(c, 0, 1, &x->buffer, &at, &bytes);
    x->CmdBeginTransformFeedbackEXT(c, 0, 0, NULL, NULL);
    x->CmdDrawIndexed(c, job->indexCount, 1, 0, 0, job->instance);
    x->CmdEndTransformFeedbackEXT(c, 0, 0, NULL, NULL);
    x->CmdEndRenderPass(c);
    TRY(x->EndCommandBuffer(c));
    VkQueue queue;
    x->GetDeviceQueue(x->device, x->family, 0, &queue);
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
    TRY(x->QueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
    return x->QueueWaitIdle(queue);
}

static void close_device(run *x) {
    if (!x->device || !x->DestroyDevice)
        return;
    x->DestroyCommandPool(x->device, x->commands, NULL);
    x->DestroyPipeline(x->device, x->pipeline, NULL);
    x->DestroyShaderModule(x->device, x->module, NULL);
    x->DestroyFramebuffer(x->device, x->framebuffer, NULL);
    x->DestroyRenderPass(x->device, x->pass, NULL);
    x->DestroyPipelineLayout(x->device, x->layout, NULL);
    x->DestroyDescriptorPool(x->device, x->pool, NULL);
    for (uint32_t i = 0; i < x->setCount; i++)
        x->DestroyDescriptorSetLayout(x->device, x->sets[i], NULL);
    for (uint32_t i = 0; i < MAX_ITEMS; i++) {
        x->DestroyBufferView(x->device, x->texels[i], NULL);
        x->DestroyImageView(x->device, x->views[i], NULL);
        x->DestroyImage(x->device, x->images[i], NULL);
        x->FreeMemory(x->device, x->imageMemory[i], NULL);
    }
    x->DestroySampler(x->device, x->sampler, NULL);
    x->DestroyBuffer(x->device, x->buffer, NULL);
    x->FreeMemory(x->device, x->memory, NULL);
    x->DestroyDevice(x->device, NULL);
}

static VkResult run_all(run *x, const feedbackJob *job, void *data, uint64_t size) {
    TRY(open_device(x));
    TRY(make_buffer(x, size, data));
    TRY(make_texels(x, job));
    TRY(make_sets(x, job));
    TRY(make_pipeline(x, job));
    TRY(draw(x, job));
    memcpy((char *)data + job->resultOffset, (char *)x->mapped + job->resultOffset, job->resultBytes);
    return VK_SUCCESS;
}

VkResult feedback_run(void *instance, void *physical, const feedbackJob *job, void *data, uint64_t size) {
    for (uint32_t i = 0; i < job->blockCount; i++)
        if (job->blocks[i].set >= MAX_SETS)
            return VK_ERROR_TOO_MANY_OBJECTS;
    run x = {.instance = instance, .physical = physical};
    VkResult r = run_all(&x, job, data, size);
    close_device(&x);
    return r;
}
