// Draws a mesh with shadeonce's strategy `claim`, in a renderer that has nothing else of
// shadeonce: once through queues, which a graphics pipeline draws, and once fused, into a
// visibility buffer. Prints how often vertices were shaded, and writes queue.ppm and
// fused.ppm. docs/embedding.md explains bindings, sizes and overflow.
//
//     vulkan-c MESH.obj
#include "layout.h"
#include "plain.h"

enum { LANES = 32, BATCH = 384, TABLE = 256, MOST_GROUPS = 65535 };

// The buffers, and what each is bound as.
enum { INDICES, BATCHES, COUNTS, TRIANGLES, CORNERS, STATE, LISTED, LISTS, MARKS, VISIBLE, SPILLED, PICTURE, MESH, VIEW, QUEUE, BUFFERS };
static const uint32_t bindings[BUFFERS] = {
    SHADEONCE_BINDING_INDICES, SHADEONCE_BINDING_BATCHES, SHADEONCE_BINDING_COUNTS, SHADEONCE_BINDING_TRIANGLES, SHADEONCE_BINDING_CORNERS,
    SHADEONCE_BINDING_QUEUE_STATES, SHADEONCE_BINDING_RASTER_TRIANGLES, SHADEONCE_BINDING_RASTER_LISTS, SHADEONCE_BINDING_TILE_MARKS,
    SHADEONCE_BINDING_VISIBLE, SHADEONCE_BINDING_SPILLED, SHADEONCE_BINDING_PICTURE_COLOR, // then those of own/vertex.glsl
    SHADEONCE_BINDING_OWN, SHADEONCE_BINDING_OWN + 1, SHADEONCE_BINDING_OWN + 2,
};

static VkPipelineLayout layout;
static VkDescriptorSet set;
static int native; // the device has subgroups of LANES lanes

static void makeLayout(void) {
    VkDescriptorSetLayoutBinding list[BUFFERS];
    for (int i = 0; i < BUFFERS; i++)
        list[i] = (VkDescriptorSetLayoutBinding){bindings[i], VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    VkDescriptorSetLayoutCreateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = BUFFERS, .pBindings = list};
    VkDescriptorSetLayout of;
    CHECK(vkCreateDescriptorSetLayout(device, &info, NULL, &of));
    VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(ShadeonceChunkPush)};
    VkPipelineLayoutCreateInfo layoutInfo = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &of,
        .pushConstantRangeCount = 1, .pPushConstantRanges = &push};
    CHECK(vkCreatePipelineLayout(device, &layoutInfo, NULL, &layout));
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, BUFFERS};
    VkDescriptorPoolCreateInfo poolInfo = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    VkDescriptorPool pool;
    CHECK(vkCreateDescriptorPool(device, &poolInfo, NULL, &pool));
    VkDescriptorSetAllocateInfo one = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool,
        .descriptorSetCount = 1, .pSetLayouts = &of};
    CHECK(vkAllocateDescriptorSets(device, &one, &set));
}

// A compute pipeline, of full subgroups of LANES lanes where asked for. All take the same constants: Vulkan passes over those that a
// shader lacks.
static VkPipeline compute(const char *name, int full) {
    struct { uint32_t id, value; } constants[] = {
        {SHADEONCE_SPEC_LANES, LANES}, {SHADEONCE_SPEC_NATIVE, native}, {SHADEONCE_SPEC_WORKGROUP, native ? 4 * LANES : LANES},
        {SHADEONCE_SPEC_BATCH, BATCH}, {SHADEONCE_SPEC_TABLE, TABLE}, {SHADEONCE_SPEC_MAX_GROUPS, MOST_GROUPS},
        {SHADEONCE_SPEC_CORNERS, 1}, // an index buffer, not records of our own
        {SHADEONCE_SPEC_ONE_DRAW, 1},
    };
    enum { COUNT = sizeof constants / sizeof *constants };
    VkSpecializationMapEntry entries[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) entries[i] = (VkSpecializationMapEntry){constants[i].id, 8 * i + 4, 4};
    VkSpecializationInfo special = {COUNT, entries, sizeof constants, constants};
    VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = stage(name, VK_SHADER_STAGE_COMPUTE_BIT), .layout = layout};
    info.stage.pSpecializationInfo = &special;
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = LANES};
    if (full) info.stage.pNext = &size, info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    VkPipeline p;
    CHECK(vkCreateComputePipelines(device, NULL, 1, &info, NULL, &p));
    return p;
}

static void dispatch(VkCommandBuffer c, VkPipeline p, uint32_t x, uint32_t y) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, p);
    vkCmdDispatch(c, x, y, 1);
}

// Geometry into queues, which the graphics pipeline draws.
static void recordQueues(VkCommandBuffer c, const Buffer *b, uint32_t x, uint32_t y) {
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
    VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {WIDTH, HEIGHT, 1}};

    dispatch(c, compute("claim", native), x, y);
    wait(c);
    dispatch(c, compute("finish", 0), 1, 1); // the arguments of the draw; nothing is drawn after an overflow
    wait(c);
    move(c, color, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    move(c, depth, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
    vkCmdBeginRendering(c, &rendering);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics(layout));
    vkCmdBindVertexBuffers(c, 0, 1, &b[QUEUE].handle, &(VkDeviceSize){0});
    vkCmdBindIndexBuffer(c, b[CORNERS].handle, 0, VK_INDEX_TYPE_UINT32);
    vkCmdDrawIndexedIndirect(c, b[STATE].handle, offsetof(ShadeonceQueueState, drawVertexCount), 1, 0);
    vkCmdEndRendering(c);
    move(c, color, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkCmdCopyImageToBuffer(c, color, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, b[PICTURE].handle, 1, &copy);
}

// Geometry and small triangles in one pass; then the triangles that it has listed by size.
static void recordFused(VkCommandBuffer c, const Buffer *b, uint32_t x, uint32_t y) {
    const char *lists[] = {[SHADEONCE_LIST_MEDIUM] = "medium", [SHADEONCE_LIST_LARGE] = "large", [SHADEONCE_LIST_TILED] = "tiled",
                           [SHADEONCE_LIST_CLIPPED] = "clipped"};
    dispatch(c, compute("fused", native), x, y);
    wait(c);
    for (uint32_t list = SHADEONCE_LIST_MEDIUM; list < SHADEONCE_RASTER_CLASSES; list++) {
        vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, compute(lists[list], 0));
        vkCmdDispatchIndirect(c, b[LISTS].handle, list * sizeof(ShadeonceRasterList));
    }
    wait(c);
    dispatch(c, compute("resolve", 0), (WIDTH + 7) / 8, (HEIGHT + 7) / 8);
}

// Draws one frame, with room for so many vertices beside those that triangles have places of their own
// for. Returns how much room there should have been, or 0 where it was enough.
static uint32_t draw(const Mesh *m, int fused, uint32_t room, VkQueue queue, VkCommandBuffer c) {
    const char *name = fused ? "fused" : "queue";
    uint32_t triangles = m->indexCount / 3, batches = (m->indexCount + BATCH - 1) / BATCH;
    uint32_t places = fused ? 0 : 16; // of its own that a triangle has in the queue, in sixteenths: one vertex
    uint32_t capacity = (triangles * places >> 4) + room;
    uint32_t tile = SHADEONCE_RASTER_TILE, tiles = ((WIDTH + tile - 1) / tile) * ((HEIGHT + tile - 1) / tile);
    VkDeviceSize sizes[BUFFERS] = {
        [INDICES] = 4 * m->indexCount, [BATCHES] = sizeof(ShadeonceBatch) * batches, [COUNTS] = 4 * m->vertexCount, [TRIANGLES] = 8,
        [CORNERS] = 4 * m->indexCount, [STATE] = sizeof(ShadeonceQueueState), [LISTED] = 4 * (SHADEONCE_RASTER_CLASSES - 1) * triangles,
        [LISTS] = sizeof(ShadeonceRasterList) * SHADEONCE_RASTER_LISTS, [MARKS] = 4 * tiles, [VISIBLE] = 8 * WIDTH * HEIGHT,
        [SPILLED] = sizeof(ShadeoncePlacedVertex) * capacity,
        [PICTURE] = 4 * WIDTH * HEIGHT, [MESH] = 24 * m->vertexCount, [VIEW] = 64, [QUEUE] = (VkDeviceSize)32 * capacity,
    };
    Buffer b[BUFFERS];
    VkDescriptorBufferInfo bound[BUFFERS];
    VkWriteDescriptorSet writes[BUFFERS];
    for (int i = 0; i < BUFFERS; i++) {
        b[i] = makeBuffer(sizes[i]);
        bound[i] = (VkDescriptorBufferInfo){b[i].handle, 0, VK_WHOLE_SIZE};
        writes[i] = (VkWriteDescriptorSet){VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .dstBinding = bindings[i],
            .descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &bound[i]};
    }
    vkUpdateDescriptorSets(device, BUFFERS, writes, 0, NULL);
    memcpy(b[INDICES].data, m->indices, sizes[INDICES]);
    memcpy(b[MESH].data, m->vertices, sizes[MESH]);
    lookAt(m, b[VIEW].data);
    for (uint32_t i = 0; i < batches; i++) { // every batch is BATCH indices of the stream, the last one what is left
        uint32_t first = i * BATCH, left = m->indexCount - first;
        ShadeonceBatch batch = {.firstIndex = first, .indexCount = left < BATCH ? left : BATCH, .draw = 0, .firstTriangle = first / 3};
        ((ShadeonceBatch *)b[BATCHES].data)[i] = batch;
    }
    ShadeonceChunkPush push = {.batchCount = batches, .triangleCount = triangles, .triangleCapacity = triangles, .vertexCapacity = capacity,
        .vertexPlaces = places, .multiplier = 2654435769u, .width = WIDTH, .height = HEIGHT};

    VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    CHECK(vkBeginCommandBuffer(c, &begin));
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(c, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    uint32_t groups = native ? (batches + 3) / 4 : batches, across = groups < MOST_GROUPS ? groups : MOST_GROUPS;
    (fused ? recordFused : recordQueues)(c, b, across, (groups + across - 1) / across);
    wait(c);
    CHECK(vkEndCommandBuffer(c));
    CHECK(vkQueueSubmit(queue, 1, &(VkSubmitInfo){VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c}, NULL));
    CHECK(vkQueueWaitIdle(queue));

    const ShadeonceQueueState *state = b[STATE].data;
    uint32_t need = state->overflowBits ? state->vertexCount : 0, invocations = 0, times[7] = {0}, *counts = b[COUNTS].data;
    if (!need) {
        for (uint32_t i = 0; i < m->vertexCount; i++) invocations += counts[i], times[counts[i] < 6 ? counts[i] : 6]++;
        printf("%s: %u indices, %u invocations; vertices shaded 1x %u, 2x %u, 3x %u, 4x %u, 5x %u, 6x+ %u\n", name, m->indexCount,
            invocations, times[1], times[2], times[3], times[4], times[5], times[6]);
        writePPM(fused ? "fused.ppm" : "queue.ppm", b[PICTURE].data);
    }
    for (int i = 0; i < BUFFERS; i++) vkDestroyBuffer(device, b[i].handle, NULL), vkFreeMemory(device, b[i].memory, NULL);
    return need;
}

int main(int argc, char **argv) {
    if (argc != 2) fail("usage: vulkan-c MESH.obj");
    Mesh mesh = readOBJ(argv[1]);
    VkQueue queue;
    VkCommandBuffer c;
    openDevice(&queue, &c);
    native = subgroups.minSubgroupSize <= LANES && LANES <= subgroups.maxSubgroupSize &&
        subgroups.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT;
    makeLayout();
    for (int fused = 0; fused < 2; fused++)
        for (uint32_t room = mesh.indexCount / 24 + 1; room;) room = draw(&mesh, fused, room, queue, c); // again after an overflow
    return 0;
}
