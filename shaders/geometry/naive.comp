#version 450
#extension GL_GOOGLE_include_directive : require

// naive: one thread per triangle, every index shaded.
//
// Input   batches[push.batchCount], indices of each: triangles * 3
// Output  indexed: 3 vertices and a record per triangle; expanded: 3 vertices
// Source  paper, section 3.2, statically batched naive
// Dispatch one subgroup of LANES lanes per batch

#include "include/lanes.glsl"
#include "include/group.glsl"
#include "include/sink.glsl"

void main() {
    uint batchIndex;
    Batch batch = group_batch(batchIndex);
    BatchInput batchInput = shade_begin(batch.draw);
    for (uint t = lanes_lane(); t < batch.indexCount / 3u; t += LANES) {
        uint place = queue_trianglePlace(batch.firstTriangle + t);
        sink_shadeTriangle(batchInput, batchIndex, place, batch.firstIndex + 3u * t);
    }
}
