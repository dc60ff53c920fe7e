// What any Vulkan program has, and a reader of OBJ files. Nothing of shadeonce is here.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { WIDTH = 960, HEIGHT = 640 };

static VkDevice device;
static VkPhysicalDeviceMemoryProperties memories;
static VkPhysicalDeviceVulkan13Properties subgroups; // which sizes of subgroups the device has
static int meshShaders;                              // whether it has VK_EXT_mesh_shader, which is then enabled
static VkPipelineLayout layout;
static VkDescriptorSet set;

#define CHECK(call) do { VkResult r_ = (call); if (r_ < 0) fail("%s: VkResult %d", #call, r_); } while (0)
#define fail(...) do { fprintf(stderr, "vulkan-c: "); fprintf(stderr, __VA_ARGS__); fprintf(stderr, "\n"); exit(1); } while (0)

// The mesh: positions and normals, six floats per vertex, and a triangle list.
typedef struct { float *vertices; uint32_t *indices; uint32_t vertexCount, indexCount; } Mesh;

static void *grow(void *list, uint32_t count, size_t size) { // to the next power of two
    if (count & (count - 1)) return list;
    list = realloc(list, (count ? 2 * count : 1) * size);
    if (!list) fail("out of memory");
    return list;
}

static Mesh readOBJ(const char *path) {
    Mesh m = {0};
    char line[4096];
    FILE *f = fopen(path, "r");
    if (!f) fail("cannot open %s", path);
    while (fgets(line, sizeof line, f)) {
        if (!strncmp(line, "v ", 2)) {
            m.vertices = grow(m.vertices, m.vertexCount, 6 * sizeof(float));
            float *v = m.vertices + 6 * m.vertexCount++;
            if (sscanf(line + 2, "%f %f %f", v, v + 1, v + 2) != 3) fail("%s: no position: %s", path, line);
            v[3] = v[4] = v[5] = 0;
        } else if (!strncmp(line, "f ", 2)) { // a fan of triangles; texture coordinates and normals are left out
            uint32_t fan[3], corners = 0;
            for (char *word = strtok(line + 2, " \r\n"); word; word = strtok(NULL, " \r\n"), corners++) {
                long i = atol(word);
                i = i < 0 ? (long)m.vertexCount + i : i - 1;
                if (i < 0 || i >= (long)m.vertexCount) fail("%s: no vertex %s", path, word);
                if (corners > 2) fan[1] = fan[2];
                fan[corners < 2 ? corners : 2] = (uint32_t)i;
                for (int c = 0; corners >= 2 && c < 3; c++) {
                    m.indices = grow(m.indices, m.indexCount, sizeof(uint32_t));
                    m.indices[m.indexCount++] = fan[c];
                }
            }
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

// A camera on +z that looks at the whole mesh; columns, Vulkan's clip space.
static void lookAt(const Mesh *m, float clip[16]) {
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
    VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = need.size};
    while (!(need.memoryTypeBits >> info.memoryTypeIndex & 1) || (memories.memoryTypes[info.memoryTypeIndex].propertyFlags & flags) != flags)
        if (++info.memoryTypeIndex == memories.memoryTypeCount) fail("no memory of the kind needed");
    VkDeviceMemory memory;
    CHECK(vkAllocateMemory(device, &info, NULL, &memory));
    return memory;
}

// A buffer of zeros, which the host sees. A renderer keeps most in memory that only the device does.
typedef struct { VkBuffer handle; VkDeviceMemory memory; void *data; } Buffer;

static Buffer makeBuffer(VkDeviceSize size) {
    Buffer b;
    VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
        VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
        VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    CHECK(vkCreateBuffer(device, &info, NULL, &b.handle));
    VkMemoryRequirements need;
    vkGetBufferMemoryRequirements(device, b.handle, &need);
    b.memory = allocate(need, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    CHECK(vkBindBufferMemory(device, b.handle, b.memory, 0));
    CHECK(vkMapMemory(device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.data));
    memset(b.data, 0, size);
    return b;
}

static VkPipelineShaderStageCreateInfo stage(const char *name, VkShaderStageFlagBits kind) {
    static uint32_t code[1 << 18];
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.spv", SHADERS, name);
    FILE *f = fopen(path, "rb");
    if (!f) fail("cannot open %s", path);
    VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = fread(code, 1, sizeof code, f),
        .pCode = code};
    fclose(f);
    VkPipelineShaderStageCreateInfo s = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = kind, .pName = "main"};
    CHECK(vkCreateShaderModule(device, &info, NULL, &s.module));
    return s;
}

typedef struct { uint32_t id, value; } Constant;

// Specialization constants of a pipeline that is created next.
static const VkSpecializationInfo *specialize(const Constant *constants, uint32_t count) {
    static VkSpecializationMapEntry entries[16];
    static VkSpecializationInfo info;
    for (uint32_t i = 0; i < count; i++) entries[i] = (VkSpecializationMapEntry){constants[i].id, 8 * i + 4, 4};
    info = (VkSpecializationInfo){count, entries, 8 * count, constants};
    return &info;
}

static int hasLanes(uint32_t lanes, VkShaderStageFlags kind) {
    return subgroups.minSubgroupSize <= lanes && lanes <= subgroups.maxSubgroupSize && subgroups.requiredSubgroupSizeStages & kind;
}

// Has a stage run in full subgroups of so many lanes.
static void requireLanes(VkPipelineShaderStageCreateInfo *s, uint32_t lanes) {
    static VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
    size.requiredSubgroupSize = lanes;
    s->pNext = &size, s->flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
}

// Storage buffers of set 0 and push constants, for these stages.
static void makeLayout(const uint32_t *bindings, uint32_t count, VkShaderStageFlags stages, uint32_t pushBytes) {
    VkDescriptorSetLayoutBinding list[32];
    for (uint32_t i = 0; i < count; i++)
        list[i] = (VkDescriptorSetLayoutBinding){bindings[i], VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, stages, NULL};
    VkDescriptorSetLayoutCreateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = count, .pBindings = list};
    VkDescriptorSetLayout of;
    CHECK(vkCreateDescriptorSetLayout(device, &info, NULL, &of));
    VkPushConstantRange push = {stages, 0, pushBytes};
    VkPipelineLayoutCreateInfo layoutInfo = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &of,
        .pushConstantRangeCount = 1, .pPushConstantRanges = &push};
    CHECK(vkCreatePipelineLayout(device, &layoutInfo, NULL, &layout));
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count};
    VkDescriptorPoolCreateInfo poolInfo = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    VkDescriptorPool pool;
    CHECK(vkCreateDescriptorPool(device, &poolInfo, NULL, &pool));
    VkDescriptorSetAllocateInfo one = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool,
        .descriptorSetCount = 1, .pSetLayouts = &of};
    CHECK(vkAllocateDescriptorSets(device, &one, &set));
}

static void bind(const Buffer *b, const uint32_t *bindings, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        VkDescriptorBufferInfo bound = {b[i].handle, 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .dstBinding = bindings[i],
            .descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &bound};
        vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
    }
}

// A graphics pipeline that draws with draw.frag. first is a vertex shader, whose vertices have a clip position and a colour, or a mesh
// shader, which has no vertex input.
static VkPipeline graphics(VkPipelineShaderStageCreateInfo first) {
    VkPipelineShaderStageCreateInfo stages[] = {first, stage("draw_frag", VK_SHADER_STAGE_FRAGMENT_BIT)};
    VkVertexInputBindingDescription vertex = {0, 8 * sizeof(float), VK_VERTEX_INPUT_RATE_VERTEX};
    VkVertexInputAttributeDescription members[] = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0}, {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16}};
    VkPipelineVertexInputStateCreateInfo input = {VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .pVertexBindingDescriptions = &vertex, .pVertexAttributeDescriptions = members};
    if (first.stage == VK_SHADER_STAGE_VERTEX_BIT) input.vertexBindingDescriptionCount = 1, input.vertexAttributeDescriptionCount = 2;
    VkPipelineInputAssemblyStateCreateInfo assembly = {VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    VkViewport viewport = {0, 0, WIDTH, HEIGHT, 0, 1};
    VkRect2D whole = {{0, 0}, {WIDTH, HEIGHT}};
    VkPipelineViewportStateCreateInfo view = {VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1,
        .pViewports = &viewport, .scissorCount = 1, .pScissors = &whole};
    VkPipelineRasterizationStateCreateInfo raster = {VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    VkPipelineMultisampleStateCreateInfo samples = {VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkPipelineDepthStencilStateCreateInfo depth = {VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO, .depthTestEnable = 1,
        .depthWriteEnable = 1, .depthCompareOp = VK_COMPARE_OP_LESS};
    VkPipelineColorBlendAttachmentState channels = {.colorWriteMask = 15};
    VkPipelineColorBlendStateCreateInfo blend = {VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO, .attachmentCount = 1,
        .pAttachments = &channels};
    VkFormat color = VK_FORMAT_R8G8B8A8_UNORM;
    VkPipelineRenderingCreateInfo targets = {VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &color, .depthAttachmentFormat = VK_FORMAT_D32_SFLOAT};
    VkGraphicsPipelineCreateInfo info = {VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, .pNext = &targets, .stageCount = 2,
        .pStages = stages, .pVertexInputState = &input, .pInputAssemblyState = &assembly, .pViewportState = &view,
        .pRasterizationState = &raster, .pMultisampleState = &samples, .pDepthStencilState = &depth,
        .pColorBlendState = &blend, .layout = layout};
    VkPipeline p;
    CHECK(vkCreateGraphicsPipelines(device, NULL, 1, &info, NULL, &p));
    return p;
}

static VkImageView makeTarget(VkFormat format, VkImageUsageFlags usage, VkImageAspectFlags aspect, VkImage *image) {
    VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = VK_IMAGE_TYPE_2D, .format = format,
        .extent = {WIDTH, HEIGHT, 1}, .mipLevels = 1, .arrayLayers = 1, .samples = VK_SAMPLE_COUNT_1_BIT, .usage = usage};
    CHECK(vkCreateImage(device, &info, NULL, image));
    VkMemoryRequirements need;
    vkGetImageMemoryRequirements(device, *image, &need);
    CHECK(vkBindImageMemory(device, *image, allocate(need, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT), 0));
    VkImageViewCreateInfo view = {VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = *image, .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = format, .subresourceRange = {aspect, 0, 1, 0, 1}};
    VkImageView v;
    CHECK(vkCreateImageView(device, &view, NULL, &v));
    return v;
}

static void wait(VkCommandBuffer c) { // for all that stands before it
    VkMemoryBarrier all = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
        0, 1, &all, 0, NULL, 0, NULL);
}

static void move(VkCommandBuffer c, VkImage image, VkImageAspectFlags aspect, VkImageLayout from, VkImageLayout to) {
    VkImageMemoryBarrier all = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = from, .newLayout = to, .image = image, .subresourceRange = {aspect, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &all);
}

// Begins to draw into a picture.
static VkImage beginPicture(VkCommandBuffer c) {
    VkImage color, depth;
    VkRenderingAttachmentInfo colors = {VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO, .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR, .storeOp = VK_ATTACHMENT_STORE_OP_STORE, .clearValue.color.float32 = {0, 0, 0, 1}};
    VkRenderingAttachmentInfo depths = {VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL, .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR, .clearValue.depthStencil.depth = 1};
    colors.imageView = makeTarget(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
        VK_IMAGE_ASPECT_COLOR_BIT, &color);
    depths.imageView = makeTarget(VK_FORMAT_D32_SFLOAT, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_ASPECT_DEPTH_BIT, &depth);
    VkRenderingInfo rendering = {VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea.extent = {WIDTH, HEIGHT}, .layerCount = 1,
        .colorAttachmentCount = 1, .pColorAttachments = &colors, .pDepthAttachment = &depths};
    move(c, color, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    move(c, depth, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
    vkCmdBeginRendering(c, &rendering);
    return color;
}

// Ends it, and copies the picture.
static void endPicture(VkCommandBuffer c, VkImage color, VkBuffer to) {
    VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {WIDTH, HEIGHT, 1}};
    vkCmdEndRendering(c);
    move(c, color, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkCmdCopyImageToBuffer(c, color, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to, 1, &copy);
}

// Runs what has been recorded, and waits for it.
static void submit(VkQueue queue, VkCommandBuffer c) {
    wait(c);
    CHECK(vkEndCommandBuffer(c));
    CHECK(vkQueueSubmit(queue, 1, &(VkSubmitInfo){VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c}, NULL));
    CHECK(vkQueueWaitIdle(queue));
}

static void printCounts(const char *name, const Mesh *m, const uint32_t *counts) {
    uint32_t invocations = 0, times[7] = {0};
    for (uint32_t i = 0; i < m->vertexCount; i++) invocations += counts[i], times[counts[i] < 6 ? counts[i] : 6]++;
    printf("%s: %u indices, %u invocations; vertices shaded 1x %u, 2x %u, 3x %u, 4x %u, 5x %u, 6x+ %u\n", name, m->indexCount,
        invocations, times[1], times[2], times[3], times[4], times[5], times[6]);
}

static void writePPM(const char *path, const uint32_t *rgba) {
    FILE *f = fopen(path, "wb");
    if (!f) fail("cannot write %s", path);
    fprintf(f, "P6\n%d %d\n255\n", WIDTH, HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++) fwrite(&rgba[i], 1, 3, f);
    if (fclose(f)) fail("cannot write %s", path);
}

static void openDevice(VkQueue *queue, VkCommandBuffer *commands) {
    VkApplicationInfo app = {VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo instanceInfo = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
    VkInstance instance;
    CHECK(vkCreateInstance(&instanceInfo, NULL, &instance));
    VkPhysicalDevice physical; // the first that there is
    uint32_t one = 1, family = 0, families = 16;
    CHECK(vkEnumeratePhysicalDevices(instance, &one, &physical));
    if (!one) fail("no Vulkan device");
    subgroups.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES;
    VkPhysicalDeviceSubgroupProperties subgroup = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, .pNext = &subgroups};
    VkPhysicalDeviceProperties2 properties = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &subgroup};
    vkGetPhysicalDeviceProperties2(physical, &properties);
    vkGetPhysicalDeviceMemoryProperties(physical, &memories);
    VkPhysicalDeviceMeshShaderFeaturesEXT hasMesh = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT};
    VkPhysicalDeviceVulkan13Features has13 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .pNext = &hasMesh};
    VkPhysicalDeviceVulkan12Features has12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &has13};
    VkPhysicalDeviceFeatures2 has = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &has12};
    if (properties.properties.apiVersion >= VK_API_VERSION_1_3) vkGetPhysicalDeviceFeatures2(physical, &has);
    if (!has13.dynamicRendering || !has13.subgroupSizeControl || !has13.computeFullSubgroups || !has12.shaderBufferInt64Atomics ||
        !has.features.shaderInt64 || !(subgroup.supportedOperations & VK_SUBGROUP_FEATURE_BALLOT_BIT))
        fail("%s lacks Vulkan 1.3, 64-bit atomics or subgroup ballots", properties.properties.deviceName);
    meshShaders = hasMesh.meshShader;
    VkPhysicalDeviceMeshShaderFeaturesEXT wantMesh = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT, .meshShader = 1};
    VkPhysicalDeviceVulkan13Features want13 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .dynamicRendering = 1,
        .subgroupSizeControl = 1, .computeFullSubgroups = 1};
    VkPhysicalDeviceVulkan12Features want12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &want13,
        .shaderBufferInt64Atomics = 1};
    VkPhysicalDeviceFeatures2 want = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &want12, .features.shaderInt64 = 1};
    VkQueueFamilyProperties queues[16];
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &families, queues);
    while ((queues[family].queueFlags & 3) != (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT))
        if (++family == families) fail("no queue that draws and computes");
    VkDeviceQueueCreateInfo queueInfo = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = family, .queueCount = 1,
        .pQueuePriorities = &(float){1}};
    if (meshShaders) want13.pNext = &wantMesh;
    VkDeviceCreateInfo deviceInfo = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &want, .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queueInfo, .enabledExtensionCount = meshShaders ? 1 : 0,
        .ppEnabledExtensionNames = (const char *[]){VK_EXT_MESH_SHADER_EXTENSION_NAME}};
    CHECK(vkCreateDevice(physical, &deviceInfo, NULL, &device));
    vkGetDeviceQueue(device, family, 0, queue);
    VkCommandPoolCreateInfo poolInfo = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, .queueFamilyIndex = family};
    VkCommandPool pool;
    CHECK(vkCreateCommandPool(device, &poolInfo, NULL, &pool));
    VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
    CHECK(vkAllocateCommandBuffers(device, &info, commands));
    puts(properties.properties.deviceName);
}

