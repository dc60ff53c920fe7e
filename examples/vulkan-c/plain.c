#include "plain.h"

#include <math.h>

VkDevice device;
VkQueue queue;
VkCommandBuffer commands;
VkPhysicalDeviceSubgroupSizeControlPropertiesEXT subgroups;
int atomics64, meshShaders;
VkPipelineLayout layout;
VkDescriptorSet set;
static VkPhysicalDeviceMemoryProperties memories;

static void *grow(void *list, uint32_t count, size_t size) { // to the next power of two
    if (count & (count - 1)) return list;
    list = realloc(list, (count ? 2 * count : 1) * size);
    if (!list) fail("out of memory");
    return list;
}

Mesh readOBJ(const char *path) {
    Mesh m = {0};
    char line[4096];
    FILE *f = fopen(path, "r");
    if (!f) fail("cannot open %s", path);
    for (int number = 1; fgets(line, sizeof line, f); number++) {
        if (!strncmp(line, "v ", 2)) {
            m.vertices = grow(m.vertices, m.vertexCount, 6 * sizeof(float));
            float *v = m.vertices + 6 * m.vertexCount++;
            if (sscanf(line + 2, "%f %f %f", v, v + 1, v + 2) != 3) fail("%s:%d: no position: %s", path, number, line);
            v[3] = v[4] = v[5] = 0;
        } else if (!strncmp(line, "f ", 2)) { // a fan of triangles; texture coordinates and normals are left out
            uint32_t fan[3], corners = 0;
            for (char *word = strtok(line + 2, " \r\n"); word; word = strtok(NULL, " \r\n"), corners++) {
                long i = atol(word);
                i = i < 0 ? (long)m.vertexCount + i : i - 1;
                if (i < 0 || i >= (long)m.vertexCount) fail("%s:%d: no vertex %s", path, number, word);
                if (corners > 2) fan[1] = fan[2];
                fan[corners < 2 ? corners : 2] = (uint32_t)i;
                for (int c = 0; corners >= 2 && c < 3; c++) {
                    m.indices = grow(m.indices, m.indexCount, sizeof(uint32_t));
                    m.indices[m.indexCount++] = fan[c];
                }
            }
            if (corners < 3) fail("%s:%d: a face of %u corners", path, number, corners);
        }
    }
    fclose(f);
    if (!m.indexCount) fail("%s has no triangles", path);
    for (uint32_t i = 0; i < m.indexCount; i += 3) { // normals: sums over the triangles around
        float *a = m.vertices + 6 * m.indices[i], *b = m.vertices + 6 * m.indices[i + 1], *c = m.vertices + 6 * m.indices[i + 2];
        float n[3];
        for (int k = 0, x = 1, y = 2; k < 3; k++, x = (x + 1) % 3, y = (y + 1) % 3)
            n[k] = (b[x] - a[x]) * (c[y] - a[y]) - (b[y] - a[y]) * (c[x] - a[x]);
        for (int k = 0; k < 3; k++) a[3 + k] += n[k], b[3 + k] += n[k], c[3 + k] += n[k];
    }
    return m;
}

void lookAt(const Mesh *m, float clip[16]) {
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, radius = 0;
    for (uint32_t i = 0; i < m->vertexCount; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = fminf(low[k], m->vertices[6 * i + k]);
            high[k] = fmaxf(high[k], m->vertices[6 * i + k]);
        }
    for (int k = 0; k < 3; k++) radius += (high[k] - low[k]) * (high[k] - low[k]) / 4;
    radius = sqrtf(radius) + 1e-6f;
    float distance = 3 * radius, near = radius, far = 5 * radius, zoom = 2.8f;
    float eye[3] = {(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2 + distance}, depth = far / (near - far);
    float columns[16] = {zoom * HEIGHT / WIDTH, 0, 0, 0, 0, -zoom, 0, 0, 0, 0, depth, -1,
                         -zoom * HEIGHT / WIDTH * eye[0], zoom * eye[1], depth * (near - eye[2]), eye[2]};
    memcpy(clip, columns, sizeof columns);
}

static VkDeviceMemory allocate(VkMemoryRequirements need, VkMemoryPropertyFlags flags) {
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = need.size};
    while (!(need.memoryTypeBits >> info.memoryTypeIndex & 1) || (memories.memoryTypes[info.memoryTypeIndex].propertyFlags & flags) != flags)
        if (++info.memoryTypeIndex == memories.memoryTypeCount) fail("no memory of the kind needed");
    VkDeviceMemory memory;
    CHECK(vkAllocateMemory(device, &info, NULL, &memory));
    return memory;
}

Buffer makeBuffer(VkDeviceSize size) {
    Buffer b = {.size = size};
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
        VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
        VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    CHECK(vkCreateBuffer(device, &info, NULL, &b.handle));
    VkMemoryRequirements need;
    vkGetBufferMemoryRequirements(device, b.handle, &need);
    b.memory = allocate(need, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    CHECK(vkBindBufferMemory(device, b.handle, b.memory, 0));
    CHECK(vkMapMemory(device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.data));
    return b;
}

void freeBuffer(Buffer *b) {
    vkDestroyBuffer(device, b->handle, NULL);
    vkFreeMemory(device, b->memory, NULL);
}

void bind(uint32_t binding, const Buffer *b) {
    VkDescriptorBufferInfo bound = {b->handle, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .dstBinding = binding,
        .descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &bound};
    vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
}

VkPipelineShaderStageCreateInfo stage(const char *name, VkShaderStageFlagBits kind) {
    static uint32_t code[1 << 18];
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.spv", SHADERS, name);
    FILE *f = fopen(path, "rb");
    if (!f) fail("cannot open %s", path);
    VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = fread(code, 1, sizeof code, f),
        .pCode = code};
    fclose(f);
    VkPipelineShaderStageCreateInfo s = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = kind, .pName = "main"};
    CHECK(vkCreateShaderModule(device, &info, NULL, &s.module));
    return s;
}

const VkSpecializationInfo *specialize(const Constant *constants, uint32_t count) {
    static VkSpecializationMapEntry entries[16];
    static VkSpecializationInfo info;
    for (uint32_t i = 0; i < count; i++) entries[i] = (VkSpecializationMapEntry){constants[i].id, 8 * i + 4, 4};
    info = (VkSpecializationInfo){count, entries, 8 * count, constants};
    return &info;
}

int hasLanes(uint32_t lanes, VkShaderStageFlags kind) {
    return subgroups.minSubgroupSize <= lanes && lanes <= subgroups.maxSubgroupSize && subgroups.requiredSubgroupSizeStages & kind;
}

void requireLanes(VkPipelineShaderStageCreateInfo *s, uint32_t lanes) {
    static VkPipelineShaderStageRequiredSubgroupSizeCreateInfoEXT size = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO_EXT};
    size.requiredSubgroupSize = lanes;
    s->pNext = &size, s->flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT_EXT;
}

void makeLayout(const uint32_t *bindings, uint32_t count, VkShaderStageFlags stages, uint32_t pushBytes) {
    VkDescriptorSetLayoutBinding list[32];
    for (uint32_t i = 0; i < count; i++)
        list[i] = (VkDescriptorSetLayoutBinding){bindings[i], VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, stages, NULL};
    VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = count, .pBindings = list};
    VkDescriptorSetLayout of;
    CHECK(vkCreateDescriptorSetLayout(device, &info, NULL, &of));
    VkPushConstantRange push = {stages, 0, pushBytes};
    VkPipelineLayoutCreateInfo layoutInfo = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &of,
        .pushConstantRangeCount = 1, .pPushConstantRanges = &push};
    CHECK(vkCreatePipelineLayout(device, &layoutInfo, NULL, &layout));
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count};
    VkDescriptorPoolCreateInfo poolInfo = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    VkDescriptorPool pool;
    CHECK(vkCreateDescriptorPool(device, &poolInfo, NULL, &pool));
    VkDescriptorSetAllocateInfo one = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool,
        .descriptorSetCount = 1, .pSetLayouts = &of};
    CHECK(vkAllocateDescriptorSets(device, &one, &set));
}

static VkImageView makeTarget(VkFormat format, VkImageUsageFlags usage, VkImageAspectFlags aspect, VkImage *image) {
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D, .format = format,
        .extent = {WIDTH, HEIGHT, 1}, .mipLevels = 1, .arrayLayers = 1, .samples = VK_SAMPLE_COUNT_1_BIT, .usage = usage};
    CHECK(vkCreateImage(device, &info, NULL, image));
    VkMemoryRequirements need;
    vkGetImageMemoryRequirements(device, *image, &need);
    CHECK(vkBindImageMemory(device, *image, allocate(need, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT), 0));
    VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = *image, .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = format, .subresourceRange = {aspect, 0, 1, 0, 1}};
    VkImageView v;
    CHECK(vkCreateImageView(device, &view, NULL, &v));
    return v;
}

// The picture, its pass and its framebuffer, made once.
static VkImage color;
static VkRenderPass pass;
static VkFramebuffer framebuffer;

static void makePicture(void) {
    VkImage depth;
    VkImageView views[] = {
        makeTarget(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_IMAGE_ASPECT_COLOR_BIT, &color),
        makeTarget(VK_FORMAT_D32_SFLOAT, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_ASPECT_DEPTH_BIT, &depth),
    };
    VkAttachmentDescription targets[] = {
        {.format = VK_FORMAT_R8G8B8A8_UNORM, .samples = VK_SAMPLE_COUNT_1_BIT, .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
         .storeOp = VK_ATTACHMENT_STORE_OP_STORE, .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL},
        {.format = VK_FORMAT_D32_SFLOAT, .samples = VK_SAMPLE_COUNT_1_BIT, .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
         .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE, .finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL},
    };
    VkAttachmentReference colors = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL}, depths = {1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    VkSubpassDescription one = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS, .colorAttachmentCount = 1, .pColorAttachments = &colors,
        .pDepthStencilAttachment = &depths};
    VkPipelineStageFlags tests = VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT;
    VkSubpassDependency waits[] = {
        // The last frame's depth tests, and its copy of the picture, come before this frame clears both.
        {.srcSubpass = VK_SUBPASS_EXTERNAL, .dstSubpass = 0, .srcStageMask = tests | VK_PIPELINE_STAGE_TRANSFER_BIT,
         .srcAccessMask = VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
         .dstStageMask = tests | VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
         .dstAccessMask = VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT |
             VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT},
        {.srcSubpass = 0, .dstSubpass = VK_SUBPASS_EXTERNAL, .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
         .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
         .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT},
    };
    VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, .attachmentCount = 2, .pAttachments = targets,
        .subpassCount = 1, .pSubpasses = &one, .dependencyCount = 2, .pDependencies = waits};
    CHECK(vkCreateRenderPass(device, &info, NULL, &pass));
    VkFramebufferCreateInfo all = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, .renderPass = pass, .attachmentCount = 2,
        .pAttachments = views, .width = WIDTH, .height = HEIGHT, .layers = 1};
    CHECK(vkCreateFramebuffer(device, &all, NULL, &framebuffer));
}

VkPipeline graphics(VkPipelineShaderStageCreateInfo first) {
    if (!pass) makePicture();
    VkPipelineShaderStageCreateInfo stages[] = {first, stage("draw_frag", VK_SHADER_STAGE_FRAGMENT_BIT)};
    VkVertexInputBindingDescription vertex = {0, 8 * sizeof(float), VK_VERTEX_INPUT_RATE_VERTEX};
    VkVertexInputAttributeDescription members[] = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0}, {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16}};
    VkPipelineVertexInputStateCreateInfo input = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .pVertexBindingDescriptions = &vertex, .pVertexAttributeDescriptions = members};
    if (first.stage == VK_SHADER_STAGE_VERTEX_BIT) input.vertexBindingDescriptionCount = 1, input.vertexAttributeDescriptionCount = 2;
    VkPipelineInputAssemblyStateCreateInfo assembly = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    VkViewport viewport = {0, 0, WIDTH, HEIGHT, 0, 1};
    VkRect2D whole = {{0, 0}, {WIDTH, HEIGHT}};
    VkPipelineViewportStateCreateInfo view = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1,
        .pViewports = &viewport, .scissorCount = 1, .pScissors = &whole};
    VkPipelineRasterizationStateCreateInfo raster = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    VkPipelineMultisampleStateCreateInfo samples = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkPipelineDepthStencilStateCreateInfo depth = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO, .depthTestEnable = 1,
        .depthWriteEnable = 1, .depthCompareOp = VK_COMPARE_OP_LESS};
    VkPipelineColorBlendAttachmentState channels = {.colorWriteMask = 15};
    VkPipelineColorBlendStateCreateInfo blend = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO, .attachmentCount = 1,
        .pAttachments = &channels};
    VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, .stageCount = 2,
        .pStages = stages, .pVertexInputState = &input, .pInputAssemblyState = &assembly, .pViewportState = &view,
        .pRasterizationState = &raster, .pMultisampleState = &samples, .pDepthStencilState = &depth,
        .pColorBlendState = &blend, .layout = layout, .renderPass = pass};
    VkPipeline p;
    CHECK(vkCreateGraphicsPipelines(device, NULL, 1, &info, NULL, &p));
    return p;
}

void beginPicture(void) {
    VkClearValue clear[] = {{.color.float32 = {0, 0, 0, 1}}, {.depthStencil.depth = 1}};
    VkRenderPassBeginInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, .renderPass = pass, .framebuffer = framebuffer,
        .renderArea.extent = {WIDTH, HEIGHT}, .clearValueCount = 2, .pClearValues = clear};
    vkCmdBeginRenderPass(commands, &info, VK_SUBPASS_CONTENTS_INLINE);
}

void endPicture(VkBuffer to) {
    VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {WIDTH, HEIGHT, 1}};
    vkCmdEndRenderPass(commands);
    vkCmdCopyImageToBuffer(commands, color, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to, 1, &copy);
}

void begin(void) {
    CHECK(vkBeginCommandBuffer(commands, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
}

void barrier(VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to, VkAccessFlags read) {
    VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = written, .dstAccessMask = read};
    vkCmdPipelineBarrier(commands, from, to, 0, 1, &all, 0, NULL, 0, NULL);
}

void submit(void) {
    VkPipelineStageFlags shaders = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | (meshShaders ? VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT : 0);
    barrier(shaders | VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
        VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    CHECK(vkEndCommandBuffer(commands));
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    CHECK(vkQueueSubmit(queue, 1, &info, NULL));
    CHECK(vkQueueWaitIdle(queue));
}

void printCounts(const char *name, const Mesh *m, const uint32_t *counts) {
    uint32_t invocations = 0, times[7] = {0};
    for (uint32_t i = 0; i < m->vertexCount; i++) invocations += counts[i], times[counts[i] < 6 ? counts[i] : 6]++;
    printf("%s: %u indices, %u invocations; vertices shaded 1x %u, 2x %u, 3x %u, 4x %u, 5x %u, 6x+ %u\n", name, m->indexCount,
        invocations, times[1], times[2], times[3], times[4], times[5], times[6]);
}

void writePPM(const char *path, const uint32_t *rgba) {
    FILE *f = fopen(path, "wb");
    if (!f) fail("cannot write %s", path);
    fprintf(f, "P6\n%d %d\n255\n", WIDTH, HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++) fwrite(&rgba[i], 1, 3, f);
    if (fclose(f)) fail("cannot write %s", path);
}

// Returns the device with a number or a part of a name; the first one for NULL.
static VkPhysicalDevice choose(VkInstance instance, const char *which) {
    VkPhysicalDevice list[16];
    uint32_t count = 16;
    CHECK(vkEnumeratePhysicalDevices(instance, &count, list));
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceProperties properties;
        char number[12];
        vkGetPhysicalDeviceProperties(list[i], &properties);
        snprintf(number, sizeof number, "%u", i);
        if (!which || !strcmp(which, number) || strstr(properties.deviceName, which)) return list[i];
    }
    fail("no Vulkan device %s", which ? which : "at all");
}

static int hasExtension(VkPhysicalDevice physical, const char *name) {
    static VkExtensionProperties list[1024];
    uint32_t count = 1024;
    CHECK(vkEnumerateDeviceExtensionProperties(physical, NULL, &count, list));
    while (count && strcmp(list[count - 1].extensionName, name)) count--;
    return count > 0;
}

void openDevice(const char *which, uint32_t version) {
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = version};
    VkInstanceCreateInfo instanceInfo = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
    VkInstance instance;
    CHECK(vkCreateInstance(&instanceInfo, NULL, &instance));
    VkPhysicalDevice physical = choose(instance, which);
    subgroups.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES_EXT;
    VkPhysicalDeviceSubgroupProperties subgroup = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &subgroup};
    vkGetPhysicalDeviceMemoryProperties(physical, &memories);

    // Each extension, its features, and whether the device has them.
    VkPhysicalDeviceSubgroupSizeControlFeaturesEXT sizes = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES_EXT};
    VkPhysicalDeviceShaderAtomicInt64FeaturesKHR atomics = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES_KHR};
    VkPhysicalDeviceMeshShaderFeaturesEXT meshes = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 has = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    const char *extensions[3];
    uint32_t enabled = 0;
    if (hasExtension(physical, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME)) {
        extensions[enabled++] = VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME;
        sizes.pNext = has.pNext, has.pNext = &sizes, subgroup.pNext = &subgroups;
    }
    if (hasExtension(physical, VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME)) {
        extensions[enabled++] = VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME;
        atomics.pNext = has.pNext, has.pNext = &atomics;
    }
    if (version >= VK_API_VERSION_1_2 && hasExtension(physical, VK_EXT_MESH_SHADER_EXTENSION_NAME)) {
        extensions[enabled++] = VK_EXT_MESH_SHADER_EXTENSION_NAME;
        meshes.pNext = has.pNext, has.pNext = &meshes;
    }
    vkGetPhysicalDeviceProperties2(physical, &properties);
    vkGetPhysicalDeviceFeatures2(physical, &has);
    if (properties.properties.apiVersion < version || !(subgroup.supportedOperations & VK_SUBGROUP_FEATURE_BALLOT_BIT))
        fail("%s lacks Vulkan 1.%u or subgroup ballots", properties.properties.deviceName, VK_API_VERSION_MINOR(version));
    if (!sizes.subgroupSizeControl || !sizes.computeFullSubgroups) subgroups.maxSubgroupSize = 0;
    atomics64 = has.features.shaderInt64 && atomics.shaderBufferInt64Atomics;
    meshShaders = meshes.meshShader;
    has.features = (VkPhysicalDeviceFeatures){.shaderInt64 = atomics64};
    meshes.taskShader = meshes.multiviewMeshShader = meshes.primitiveFragmentShadingRateMeshShader = meshes.meshShaderQueries = 0;

    VkQueueFamilyProperties queues[16];
    uint32_t family = 0, families = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &families, queues);
    while ((queues[family].queueFlags & 3) != (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT))
        if (++family == families) fail("no queue that draws and computes");
    VkDeviceQueueCreateInfo queueInfo = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = family, .queueCount = 1,
        .pQueuePriorities = &(float){1}};
    VkDeviceCreateInfo deviceInfo = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &has, .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queueInfo, .enabledExtensionCount = enabled, .ppEnabledExtensionNames = extensions};
    CHECK(vkCreateDevice(physical, &deviceInfo, NULL, &device));
    vkGetDeviceQueue(device, family, 0, &queue);
    VkCommandPoolCreateInfo poolInfo = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, .queueFamilyIndex = family};
    VkCommandPool pool;
    CHECK(vkCreateCommandPool(device, &poolInfo, NULL, &pool));
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
    CHECK(vkAllocateCommandBuffers(device, &info, &commands));
    puts(properties.properties.deviceName);
}
