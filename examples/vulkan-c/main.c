// Draws a mesh with shadeonce's strategy `claim`, in a renderer that has nothing else of
// shadeonce: once through queues, which a graphics pipeline draws, and once fused, into a
// visibility buffer. Prints how often vertices were shaded, and writes queue.ppm and
// fused.ppm. docs/embedding.md explains bindings, sizes and overflow.
//
//     vulkan-c MESH.obj [DEVICE]
//
// It needs Vulkan 1.1. Fused passes also need 64-bit atomics (VK_KHR_shader_atomic_int64), and are left out on devices without.
#include <stddef.h>

#include "layout.h"
#include "plain.h"

enum { LANES = 32, BATCH = 384, TABLE = 256, MOST_GROUPS = 65535, COMPUTE = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT };

// The buffers, and the binding of each.
enum { INDICES, BATCHES, COUNTS, TRIANGLES, CORNERS, STATE, LISTED, LISTS, MARKS, VISIBLE, SPILLED, PICTURE, MESH, VIEW, QUEUE, BUFFERS };
static const uint32_t bindings[BUFFERS] = {
    SHADEONCE_BINDING_INDICES, SHADEONCE_BINDING_BATCHES, SHADEONCE_BINDING_COUNTS, SHADEONCE_BINDING_TRIANGLES, SHADEONCE_BINDING_CORNERS,
    SHADEONCE_BINDING_QUEUE_STATES, SHADEONCE_BINDING_RASTER_TRIANGLES, SHADEONCE_BINDING_RASTER_LISTS, SHADEONCE_BINDING_TILE_MARKS,
    SHADEONCE_BINDING_VISIBLE, SHADEONCE_BINDING_SPILLED, SHADEONCE_BINDING_PICTURE_COLOR, // then those of own/vertex.glsl
    SHADEONCE_BINDING_OWN, SHADEONCE_BINDING_OWN + 1, SHADEONCE_BINDING_OWN + 2,
};

static Buffer b[BUFFERS];
static int native; // the device has subgroups of LANES lanes

// Makes a compute pipeline, with full subgroups of LANES lanes if `full`. All pipelines get the same constants: Vulkan ignores those
// that a shader lacks.
static VkPipeline compute(const char *name, int full) {
    Constant constants[] = {
        {SHADEONCE_SPEC_LANES, LANES}, {SHADEONCE_SPEC_NATIVE, native}, {SHADEONCE_SPEC_WORKGROUP, native ? 4 * LANES : LANES},
        {SHADEONCE_SPEC_BATCH, BATCH}, {SHADEONCE_SPEC_TABLE, TABLE}, {SHADEONCE_SPEC_MAX_GROUPS, MOST_GROUPS},
        {SHADEONCE_SPEC_CORNERS, 1}, // an index buffer, not records of our own
        {SHADEONCE_SPEC_ONE_DRAW, 1},
    };
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = stage(name, VK_SHADER_STAGE_COMPUTE_BIT), .layout = layout};
    info.stage.pSpecializationInfo = specialize(constants, sizeof constants / sizeof *constants);
    if (full) requireLanes(&info.stage, LANES);
    VkPipeline p;
    CHECK(vkCreateComputePipelines(device, NULL, 1, &info, NULL, &p));
    return p;
}

static void dispatch(VkPipeline p, uint32_t x, uint32_t y) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, p);
    vkCmdDispatch(commands, x, y, 1);
}

// Records the geometry pass, which fills the queues, and the graphics pipeline, which draws them.
static void recordQueues(const VkPipeline p[3], uint32_t x, uint32_t y) {
    dispatch(p[0], x, y);
    barrier(COMPUTE, VK_ACCESS_SHADER_WRITE_BIT, COMPUTE, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    dispatch(p[1], 1, 1); // the arguments of the draw; nothing is drawn after an overflow
    barrier(COMPUTE, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_VERTEX_INPUT_BIT,
        VK_ACCESS_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_INDEX_READ_BIT | VK_ACCESS_VERTEX_ATTRIBUTE_READ_BIT);
    beginPicture();
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, p[2]);
    vkCmdBindVertexBuffers(commands, 0, 1, &b[QUEUE].handle, &(VkDeviceSize){0});
    vkCmdBindIndexBuffer(commands, b[CORNERS].handle, 0, VK_INDEX_TYPE_UINT32);
    vkCmdDrawIndexedIndirect(commands, b[STATE].handle, offsetof(ShadeonceQueueState, drawVertexCount), 1, 0);
    endPicture(b[PICTURE].handle);
}

// Records the pass that shades vertices, draws small triangles and lists the others by size; the passes that draw the lists, which
// may run at the same time; and the pass that colours the picture.
static void recordFused(const VkPipeline *p, uint32_t x, uint32_t y) {
    dispatch(p[0], x, y);
    barrier(COMPUTE, VK_ACCESS_SHADER_WRITE_BIT, COMPUTE | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
        VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
    for (uint32_t list = SHADEONCE_LIST_MEDIUM; list < SHADEONCE_RASTER_CLASSES; list++) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, p[list]);
        vkCmdDispatchIndirect(commands, b[LISTS].handle, list * sizeof(ShadeonceRasterList));
    }
    barrier(COMPUTE, VK_ACCESS_SHADER_WRITE_BIT, COMPUTE, VK_ACCESS_SHADER_READ_BIT);
    dispatch(p[SHADEONCE_RASTER_CLASSES], (WIDTH + 7) / 8, (HEIGHT + 7) / 8); // resolve
}

static void make(int buffer, VkDeviceSize size) {
    if (b[buffer].handle) freeBuffer(&b[buffer]);
    b[buffer] = makeBuffer(size);
    bind(bindings[buffer], &b[buffer]);
}

// Records one frame. It begins with a barrier, since an earlier frame may still use the buffers that it fills.
static void recordFrame(const ShadeonceChunkPush *push, int fused, const VkPipeline *pipelines, uint32_t groups) {
    uint32_t across = groups < MOST_GROUPS ? groups : MOST_GROUPS;
    barrier(COMPUTE | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_VERTEX_INPUT_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
        VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT, COMPUTE | VK_PIPELINE_STAGE_TRANSFER_BIT,
        VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
    for (const int *zero = (int[]){COUNTS, STATE, LISTS, MARKS, VISIBLE, -1}; *zero >= 0; zero++)
        vkCmdFillBuffer(commands, b[*zero].handle, 0, VK_WHOLE_SIZE, 0);
    barrier(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, COMPUTE, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof *push, push);
    (fused ? recordFused : recordQueues)(pipelines, across, (groups + across - 1) / across);
}

// Draws two frames in a row, and after an overflow two more. The vertex queue has slots reserved for each triangle, and further ones at
// its end.
static void draw(const Mesh *m, int fused, const VkPipeline *pipelines) {
    uint32_t triangles = m->indexCount / 3, batches = (m->indexCount + BATCH - 1) / BATCH;
    ShadeonceChunkPush push = {.batchCount = batches, .triangleCount = triangles, .triangleCapacity = triangles, .multiplier = 2654435769u,
        .vertexPlaces = fused ? 0 : 18, // per triangle, in sixteenths: a strip fits
        .width = WIDTH, .height = HEIGHT};
    const ShadeonceQueueState *state = b[STATE].data;
    uint32_t room = triangles / 4 + 48;
    for (int again = 0;; again = 1) {
        push.vertexCapacity = (triangles * push.vertexPlaces >> 4) + room;
        make(fused ? SPILLED : QUEUE, (VkDeviceSize)push.vertexCapacity * (fused ? sizeof(ShadeoncePlacedVertex) : 32));
        begin();
        for (int frame = 0; frame < 2; frame++) recordFrame(&push, fused, pipelines, native ? (batches + 3) / 4 : batches);
        submit();
        if (!state->overflowBits) break;
        if (state->overflowBits & SHADEONCE_OVERFLOW_SIZES) fail("claim takes no such LANES, BATCH, TABLE and WORKGROUP");
        room = state->vertexCount; // the number of further slots that was needed
        if (again || state->overflowBits != SHADEONCE_OVERFLOW_VERTICES) fail("bits %u overflow, %u vertices needed", state->overflowBits, room);
    }
    printCounts(fused ? "fused" : "queue", m, b[COUNTS].data);
    writePPM(fused ? "fused.ppm" : "queue.ppm", b[PICTURE].data);
}

int main(int argc, char **argv) {
    if (argc != 2 && argc != 3) fail("usage: vulkan-c MESH.obj [DEVICE]");
    Mesh m = readOBJ(argv[1]);
    openDevice(argv[2], VK_API_VERSION_1_1);
    native = hasLanes(LANES, VK_SHADER_STAGE_COMPUTE_BIT);
    makeLayout(bindings, BUFFERS, VK_SHADER_STAGE_COMPUTE_BIT, sizeof(ShadeonceChunkPush));
    uint32_t triangles = m.indexCount / 3, batches = (m.indexCount + BATCH - 1) / BATCH, tile = SHADEONCE_RASTER_TILE;
    VkDeviceSize sizes[BUFFERS] = {
        [INDICES] = 4 * m.indexCount, [BATCHES] = sizeof(ShadeonceBatch) * batches, [COUNTS] = 4 * m.vertexCount, [TRIANGLES] = 8,
        [CORNERS] = 4 * m.indexCount, [STATE] = sizeof(ShadeonceQueueState), [LISTED] = 4 * (SHADEONCE_RASTER_CLASSES - 1) * triangles,
        [LISTS] = sizeof(ShadeonceRasterList) * SHADEONCE_RASTER_LISTS, [VISIBLE] = 8 * WIDTH * HEIGHT, [SPILLED] = 16,
        [MARKS] = 4 * ((WIDTH + tile - 1) / tile) * ((HEIGHT + tile - 1) / tile), [PICTURE] = 4 * WIDTH * HEIGHT,
        [MESH] = 24 * m.vertexCount, [VIEW] = 64, [QUEUE] = 32,
    };
    for (int i = 0; i < BUFFERS; i++) make(i, sizes[i]);
    memcpy(b[INDICES].data, m.indices, sizes[INDICES]);
    memcpy(b[MESH].data, m.vertices, sizes[MESH]);
    lookAt(&m, b[VIEW].data);
    for (uint32_t i = 0; i < batches; i++) { // every batch has BATCH indices of the stream, the last one the rest
        uint32_t first = i * BATCH, left = m.indexCount - first;
        ((ShadeonceBatch *)b[BATCHES].data)[i] = (ShadeonceBatch){
            .firstIndex = first, .indexCount = left < BATCH ? left : BATCH, .draw = 0, .firstTriangle = first / 3};
    }
    draw(&m, 0, (VkPipeline[]){compute("claim", native), compute("finish", 0), graphics(stage("draw_vert", VK_SHADER_STAGE_VERTEX_BIT))});
    if (atomics64)
        draw(&m, 1, (VkPipeline[]){compute("fused", native), [SHADEONCE_LIST_MEDIUM] = compute("medium", 0),
            [SHADEONCE_LIST_LARGE] = compute("large", 0), [SHADEONCE_LIST_TILED] = compute("tiled", 0),
            [SHADEONCE_LIST_CLIPPED] = compute("clipped", 0), [SHADEONCE_RASTER_CLASSES] = compute("resolve", 0)});
    return 0;
}
