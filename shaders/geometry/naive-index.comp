#version 450
#extension GL_GOOGLE_include_directive : require

// naive-index: one thread per index, which it shades. A vertex's place in the queue is
// its index's place in the stream, so that neighbouring threads write side by side.
//
// Input   batches[push.batchCount], indices of each: triangles * 3
// Output  indexed: a vertex per index and a record per triangle; expanded: a vertex
//         per index. If triangles are drawn at once (include/sink_fused.glsl), a thread
//         shades all three vertices of a triangle and draws it, or four threads do so
//         together (include/together.glsl)
// Source  the fastest form without reuse that we know of; not in the paper
// Dispatch one workgroup per batch

#define STRATEGY_NO_MESH
#include "include/group.glsl"
#include "include/sink.glsl"
#include "include/together.glsl"

void main() {
    uint batchIndex;
    Batch batch = group_batch(batchIndex);
    BatchInput batchInput = shade_begin(batch.draw);
    if (together_draw(batchInput, batchIndex, batch)) return;
    for (uint n = gl_LocalInvocationID.x; n < batch.indexCount / SINK_ALONE; n += WORKGROUP) {
        uint i = n * SINK_ALONE;
        sink_alone(batchInput, batchIndex, sink_place(batch.firstTriangle + i / 3u), i % 3u, batch.firstIndex + i);
    }
}
