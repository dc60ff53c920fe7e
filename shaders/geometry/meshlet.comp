#version 450
#extension GL_GOOGLE_include_directive : require

// meshlet: shades the vertices that the host has listed for each batch. Nothing is
// searched for, and nothing allocated, since the host knows how many vertices each
// batch has.
//
// Input   batches[push.batchCount]; of each a list, its ids and a word per triangle
// Output  each vertex of a batch once, and a record per triangle (indexed) or 3
//         vertices per triangle (expanded)
// Source  what engines do for mesh shaders; the paper's strategies find on the fly
//         what is in the list
// Dispatch one workgroup per batch

#define EMIT_VERTICES UNIQUE
#include "include/emit.glsl"

layout(binding = BINDING_MESHLETS, std430) readonly buffer Meshlets { Meshlet meshlets[]; }; // one per batch
// For each meshlet vertexCount ids, then a word per triangle: the positions of its corners
// in that list, lowest byte first.
layout(binding = BINDING_MESHLET_WORDS, std430) readonly buffer MeshletWords { uint meshletWords[]; };

const uint TRIANGLES = (BATCH / 3u + WORKGROUP - 1u) / WORKGROUP; // of an invocation, at most

uint meshlet_first; // where the batch's list begins in meshletWords[]

uint emit_id(uint i) { return meshletWords[meshlet_first + i]; }

void main() {
    uint batchIndex;
    Batch batch = group_batch(batchIndex);
    Meshlet meshlet = meshlets[batchIndex];
    if (batch.indexCount == 0u) { // a workgroup beyond the last batch
        sink_begin(0u, 0u, 0u, 0u); // without this, a mesh shader outputs what its memory happens to hold
        return;
    }
    meshlet_first = meshlet.firstWord;
    uint triangleCount = batch.indexCount / 3u;

    // All loads of triangles are in flight while the vertices are shaded.
    uint corners[TRIANGLES];
    for (uint k = 0u; k < TRIANGLES; k++) {
        uint t = gl_LocalInvocationID.x + k * WORKGROUP;
        corners[k] = meshletWords[meshlet_first + meshlet.vertexCount + min(t, triangleCount - 1u)];
    }
    BatchInput batchInput = shade_begin(batch.draw);
    sink_begin(batch.firstTriangle, triangleCount, meshlet.firstVertex, meshlet.vertexCount);
    emit_vertices(batchInput, batchIndex, meshlet.vertexCount, meshlet.firstVertex);
    if (!WRITE) return;
    uint place = sink_place(batch.firstTriangle);
    for (uint k = 0u; k < TRIANGLES; k++) {
        uint t = gl_LocalInvocationID.x + k * WORKGROUP;
        uvec3 slots = uvec3(corners[k], corners[k] >> 8, corners[k] >> 16) & 255u;
        if (t < triangleCount) sink_triangle(batchInput, place + t, meshlet.firstVertex, slots);
    }
    sink_end(batchInput, meshlet.vertexCount);
}
