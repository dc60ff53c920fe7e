#version 450
#extension GL_GOOGLE_include_directive : require

// multi-assemble: says of each corner where multi puts its vertex. It depends on
// nothing that multi writes, so that a GPU runs both at once.
//
// Input   batches[push.firstBatch + push.batchCount], indices of each
// Output  corners[]: triangles * 3, a place in the vertex queue each, in the
//         order of the stream. A record of 10-bit slots could not name it.
// Source  paper, section 4.2, the form that does not stream; indexed queue
// Dispatch one workgroup a batch of at most BATCH indices

#include "include/scene.glsl"

layout(constant_id = 2) const uint WORKGROUP = 256u; // invocations
layout(constant_id = 7) const uint BATCH = 3072u;    // indices a batch at most
const uint STEPS = (BATCH + WORKGROUP - 1u) / WORKGROUP;
layout(local_size_x = 32, local_size_x_id = 2, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 13, std430) restrict writeonly buffer Corners { uint corners[]; };

void main() {
    uint batchNumber = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    Batch batch = batches[push.firstBatch + min(batchNumber, push.batchCount - 1u)];
    uint count = batchNumber < push.batchCount ? batch.indexCount : 0u;
    uint countOffset = draws[batch.draw].countOffset;

    // All loads are under way before the first is needed.
    uint ids[STEPS];
    for (uint k = 0u; k < STEPS; k++) {
        uint i = gl_LocalInvocationID.x + k * WORKGROUP;
        ids[k] = indices[batch.firstIndex + min(i, batch.indexCount - 1u)];
    }
    for (uint k = 0u; k < STEPS; k++) {
        uint i = gl_LocalInvocationID.x + k * WORKGROUP;
        if (i < count) corners[3u * batch.firstTriangle + i] = countOffset + ids[k];
    }
}
