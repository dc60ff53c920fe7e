#version 450
#extension GL_GOOGLE_include_directive : require

// hash: a workgroup enters its batch's indices into a table in shared memory.
//
// Input   batches[push.batchCount], indices of each: triangles * 3
// Output  at most UNIQUE vertices per batch, and a record per triangle (indexed) or
//         3 vertices per triangle (expanded)
// Source  paper, Algorithm 3, with its pseudocode corrected. The invocation that
//         enters an id takes the next slot, so that slots are dense. Their order is
//         left to chance; which vertices are shaded is not.
// Dispatch one workgroup per batch

#define EMIT_VERTICES UNIQUE
#define STRATEGY_NO_MESH
#include "include/table.glsl"

const uint TRIANGLES = (BATCH / 3u + WORKGROUP - 1u) / WORKGROUP; // of an invocation, at most

// The entry of an id, which is inserted if it is not there yet.
uint hash_insert(uint id) {
    uint entry = table_entry(id, 0u);
    for (uint probe = 0u; probe < TABLE; probe++) {
        if (table_take(entry, id)) break;
        entry = (entry + 1u) & (TABLE - 1u);
    }
    return entry;
}

void main() {
    uint tid = gl_LocalInvocationID.x;
    uint batchIndex;
    Batch batch = group_batch(batchIndex);
    uint triangleCount = batch.indexCount / 3u;

    // An invocation keeps its triangles in registers from load to assembly: first ids, then
    // their entries. All its loads are in flight before the first result is needed.
    uvec3 corners[TRIANGLES];
    for (uint k = 0u; k < TRIANGLES; k++) {
        uint t = tid + k * WORKGROUP;
        uint i = batch.firstIndex + 3u * min(t, max(triangleCount, 1u) - 1u);
        corners[k] = uvec3(stream_index(i), stream_index(i + 1u), stream_index(i + 2u));
    }
    table_clear();
    for (uint k = 0u; k < TRIANGLES; k++) {
        if (tid + k * WORKGROUP < triangleCount) {
            corners[k] = uvec3(hash_insert(corners[k].x), hash_insert(corners[k].y), hash_insert(corners[k].z));
        }
    }
    barrier();
    BatchInput batchInput = shade_begin(batch.draw);
    uint base = unique_emit(batchInput, batchIndex, min(shCount, UNIQUE));
    if (!WRITE) return;
    uint place = sink_place(batch.firstTriangle);
    for (uint k = 0u; k < TRIANGLES; k++) {
        uint t = tid + k * WORKGROUP;
        if (t < triangleCount) sink_triangle(batchInput, place + t, base, uvec3(shSlot[corners[k].x], shSlot[corners[k].y], shSlot[corners[k].z]));
    }
    sink_end(batchInput, min(shCount, UNIQUE));
}
