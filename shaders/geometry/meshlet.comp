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
//         what stands in the list
// Dispatch one workgroup per batch

#define EMIT_VERTICES UNIQUE
#include "include/emit.glsl"

layout(binding = BINDING_MESHLETS, std430) readonly buffer Meshlets { Meshlet meshlets[]; }; // one per batch
// Of each meshlet vertexCount ids, then a word per triangle: the places of its corners
// in that list, from the lowest byte on.
layout(binding = BINDING_MESHLET_WORDS, std430) readonly buffer MeshletWords { uint meshletWords[]; };

uint meshlet_first; // its word in meshletWords[]

uint emit_id(uint i) { return meshletWords[meshlet_first + i]; }

void main() {
    uint batchIndex;
    Batch batch = group_batch(batchIndex);
    Meshlet meshlet = meshlets[batchIndex];
    if (batch.indexCount == 0u) return; // a workgroup beyond the last batch
    meshlet_first = meshlet.firstWord;
    emit_vertices(shade_begin(batch.draw), batchIndex, meshlet.vertexCount, meshlet.firstVertex);
    if (!WRITE) return;
    uint place = queue_trianglePlace(batch.firstTriangle);
    for (uint t = gl_LocalInvocationID.x; t < batch.indexCount / 3u; t += WORKGROUP) {
        uint word = meshletWords[meshlet_first + meshlet.vertexCount + t];
        emit_triangle(place + t, meshlet.firstVertex, uvec3(word, word >> 8, word >> 16) & 255u);
    }
}
