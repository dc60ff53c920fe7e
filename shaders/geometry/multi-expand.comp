#version 450
#extension GL_GOOGLE_include_directive : require

// multi-expand: passes to each corner the result of its id, which multi has stored.
//
// Input   batches[push.firstBatch + push.batchCount], indices of each; a result
//         per (draw, id) pair
// Output  the outputs of the corners: in the expanded queue a vertex per index, in
//         the order of the stream
// Source  paper, section 4.2, the form that does not stream
// Dispatch one workgroup per batch of at most BATCH indices

#define MULTI_TAKES
#include "include/group.glsl"
#include "include/multi.glsl"

const uint STEPS = (BATCH + WORKGROUP - 1u) / WORKGROUP;

void main() {
    uint batchIndex;
    Batch batch = group_batch(batchIndex);
    uint offset = multi_offset(batch.draw);

    // All loads are in flight before the first result is needed.
    uint from[STEPS];
    for (uint k = 0u; k < STEPS; k++) {
        uint i = gl_LocalInvocationID.x + k * WORKGROUP;
        from[k] = offset + stream_index(batch.firstIndex + min(i, max(batch.indexCount, 1u) - 1u));
    }
    for (uint k = 0u; k < STEPS; k++) {
        uint i = gl_LocalInvocationID.x + k * WORKGROUP;
        if (i < batch.indexCount) multi_take(3u * batch.firstTriangle + i, from[k]);
    }
}
