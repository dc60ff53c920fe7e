#version 450
#extension GL_GOOGLE_include_directive : require

// raster:direct: transforms a vertex of an indexed draw. The graphics pipeline is the
// geometry stage, so the vertex reuse is the device's. The variant
// raster/direct-count counts its invocations.
//
// Input   gl_VertexIndex = index + the draw's vertexOffset, into positions[]
// Output  clip position; counts[], one per (draw, vertex) pair (COUNTING)
// Source  not in the paper
// Dispatch one vkCmdDrawIndexed per draw, with the draw's vertexOffset

#include "include/layout.glsl"

layout(binding = BINDING_POSITIONS, std430) readonly buffer Positions { float positions[]; }; // vertices * 3, model space
layout(binding = BINDING_DRAWS, std430) readonly buffer Draws { Draw draws[]; };
layout(binding = BINDING_CAMERAS, std140) uniform Cameras { Camera camera; };
#ifdef COUNTING
layout(binding = BINDING_COUNTS, std430) buffer Counts { uint counts[]; }; // times shaded, one per (draw, vertex) pair
#endif

layout(push_constant) uniform Push { DirectPush push; };

void main() {
    uint vertex = uint(gl_VertexIndex);
#ifdef COUNTING
    atomicAdd(counts[draws[push.draw].countOffset + vertex - draws[push.draw].vertexOffset], 1u);
#endif
    vec4 posObject = vec4(positions[3u * vertex], positions[3u * vertex + 1u], positions[3u * vertex + 2u], 1.0);
    gl_Position = camera.viewProj * (draws[push.draw].transform * posObject);
}
