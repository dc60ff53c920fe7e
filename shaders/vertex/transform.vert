#version 450
#extension GL_GOOGLE_include_directive : require

// vertex/transform: transforms a vertex to clip space. The mesh's normal lights it.
//
// Input   position in model space; clip, the draw's matrix from there to clip space
// Output  clip position
// Dispatch joined with every pass that shades (include/custom.glsl)

#include "include/exact.glsl"

layout(location = 0) in vec3 position;
layout(location = 4) in mat4 clip;

void main() { gl_Position = exact_transform(clip, vec4(position, 1.0)); }
