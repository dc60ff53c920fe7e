#version 450
#extension GL_GOOGLE_include_directive : require

// multi: every vertex of every draw shaded once, referenced or not; its triangles
// are the next pass's. The whole stream at once: the buffers have a place for
// each vertex, so that nothing is allocated and nothing can overflow.
//
// Input   batches[push.firstBatch + push.batchCount]: of a draw the vertices
//         from firstIndex on, indexCount of them
// Output  a vertex a (draw, vertex) pair, at countOffset + id: where the
//         rasterizer finds it (indexed), or multi-expand (expanded)
// Source  paper, section 4.2, the form that does not stream
// Dispatch one workgroup a batch

#include "include/shade.glsl"

layout(constant_id = 2) const uint WORKGROUP = 256u; // invocations
layout(constant_id = 5) const uint QUEUE = QUEUE_INDEXED;
layout(local_size_x = 32, local_size_x_id = 2, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 7, std430) restrict writeonly buffer VertexPositions { vec4 vertexPositions[]; };
layout(set = 0, binding = 8, std430) restrict writeonly buffer VertexAttributes { uvec2 vertexAttributes[]; };
layout(set = 0, binding = 11, std430) restrict writeonly buffer ScratchPositions { vec4 scratchPositions[]; };
layout(set = 0, binding = 12, std430) restrict writeonly buffer ScratchAttributes { uvec2 scratchAttributes[]; };

void main() {
    uint batchNumber = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint batchIndex = push.firstBatch + min(batchNumber, push.batchCount - 1u);
    Batch batch = batches[batchIndex];
    BatchInput batchInput = shade_begin(batch.draw);
    uint count = batchNumber < push.batchCount ? batch.indexCount : 0u;

    for (uint i = gl_LocalInvocationID.x; i < count; i += WORKGROUP) {
        uint id = batch.firstIndex + i;
        uint place = batchInput.draw.countOffset + id;
        ShadedVertex v = shade_vertex(batchInput, id, batchIndex);
        if (QUEUE == QUEUE_INDEXED) {
            vertexPositions[place] = v.posClip;
            if (HAS_ATTRIBUTES) vertexAttributes[place] = v.attributes;
        } else {
            scratchPositions[place] = v.posClip;
            if (HAS_ATTRIBUTES) scratchAttributes[place] = v.attributes;
        }
    }
}
