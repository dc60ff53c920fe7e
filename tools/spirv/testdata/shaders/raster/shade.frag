#version 450
#extension GL_GOOGLE_include_directive : require

#include "include/structs.glsl"

layout(set = 0, binding = 4, std430) readonly buffer One { Inner inner; };
layout(location = 0) out vec4 pixel;

void main() { pixel = vec4(inner.size_px, 0.0, 1.0); }
