#version 450
#extension GL_GOOGLE_include_directive : require

// multi-expand: copies each corner's vertex from where multi has put it.
//
// Input   batches[push.firstBatch + push.batchCount], indices of each; a shaded
//         vertex a (draw, vertex) pair
// Output  a vertex an index, in the order of the stream
// Source  paper, section 4.2, the form that does not stream; expanded queue
// Dispatch one workgroup a batch of at most BATCH indices

#include "include/scene.glsl"

layout(constant_id = 2) const uint WORKGROUP = 256u; // invocations
layout(constant_id = 3) const uint VIEW = VIEW_COUNTS;
layout(constant_id = 20) const uint VERTEX_SHADER = VERTEX_TRANSFORM;
layout(constant_id = 7) const uint BATCH = 3072u;    // indices a batch at most
const uint STEPS = (BATCH + WORKGROUP - 1u) / WORKGROUP;
layout(local_size_x = 32, local_size_x_id = 2, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 7, std430) restrict writeonly buffer VertexPositions { vec4 vertexPositions[]; };
layout(set = 0, binding = 8, std430) restrict writeonly buffer VertexAttributes { uvec2 vertexAttributes[]; };
layout(set = 0, binding = 11, std430) restrict readonly buffer ScratchPositions { vec4 scratchPositions[]; };
layout(set = 0, binding = 12, std430) restrict readonly buffer ScratchAttributes { uvec2 scratchAttributes[]; };

void main() {
    uint batchNumber = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    Batch batch = batches[push.firstBatch + min(batchNumber, push.batchCount - 1u)];
    uint count = batchNumber < push.batchCount ? batch.indexCount : 0u;
    uint countOffset = draws[batch.draw].countOffset;

    // All indices are under way before the first is needed.
    uint from[STEPS];
    for (uint k = 0u; k < STEPS; k++) {
        uint i = gl_LocalInvocationID.x + k * WORKGROUP;
        from[k] = countOffset + indices[batch.firstIndex + min(i, batch.indexCount - 1u)];
    }
    for (uint k = 0u; k < STEPS; k++) {
        uint i = gl_LocalInvocationID.x + k * WORKGROUP;
        if (i >= count) continue;
        uint place = 3u * batch.firstTriangle + i;
        vertexPositions[place] = scratchPositions[from[k]];
        if (VIEW != VIEW_NONE || VERTEX_SHADER != VERTEX_TRANSFORM) vertexAttributes[place] = scratchAttributes[from[k]];
    }
}
