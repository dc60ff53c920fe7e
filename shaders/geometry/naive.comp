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
    sink_begin(batch.firstTriangle, batch.indexCount / 3u, 0u, batch.indexCount);
    for (uint t = lanes_lane(); t < batch.indexCount / 3u; t += LANES) {
        uint place = sink_place(batch.firstTriangle + t);
        for (uint c = 0u; c < 3u; c += SINK_ALONE) sink_alone(batchInput, batchIndex, place, c, batch.firstIndex + 3u * t + c);
    }
}
