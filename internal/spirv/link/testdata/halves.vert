// glslang: --target-env vulkan1.1
#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
// 16-bit numbers as inputs, in blocks, in arithmetic and as outputs; 64-bit integers.
layout(location = 0) in f16vec3 position;
layout(location = 1) in i16vec2 offset;
layout(location = 2) in uint16_t weight;
layout(location = 0) out f16vec2 uv;
layout(location = 1) flat out uint folded;
layout(set = 0, binding = 0, std430) readonly buffer Small { float16_t scale; uint16_t count; f16vec4 shift; uint64_t key; } small;
void main() {
    f16vec3 p = position * small.scale + small.shift.xyz;
    uv = p.xy + f16vec2(offset);
    folded = uint((small.key * uint64_t(weight)) >> 32) + uint(small.count);
    gl_Position = vec4(vec3(p), 1.0);
}
