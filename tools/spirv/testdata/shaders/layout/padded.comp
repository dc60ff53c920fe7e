#version 450
#extension GL_GOOGLE_include_directive : require

#include "include/structs.glsl"

layout(constant_id = 3) const uint WORKGROUP = 32u;
layout(constant_id = 1) const bool NATIVE = true;
layout(constant_id = 7) const int BIAS = -5;
layout(constant_id = 9) const float GAIN = 1.5;
layout(local_size_x_id = 3, local_size_y = 2) in;

layout(set = 0, binding = 12, std430) readonly buffer Items { Padded items[]; };
layout(set = 0, binding = 10, std430) writeonly buffer Results { uint resultCount; vec4 results[]; };
layout(set = 1, binding = 0, std140) uniform Settings { float gains[2]; vec3 tint; };
layout(push_constant) uniform Push { uint first; vec2 scale; };

#ifndef FACTOR
#define FACTOR 1u
#endif

void main() {
    uint i = first + FACTOR * gl_GlobalInvocationID.x;
    resultCount = NATIVE ? 1u : 2u;
    results[i] = vec4(items[i].axis * float(BIAS) + items[i].inner[1].low, GAIN) + vec4(tint * gains[1], scale.x);
#ifdef WIDE
    results[i + 1u] = vec4(items[i].weights[2]);
#endif
}
