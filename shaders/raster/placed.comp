#version 450
#extension GL_GOOGLE_include_directive : require

// raster:placed: draws the triangles of whole draws, whose vertices multi has placed, or lists them by size.
//
// Input   batches[push.firstBatch + push.batchCount], indices of each: triangles * 3; places of all vertices
// Output  the visibility buffer; rasterTriangles[] of the triangles that are not small
// Dispatch one workgroup per batch. Its invocations first list the triangles that may show something, and then draw
//         these, so that none waits while others draw

#define MULTI_TAKES
#include "include/group.glsl"
#include "include/fused.glsl"
#include "include/multi_fused.glsl"

shared uint shListed;
shared uint shList[BATCH / 3u]; // triangles of the batch

void placed_corners(uint first, uint offset, out PlacedVertex v[3]) {
    for (uint c = 0u; c < 3u; c++) v[c] = multi_placed(offset + stream_index(first + c));
}

void main() {
    uint batchIndex;
    Batch batch = group_batch(batchIndex);
    uint offset = draws[batch.draw].countOffset;
    if (gl_LocalInvocationID.x == 0u) shListed = 0u;
    barrier();
    PlacedVertex v[3];
    for (uint t = gl_LocalInvocationID.x; t < batch.indexCount / 3u; t += WORKGROUP) {
        placed_corners(batch.firstIndex + 3u * t, offset, v);
        if (fused_shows(v[0], v[1], v[2])) shList[atomicAdd(shListed, 1u)] = t;
    }
    barrier();
    for (uint i = gl_LocalInvocationID.x; i < shListed; i += WORKGROUP) {
        uint t = shList[i];
        placed_corners(batch.firstIndex + 3u * t, offset, v);
        fused_triangle(batch.firstTriangle + t - push.firstTriangle, v[0], v[1], v[2], 0u);
    }
}
