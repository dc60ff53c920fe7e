#version 450
#extension GL_GOOGLE_include_directive : require

// multi-expand: copies each corner's vertex from where multi put it.
//
// Input   batches[push.firstBatch + push.batchCount], indices of each; a shaded
//         vertex per (draw, vertex) pair
// Output  a vertex per index, in the order of the stream
// Source  paper, section 4.2, the form that does not stream; expanded queue
// Dispatch one workgroup per batch of at most BATCH indices

#include "include/group.glsl"

const uint STEPS = (BATCH + WORKGROUP - 1u) / WORKGROUP;

layout(binding = BINDING_VERTEX_POSITIONS, std430) restrict writeonly buffer VertexPositions { vec4 vertexPositions[]; };
layout(binding = BINDING_VERTEX_ATTRIBUTES, std430) restrict writeonly buffer VertexAttributes { uvec2 vertexAttributes[]; };
layout(binding = BINDING_SCRATCH_POSITIONS, std430) restrict readonly buffer ScratchPositions { vec4 scratchPositions[]; };
layout(binding = BINDING_SCRATCH_ATTRIBUTES, std430) restrict readonly buffer ScratchAttributes { uvec2 scratchAttributes[]; };

void main() {
    uint batchIndex;
    Batch batch = group_batch(batchIndex);
    uint countOffset = draws[batch.draw].countOffset;

    // All loads are under way before the first is needed.
    uint from[STEPS];
    for (uint k = 0u; k < STEPS; k++) {
        uint i = gl_LocalInvocationID.x + k * WORKGROUP;
        from[k] = countOffset + indices[batch.firstIndex + min(i, max(batch.indexCount, 1u) - 1u)];
    }
    for (uint k = 0u; k < STEPS; k++) {
        uint i = gl_LocalInvocationID.x + k * WORKGROUP;
        if (i >= batch.indexCount) continue;
        uint place = 3u * batch.firstTriangle + i;
        vertexPositions[place] = scratchPositions[from[k]];
        if (HAS_ATTRIBUTES) vertexAttributes[place] = scratchAttributes[from[k]];
    }
}
