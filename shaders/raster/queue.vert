#version 450
#extension GL_GOOGLE_include_directive : require

// Fetches a vertex from the vertex queue. corners[] is the index buffer of the indexed
// form, so that the device's own cache runs this once for several corners; in the
// expanded form gl_VertexIndex = 3 * place + corner.
//
// Input   vertexPositions[], vertexAttributes[], counts[]
// Output  clip position; light and times shaded; the triangle's colour (flat)
// Dispatch vkCmdDrawIndexedIndirect or vkCmdDrawIndirect over queueStates[chunk]

#include "include/layout.glsl"
#include "include/color.glsl"

layout(binding = BINDING_VERTEX_POSITIONS, std430) readonly buffer VertexPositions { vec4 vertexPositions[]; };
layout(binding = BINDING_VERTEX_ATTRIBUTES, std430) readonly buffer VertexAttributes { uvec2 vertexAttributes[]; };
layout(binding = BINDING_COUNTS, std430) readonly buffer Counts { uint counts[]; };

// Few and packed, since every varying costs set-up per triangle.
layout(location = 0) out vec2 lightAndTimes; // light 0..1; times shaded, at most 6
layout(location = 1) flat out vec3 color;    // linear RGB, not for the counts view

void main() {
    uint vertex = uint(gl_VertexIndex);
    uvec2 attributes = vertexAttributes[vertex];
    gl_Position = vertexPositions[vertex];
    vec4 unpacked = unpackUnorm4x8(attributes.y);
    color = VIEW == VIEW_BATCHES ? color_hash(attributes.x) : unpacked.rgb;
    lightAndTimes = vec2(unpacked.a, VIEW == VIEW_COUNTS ? float(min(counts[attributes.x], 6u)) : 0.0);
}
