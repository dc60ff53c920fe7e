// Descriptors, pipelines and render passes: every create-info with nested
// arrays is built on this side, so that nothing of it can be collected early.
#include "ext_internal.h"
#include <stdlib.h>
#include <string.h>

#define VKX_MAX_BINDINGS 64 // per set; checked

VkResult vkx_create_cache(vkxDevice *d, const void *data, uint64_t size, uint64_t *out) {
    VkPipelineCacheCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
        .initialDataSize = size,
        .pInitialData = data,
    };
    VkPipelineCache cache = VK_NULL_HANDLE;
    VkResult r = d->CreatePipelineCache(d->handle, &info, NULL, &cache);
    *out = W(cache);
    return r;
}

VkResult vkx_create_set_layout(vkxDevice *d, uint32_t n, const vkxBinding *b, uint64_t *out) {
    VkDescriptorSetLayoutBinding bindings[VKX_MAX_BINDINGS] = {0};
    if (n > VKX_MAX_BINDINGS)
        return VK_ERROR_TOO_MANY_OBJECTS;
    for (uint32_t i = 0; i < n; i++) {
        bindings[i].binding = b[i].binding;
        bindings[i].descriptorType = (VkDescriptorType)b[i].type;
        bindings[i].descriptorCount = 1;
        bindings[i].stageFlags = b[i].stages;
    }
    VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = n,
        .pBindings = bindings,
    };
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    VkResult r = d->CreateDescriptorSetLayout(d->handle, &info, NULL, &layout);
    *out = W(layout);
    return r;
}

VkResult vkx_create_pipeline_layout(vkxDevice *d, uint32_t n, const uint64_t *sets, uint32_t pushBytes,
                                    uint32_t pushStages, uint64_t *out) {
    VkPushConstantRange push = {.stageFlags = pushStages, .size = pushBytes};
    VkPipelineLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = n,
        .pSetLayouts = (const VkDescriptorSetLayout *)sets,
        .pushConstantRangeCount = pushBytes ? 1 : 0,
        .pPushConstantRanges = &push,
    };
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkResult r = d->CreatePipelineLayout(d->handle, &info, NULL, &layout);
    *out = W(layout);
    return r;
}

VkResult vkx_create_set(vkxDevice *d, uint64_t layout, uint32_t n, const vkxBinding *b, uint64_t *outPool, uint64_t *outSet) {
    VkDescriptorPoolSize sizes[VKX_MAX_BINDINGS];
    if (n > VKX_MAX_BINDINGS)
        return VK_ERROR_TOO_MANY_OBJECTS;
    for (uint32_t i = 0; i < n; i++)
        sizes[i] = (VkDescriptorPoolSize){(VkDescriptorType)b[i].type, 1};
    VkDescriptorPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = 1,
        .poolSizeCount = n,
        .pPoolSizes = sizes,
    };
    VkDescriptorPool pool = VK_NULL_HANDLE;
    VkResult r = d->CreateDescriptorPool(d->handle, &info, NULL, &pool);
    if (r != VK_SUCCESS)
        return r;
    VkDescriptorSetLayout setLayout = H(VkDescriptorSetLayout, layout);
    VkDescriptorSetAllocateInfo alloc = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &setLayout,
    };
    VkDescriptorSet set = VK_NULL_HANDLE;
    r = d->AllocateDescriptorSets(d->handle, &alloc, &set);
    if (r != VK_SUCCESS) {
        d->DestroyDescriptorPool(d->handle, pool, NULL);
        return r;
    }
    *outPool = W(pool);
    *outSet = W(set);
    return VK_SUCCESS;
}

VkResult vkx_write_set(vkxDevice *d, uint64_t set, uint32_t n, const vkxWrite *w) {
    VkWriteDescriptorSet writes[VKX_MAX_BINDINGS] = {0};
    VkDescriptorBufferInfo buffers[VKX_MAX_BINDINGS];
    if (n > VKX_MAX_BINDINGS)
        return VK_ERROR_TOO_MANY_OBJECTS;
    for (uint32_t i = 0; i < n; i++) {
        buffers[i] = (VkDescriptorBufferInfo){H(VkBuffer, w[i].buffer), 0, VK_WHOLE_SIZE};
        writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
        writes[i].dstSet = H(VkDescriptorSet, set);
        writes[i].dstBinding = w[i].binding;
        writes[i].descriptorCount = 1;
        writes[i].descriptorType = (VkDescriptorType)w[i].type;
        writes[i].pBufferInfo = &buffers[i];
    }
    d->UpdateDescriptorSets(d->handle, n, writes, 0, NULL);
    return VK_SUCCESS;
}

// A shader stage with what it points to; `stage` is valid while this lives.
typedef struct {
    VkPipelineShaderStageCreateInfo stage;
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required;
    VkSpecializationInfo spec;
    VkSpecializationMapEntry *entries;
} builtStage;

static VkResult build_stage(vkxDevice *d, vkxStage s, builtStage *b) {
    memset(b, 0, sizeof *b);
    b->entries = calloc(s.specCount + 1, sizeof *b->entries);
    if (!b->entries)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < s.specCount; i++)
        b->entries[i] = (VkSpecializationMapEntry){s.specIDs[i], i * 4, 4};
    b->spec = (VkSpecializationInfo){s.specCount, b->entries, (size_t)s.specCount * 4, s.specValues};
    VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = s.codeBytes,
        .pCode = s.code,
    };
    b->stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    b->stage.stage = (VkShaderStageFlagBits)s.flag;
    b->stage.pName = "main";
    b->stage.pSpecializationInfo = s.specCount ? &b->spec : NULL;
    b->required = (VkPipelineShaderStageRequiredSubgroupSizeCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = s.subgroupSize,
    };
    if (s.subgroupSize)
        b->stage.pNext = &b->required;
    if (s.fullSubgroups)
        b->stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    return d->CreateShaderModule(d->handle, &info, NULL, &b->stage.module);
}

static void free_stage(vkxDevice *d, builtStage *b) {
    d->DestroyShaderModule(d->handle, b->stage.module, NULL);
    free(b->entries);
}

VkResult vkx_create_compute(vkxDevice *d, uint64_t cache, uint64_t layout, vkxStage stage, uint64_t *out) {
    builtStage b;
    VkResult r = build_stage(d, stage, &b);
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = b.stage,
        .layout = H(VkPipelineLayout, layout),
    };
    VkPipeline pipeline = VK_NULL_HANDLE;
    if (r == VK_SUCCESS)
        r = d->CreateComputePipelines(d->handle, H(VkPipelineCache, cache), 1, &info, NULL, &pipeline);
    free_stage(d, &b);
    *out = W(pipeline);
    return r;
}

static VkResult create_graphics(vkxDevice *d, uint64_t cache, uint64_t layout, uint64_t pass,
                                const VkPipelineShaderStageCreateInfo *stages, uint32_t stageCount, vkxRaster raster,
                                VkPipeline *out) {
    VkVertexInputBindingDescription bindings[4];
    VkVertexInputAttributeDescription attributes[4];
    if (raster.streams > 4)
        return VK_ERROR_FEATURE_NOT_PRESENT;
    for (uint32_t i = 0; i < raster.streams; i++) {
        bindings[i] = (VkVertexInputBindingDescription){.binding = i, .stride = 12, .inputRate = VK_VERTEX_INPUT_RATE_VERTEX};
        attributes[i] = (VkVertexInputAttributeDescription){.location = i, .binding = i, .format = VK_FORMAT_R32G32B32_SFLOAT};
    }
    VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .vertexBindingDescriptionCount = raster.streams,
        .pVertexBindingDescriptions = bindings,
        .vertexAttributeDescriptionCount = raster.streams,
        .pVertexAttributeDescriptions = attributes,
    };
    VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
    };
    VkPipelineViewportStateCreateInfo viewport = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
        .viewportCount = 1,
        .scissorCount = 1,
    };
    VkPipelineRasterizationStateCreateInfo rasterization = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .rasterizerDiscardEnable = raster.discard,
        .polygonMode = VK_POLYGON_MODE_FILL,
        .cullMode = VK_CULL_MODE_NONE,
        .frontFace = VK_FRONT_FACE_COUNTER_CLOCKWISE,
        .lineWidth = 1,
    };
    VkPipelineMultisampleStateCreateInfo multisample = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT,
    };
    VkPipelineDepthStencilStateCreateInfo depth = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
        .depthTestEnable = raster.depthTest,
        .depthWriteEnable = raster.depthWrite,
        .depthCompareOp = VK_COMPARE_OP_LESS,
    };
    VkPipelineColorBlendAttachmentState attachment = {
        .blendEnable = raster.blend,
        .srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA,
        .dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
        .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
        .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
        .colorWriteMask = 0xf,
    };
    VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = 1,
        .pAttachments = &attachment,
    };
    VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    VkPipelineDynamicStateCreateInfo dynamic = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
        .dynamicStateCount = 2,
        .pDynamicStates = states,
    };
    VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .stageCount = stageCount,
        .pStages = stages,
        .pVertexInputState = &input,
        .pInputAssemblyState = &assembly,
        .pViewportState = &viewport,
        .pRasterizationState = &rasterization,
        .pMultisampleState = &multisample,
        .pDepthStencilState = &depth,
        .pColorBlendState = &blend,
        .pDynamicState = &dynamic,
        .layout = H(VkPipelineLayout, layout),
        .renderPass = H(VkRenderPass, pass),
    };
    return d->CreateGraphicsPipelines(d->handle, H(VkPipelineCache, cache), 1, &info, NULL, out);
}

VkResult vkx_create_graphics(vkxDevice *d, uint64_t cache, uint64_t layout, uint64_t pass, vkxStage first,
                             vkxStage fragment, vkxRaster raster, uint64_t *out) {
    builtStage v, f;
    VkPipeline pipeline = VK_NULL_HANDLE;
    VkResult rv = build_stage(d, first, &v);
    int colours = fragment.codeBytes != 0;
    VkResult rf = colours ? build_stage(d, fragment, &f) : VK_SUCCESS;
    VkResult r = rv != VK_SUCCESS ? rv : rf;
    if (r == VK_SUCCESS) {
        VkPipelineShaderStageCreateInfo stages[2] = {v.stage};
        if (colours)
            stages[1] = f.stage;
        r = create_graphics(d, cache, layout, pass, stages, colours ? 2 : 1, raster, &pipeline);
    }
    free_stage(d, &v);
    if (colours)
        free_stage(d, &f);
    *out = W(pipeline);
    return r;
}

VkResult vkx_create_pass(vkxDevice *d, uint32_t colorFormat, uint32_t depthFormat, int clear, uint64_t *out) {
    VkAttachmentLoadOp load = clear ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
    VkAttachmentDescription attachments[] = {
        {
            .format = (VkFormat)colorFormat,
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .loadOp = load,
            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
            .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
            .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
            // The recording's own barriers change the layouts.
            .initialLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
            .finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
        },
        {
            .format = (VkFormat)depthFormat,
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .loadOp = load,
            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
            .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
            .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
            .initialLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
            .finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
        },
    };
    VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    VkAttachmentReference depth = {1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    VkSubpassDescription subpass = {
        .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
        .colorAttachmentCount = 1,
        .pColorAttachments = &color,
        .pDepthStencilAttachment = &depth,
    };
    VkRenderPassCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
        .attachmentCount = 2,
        .pAttachments = attachments,
        .subpassCount = 1,
        .pSubpasses = &subpass,
    };
    VkRenderPass pass = VK_NULL_HANDLE;
    VkResult r = d->CreateRenderPass(d->handle, &info, NULL, &pass);
    *out = W(pass);
    return r;
}

VkResult vkx_create_framebuffer(vkxDevice *d, uint64_t pass, uint64_t color, uint64_t depth, uint32_t width,
                                uint32_t height, uint64_t *out) {
    VkImageView views[] = {H(VkImageView, color), H(VkImageView, depth)};
    VkFramebufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
        .renderPass = H(VkRenderPass, pass),
        .attachmentCount = 2,
        .pAttachments = views,
        .width = width,
        .height = height,
        .layers = 1,
    };
    VkFramebuffer framebuffer = VK_NULL_HANDLE;
    VkResult r = d->CreateFramebuffer(d->handle, &info, NULL, &framebuffer);
    *out = W(framebuffer);
    return r;
}
