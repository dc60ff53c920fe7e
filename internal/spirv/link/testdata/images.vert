// glslang: --target-env vulkan1.0
#version 450
// Images of floats and of integers, fetched from at coordinates that may lie outside.
layout(location = 0) in vec4 position;
layout(location = 1) in ivec4 place;
layout(binding = 0) uniform sampler2D heights;
layout(binding = 1) uniform usampler2D kinds;
layout(binding = 2) uniform sampler1D ramp;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec2 size;

vec4 height(ivec2 at) { return texelFetch(heights, at, 0); }

void main() {
    uvec4 kind = texelFetch(kinds, place.xy - 1, 0);
    vec4 at = position;
    for (int i = -1; i < 2; i++) at += height(place.zw + i) * float(kind[i + 1]);
    colour = texelFetch(ramp, place.x * 2 - 1, 0) + height(textureSize(heights, 0) - 1);
    size = uvec2(textureSize(kinds, 0)) + uint(textureSize(ramp, 0));
    gl_Position = at;
}
