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

static int native; // the device has subgroups of LANES lanes

// A compute pipeline, of full subgroups of LANES lanes where asked for. All take the same constants: Vulkan passes over those that a
// shader lacks.
static VkPipeline compute(const char *name, int full) {
    Constant constants[] = {
        {SHADEONCE_SPEC_LANES, LANES}, {SHADEONCE_SPEC_NATIVE, native}, {SHADEONCE_SPEC_WORKGROUP, native ? 4 * LANES : LANES},
        {SHADEONCE_SPEC_BATCH, BATCH}, {SHADEONCE_SPEC_TABLE, TABLE}, {SHADEONCE_SPEC_MAX_GROUPS, MOST_GROUPS},
        {SHADEONCE_SPEC_CORNERS, 1}, // an index buffer, not records of our own
        {SHADEONCE_SPEC_ONE_DRAW, 1},
    };
    VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = stage(name, VK_SHADER_STAGE_COMPUTE_BIT), .layout = layout};
    info.stage.pSpecializationInfo = specialize(constants, sizeof constants / sizeof *constants);
    if (full) requireLanes(&info.stage, LANES);
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
    dispatch(c, compute("claim", native), x, y);
    wait(c);
    dispatch(c, compute("finish", 0), 1, 1); // the arguments of the draw; nothing is drawn after an overflow
    wait(c);
    VkImage color = beginPicture(c);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics(stage("draw_vert", VK_SHADER_STAGE_VERTEX_BIT)));
    vkCmdBindVertexBuffers(c, 0, 1, &b[QUEUE].handle, &(VkDeviceSize){0});
    vkCmdBindIndexBuffer(c, b[CORNERS].handle, 0, VK_INDEX_TYPE_UINT32);
    vkCmdDrawIndexedIndirect(c, b[STATE].handle, offsetof(ShadeonceQueueState, drawVertexCount), 1, 0);
    endPicture(c, color, b[PICTURE].handle);
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
    uint32_t places = fused ? 0 : 18; // of its own that a triangle has in the queue, in sixteenths: a strip fits
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
    for (int i = 0; i < BUFFERS; i++) b[i] = makeBuffer(sizes[i]);
    bind(b, bindings, BUFFERS);
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
    submit(queue, c);
    const ShadeonceQueueState *state = b[STATE].data;
    uint32_t need = state->overflowBits ? state->vertexCount : 0;
    if (!need) {
        printCounts(name, m, b[COUNTS].data);
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
    native = hasLanes(LANES, VK_SHADER_STAGE_COMPUTE_BIT);
    makeLayout(bindings, BUFFERS, VK_SHADER_STAGE_COMPUTE_BIT, sizeof(ShadeonceChunkPush));
    for (int fused = 0; fused < 2; fused++)
        for (uint32_t room = mesh.indexCount / 12 + 1; room;) room = draw(&mesh, fused, room, queue, c); // again after an overflow
    return 0;
}
