#version 450
#extension GL_GOOGLE_include_directive : require

// Pulls a corner of a triangle from the queues: gl_VertexIndex = 3 * place + corner.
//
// Input   triangles[], vertexPositions[], vertexAttributes[], counts[]
// Output  clip position, colour (flat), light, heat, batch (flat)
// Dispatch vkCmdDrawIndirect over queueStates[chunk]

#include "include/layout.glsl"

layout(constant_id = 0) const uint VIEW = VIEW_COUNTS;
layout(constant_id = 1) const uint QUEUE = QUEUE_INDEXED;

layout(set = 0, binding = 0, std430) readonly buffer VertexPositions { vec4 vertexPositions[]; };
layout(set = 0, binding = 1, std430) readonly buffer VertexAttributes { uvec2 vertexAttributes[]; };
layout(set = 0, binding = 2, std430) readonly buffer Triangles { uvec2 triangles[]; };
layout(set = 0, binding = 3, std430) readonly buffer Counts { uint counts[]; };

layout(location = 0) flat out vec3 color; // linear RGB of the draw
layout(location = 1) out float light;     // 0..1
layout(location = 2) out float heat;      // times shaded, at most 6
layout(location = 3) flat out uint batchIndex;

void main() {
    uint vertex = uint(gl_VertexIndex);
    if (QUEUE == QUEUE_INDEXED) {
        uvec2 record = triangles[vertex / 3u];
        vertex = record.y + ((record.x >> (10u * (vertex % 3u))) & 1023u);
    }
    uvec2 attributes = vertexAttributes[vertex];
    gl_Position = vertexPositions[vertex];
    vec4 unpacked = unpackUnorm4x8(attributes.y);
    color = unpacked.rgb;
    light = unpacked.a;
    batchIndex = attributes.x;
    heat = VIEW == VIEW_COUNTS ? float(min(counts[attributes.x], 6u)) : 0.0;
}
