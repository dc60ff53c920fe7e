#version 450
#extension GL_GOOGLE_include_directive : require

// naive-index: one thread per index, which it shades. A vertex's place in the queue is
// its index's place in the stream, so that neighbouring threads write side by side.
//
// Input   batches[push.batchCount], indices of each: triangles * 3
// Output  indexed: a vertex per index and a record per triangle; expanded: a vertex
//         per index; drawn at once (include/fused.glsl), it has a thread per triangle,
//         which needs all three vertices
// Source  the fastest form without reuse that we know of; not in the paper
// Dispatch one workgroup per batch

#include "include/group.glsl"
#include "include/sink.glsl"

void main() {
    uint batchIndex;
    Batch batch = group_batch(batchIndex);
    BatchInput batchInput = shade_begin(batch.draw);
    if (SINK_DRAWN) {
        for (uint t = gl_LocalInvocationID.x; t < batch.indexCount / 3u; t += WORKGROUP) {
            sink_shadeTriangle(batchInput, batchIndex, queue_trianglePlace(batch.firstTriangle + t), batch.firstIndex + 3u * t);
        }
        return;
    }
    for (uint i = gl_LocalInvocationID.x; i < batch.indexCount; i += WORKGROUP) {
        uint place = queue_trianglePlace(batch.firstTriangle + i / 3u);
        uint id = stream_index(batch.firstIndex + i);
        sink_alone(place, i % 3u, id, shade_id(batchInput, id, batchIndex));
    }
}
