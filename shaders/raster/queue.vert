#version 450
#extension GL_GOOGLE_include_directive : require

// Fetches a corner of a triangle from the queues: gl_VertexIndex = 3 * place + corner.
//
// Input   triangles[] or corners[], vertexPositions[], vertexAttributes[], counts[]
// Output  clip position; light and times shaded; the triangle's colour (flat)
// Dispatch vkCmdDrawIndirect over queueStates[chunk]

#include "include/layout.glsl"
#include "include/color.glsl"

layout(binding = BINDING_VERTEX_POSITIONS, std430) readonly buffer VertexPositions { vec4 vertexPositions[]; };
layout(binding = BINDING_VERTEX_ATTRIBUTES, std430) readonly buffer VertexAttributes { uvec2 vertexAttributes[]; };
layout(binding = BINDING_TRIANGLES, std430) readonly buffer Triangles { uvec2 triangles[]; };
layout(binding = BINDING_COUNTS, std430) readonly buffer Counts { uint counts[]; };
layout(binding = BINDING_CORNERS, std430) readonly buffer Corners { uint corners[]; };

// Few and packed, since every varying costs set-up per triangle.
layout(location = 0) out vec2 lightAndTimes; // light 0..1; times shaded, at most 6
layout(location = 1) flat out vec3 color;    // linear RGB, not for the counts view

void main() {
    uint vertex = uint(gl_VertexIndex);
    if (QUEUE == QUEUE_INDEXED && CORNERS) {
        vertex = corners[vertex];
    } else if (QUEUE == QUEUE_INDEXED) {
        uvec2 record = triangles[vertex / 3u];
        vertex = record.y + ((record.x >> (10u * (vertex % 3u))) & 1023u);
    }
    uvec2 attributes = vertexAttributes[vertex];
    gl_Position = vertexPositions[vertex];
    vec4 unpacked = unpackUnorm4x8(attributes.y);
    color = VIEW == VIEW_BATCHES ? color_hash(attributes.x) : unpacked.rgb;
    lightAndTimes = vec2(unpacked.a, VIEW == VIEW_COUNTS ? float(min(counts[attributes.x], 6u)) : 0.0);
}
