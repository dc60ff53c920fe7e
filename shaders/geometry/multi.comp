#version 450
#extension GL_GOOGLE_include_directive : require

// multi: shades every id of every draw once, referenced or not. Another pass
// assembles the triangles. multi processes the whole stream at once: the buffers have
// a place for each id, so that nothing is allocated and nothing can overflow.
//
// Input   batches[push.firstBatch + push.batchCount]: indexCount ids of a draw,
//         from firstIndex on
// Output  a result per (draw, id) pair, at countOffset + id: where the rasterizer
//         finds it (indexed), or multi-expand (results that corners take)
// Source  paper, section 4.2, the form that does not stream
// Dispatch one workgroup per batch

#include "include/group.glsl"
#include "include/multi.glsl"

void main() {
    uint batchIndex;
    Batch batch = group_batch(batchIndex);
    BatchInput batchInput = shade_begin(batch.draw);
    for (uint i = gl_LocalInvocationID.x; i < batch.indexCount; i += WORKGROUP) {
        uint id = batch.firstIndex + i;
        multi_put(multi_offset(batch.draw) + id, id, shade_id(batchInput, id, batchIndex));
    }
}
