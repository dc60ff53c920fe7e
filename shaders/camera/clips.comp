#version 450
#extension GL_GOOGLE_include_directive : require

// camera:clips: multiplies the camera's matrix with each draw's, so that a vertex is
// transformed only once.
//
// Input   draws[], camera
// Output  clips[]: a matrix per draw, from model to clip space
// Dispatch one invocation per draw, 64 per workgroup, in one or two dimensions

#include "include/layout.glsl"
#include "include/exact.glsl"
#include "include/dispatch.glsl"

layout(local_size_x = 64) in;
layout(binding = BINDING_DRAWS, std430) readonly buffer Draws { Draw draws[]; };
layout(binding = BINDING_CAMERAS, std140) uniform Cameras { Camera camera; };
layout(binding = BINDING_CLIPS, std430) writeonly buffer Clips { mat4 clips[]; };

void main() {
    uint i = 64u * dispatch_workgroup() + gl_LocalInvocationID.x;
    if (i >= uint(clips.length())) return;
    if ((draws[i].flags & DRAW_HIDDEN) != 0u) { // in front of the near plane, wherever its vertices are
        clips[i] = mat4(vec4(0.0), vec4(0.0), vec4(0.0), vec4(0.0, 0.0, -1.0, 1.0));
        return;
    }
    mat4 transform = draws[i].transform;
    for (uint column = 0u; column < 4u; column++) clips[i][column] = exact_transform(camera.viewProj, transform[column]);
}
