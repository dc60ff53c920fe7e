#version 450
#extension GL_GOOGLE_include_directive : require

// Joins the camera with each draw's transform, so that a vertex is transformed once.
//
// Input   draws[], camera
// Output  clips[]: a matrix a draw, from model to clip space
// Dispatch one invocation a draw, 64 a workgroup, in one or two dimensions

#include "include/layout.glsl"
#include "include/exact.glsl"

layout(local_size_x = 64) in;
layout(set = 0, binding = 3, std430) readonly buffer Draws { Draw draws[]; };
layout(set = 0, binding = 5, std140) uniform Cameras { Camera camera; };
layout(set = 0, binding = 22, std430) writeonly buffer Clips { mat4 clips[]; };

void main() {
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint i = 64u * group + gl_LocalInvocationID.x;
    if (i >= uint(clips.length())) return;
    mat4 transform = draws[i].transform;
    for (uint column = 0u; column < 4u; column++) clips[i][column] = exact_transform(camera.viewProj, transform[column]);
}
