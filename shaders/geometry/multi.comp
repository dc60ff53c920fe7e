#version 450
#extension GL_GOOGLE_include_directive : require

// multi: shades every vertex of every draw once, referenced or not. Another pass
// assembles the triangles. It takes the whole stream at once: the buffers have a
// place for each vertex, so that nothing is allocated and nothing can overflow.
//
// Input   batches[push.firstBatch + push.batchCount]: indexCount vertices of a draw,
//         from firstIndex on
// Output  a vertex per (draw, vertex) pair, at countOffset + id: where the
//         rasterizer finds it (indexed), or multi-expand (expanded)
// Source  paper, section 4.2, the form that does not stream
// Dispatch one workgroup per batch

#include "include/group.glsl"
#include "include/shade.glsl"

layout(binding = BINDING_VERTEX_POSITIONS, std430) restrict writeonly buffer VertexPositions { vec4 vertexPositions[]; };
layout(binding = BINDING_VERTEX_ATTRIBUTES, std430) restrict writeonly buffer VertexAttributes { uvec2 vertexAttributes[]; };
layout(binding = BINDING_SCRATCH_POSITIONS, std430) restrict writeonly buffer ScratchPositions { vec4 scratchPositions[]; };
layout(binding = BINDING_SCRATCH_ATTRIBUTES, std430) restrict writeonly buffer ScratchAttributes { uvec2 scratchAttributes[]; };

void main() {
    uint batchIndex;
    Batch batch = group_batch(batchIndex);
    BatchInput batchInput = shade_begin(batch.draw);
    for (uint i = gl_LocalInvocationID.x; i < batch.indexCount; i += WORKGROUP) {
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
