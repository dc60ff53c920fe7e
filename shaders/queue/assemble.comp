#version 450
#extension GL_GOOGLE_include_directive : require

// multi-assemble: writes for each corner the place of its vertex, which multi
// shades. It reads nothing that multi writes, so that a GPU can run both at once.
//
// Input   batches[push.firstBatch + push.batchCount], indices of each
// Output  corners[]: triangles * 3, a place in the vertex queue each, in the
//         order of the stream. A record's 10-bit slots could not hold it.
// Source  paper, section 4.2, the form that does not stream; indexed queue
// Dispatch one workgroup per batch of at most BATCH indices

#include "include/group.glsl"
#include "include/scene.glsl"

const uint STEPS = (BATCH + WORKGROUP - 1u) / WORKGROUP;

layout(binding = BINDING_CORNERS, std430) restrict writeonly buffer Corners { uint corners[]; };

void main() {
    uint batchIndex;
    Batch batch = group_batch(batchIndex);
    uint countOffset = draws[batch.draw].countOffset;

    // All loads are in flight before the first result is needed.
    uint ids[STEPS];
    for (uint k = 0u; k < STEPS; k++) {
        uint i = gl_LocalInvocationID.x + k * WORKGROUP;
        ids[k] = stream_index(batch.firstIndex + min(i, max(batch.indexCount, 1u) - 1u));
    }
    for (uint k = 0u; k < STEPS; k++) {
        uint i = gl_LocalInvocationID.x + k * WORKGROUP;
        if (i < batch.indexCount) corners[3u * batch.firstTriangle + i] = countOffset + ids[k];
    }
}
