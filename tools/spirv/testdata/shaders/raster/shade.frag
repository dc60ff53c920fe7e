#version 450
#extension GL_GOOGLE_include_directive : require

#include "include/structs.glsl"

layout(set = 0, binding = 0) uniform sampler2D colors[2];
layout(set = 0, binding = 1, r32ui) uniform readonly uimage2D marks;
layout(set = 0, binding = 2) uniform texture2D plain;
layout(set = 0, binding = 3) uniform sampler nearest;
layout(set = 0, binding = 4, std430) readonly buffer One { Inner inner; };
layout(location = 0) out vec4 pixel;

void main() {
    pixel = texture(colors[1], inner.size_px) + vec4(imageLoad(marks, ivec2(0)).x) + texture(sampler2D(plain, nearest), vec2(0));
}
