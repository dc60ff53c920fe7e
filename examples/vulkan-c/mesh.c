// Draws a mesh with shadeonce's strategy `claim` as a mesh shader: it takes the plain index buffer, and needs no queue, no atomic and only the first
// batch made beforehand. Prints how often vertices were shaded (which takes atomics), and writes mesh.ppm. docs/embedding.md explains it.
//
//     mesh-c MESH.obj [DEVICE]
//
// VK_EXT_mesh_shader needs SPIR-V 1.4, and so Vulkan 1.2.
#include "layout.h"
#include "plain.h"

enum { LANES = 32, TABLE = 128, MOST_GROUPS = 65535 }; // the build defines BATCH, since the shader declares its outputs by it

// The buffers, and the binding of each.
enum { INDICES, BATCHES, COUNTS, MESH, VIEW, BUFFERS };
static const uint32_t bindings[BUFFERS] = {SHADEONCE_BINDING_INDICES, SHADEONCE_BINDING_BATCHES, SHADEONCE_BINDING_COUNTS,
    SHADEONCE_BINDING_OWN, SHADEONCE_BINDING_OWN + 1};

static VkPipeline claim(void) {
    int native = hasLanes(LANES, VK_SHADER_STAGE_MESH_BIT_EXT);
    Constant constants[] = {
        {SHADEONCE_SPEC_LANES, LANES}, {SHADEONCE_SPEC_NATIVE, native}, {SHADEONCE_SPEC_WORKGROUP, LANES}, // a workgroup takes one batch
        {SHADEONCE_SPEC_BATCH, BATCH}, {SHADEONCE_SPEC_TABLE, TABLE},
        {SHADEONCE_SPEC_EVEN, 1},  // shaders derive all batches from the first, the only one that the host makes
        {SHADEONCE_SPEC_COUNT, 1}, // 0 if nobody reads the counts: the shader then uses no atomics
    };
    VkPipelineShaderStageCreateInfo s = stage("claim_mesh", VK_SHADER_STAGE_MESH_BIT_EXT);
    s.pSpecializationInfo = specialize(constants, sizeof constants / sizeof *constants);
    if (native) requireLanes(&s, LANES);
    return graphics(s);
}

int main(int argc, char **argv) {
    if (argc != 2 && argc != 3) fail("usage: mesh-c MESH.obj [DEVICE]");
    Mesh m = readOBJ(argv[1]);
    openDevice(argv[2], VK_API_VERSION_1_2);
    if (!meshShaders) fail("the device has no VK_EXT_mesh_shader");
    PFN_vkCmdDrawMeshTasksEXT drawMeshTasks = (PFN_vkCmdDrawMeshTasksEXT)vkGetDeviceProcAddr(device, "vkCmdDrawMeshTasksEXT");
    makeLayout(bindings, BUFFERS, VK_SHADER_STAGE_MESH_BIT_EXT, sizeof(ShadeonceChunkPush));

    uint32_t batches = (m.indexCount + BATCH - 1) / BATCH, across = batches < MOST_GROUPS ? batches : MOST_GROUPS;
    Buffer b[BUFFERS] = {[INDICES] = makeBuffer(4 * m.indexCount), [BATCHES] = makeBuffer(sizeof(ShadeonceBatch)),
        [COUNTS] = makeBuffer(4 * m.vertexCount), [MESH] = makeBuffer(24 * m.vertexCount), [VIEW] = makeBuffer(64)};
    Buffer picture = makeBuffer(4 * WIDTH * HEIGHT);
    for (int i = 0; i < BUFFERS; i++) bind(bindings[i], &b[i]);
    memset(b[COUNTS].data, 0, 4 * m.vertexCount);
    memcpy(b[INDICES].data, m.indices, 4 * m.indexCount);
    memcpy(b[MESH].data, m.vertices, 24 * m.vertexCount);
    lookAt(&m, b[VIEW].data);
    *(ShadeonceBatch *)b[BATCHES].data = (ShadeonceBatch){.indexCount = BATCH};
    ShadeonceChunkPush push = {.batchCount = batches, .triangleCount = m.indexCount / 3, .multiplier = 2654435769u};

    VkPipeline pipeline = claim();
    begin();
    beginPicture();
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_MESH_BIT_EXT, 0, sizeof push, &push);
    drawMeshTasks(commands, across, (batches + across - 1) / across, 1);
    endPicture(picture.handle);
    submit();
    printCounts("mesh", &m, b[COUNTS].data);
    writePPM("mesh.ppm", picture.data);
    return 0;
}
