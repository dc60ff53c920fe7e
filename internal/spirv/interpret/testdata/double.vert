// glslang: --target-env vulkan1.1 -I../../../shaders
#version 450
#extension GL_GOOGLE_include_directive : require
// Sum, difference, product and quotient by shaders/include/double.glsl, conversions to and from floats, and signs.
#include "include/double.glsl"
layout(set = 0, binding = 0, std430) readonly buffer Operands { uvec4 operands[]; }; // two doubles
layout(location = 0) flat out uvec4 sums;
layout(location = 1) flat out uvec4 products;
layout(location = 2) flat out uvec4 floats;
uvec2 words(uint64_t a) { return uvec2(uint(a), uint(a >> 32)); }
uint64_t joined(uvec2 w) { return uint64_t(w.y) << 32 | uint64_t(w.x); }
void main() {
    uint64_t a = joined(operands[gl_VertexIndex].xy);
    uint64_t b = joined(operands[gl_VertexIndex].zw);
    sums = uvec4(words(double_add(a, b)), words(double_subtract(a, b)));
    products = uvec4(words(double_multiply(a, b)), words(double_isZero(b) ? 0ul : double_divide(a, b)));
    float f = double_toFloat(a);
    floats = uvec4(words(double_from(f)), floatBitsToUint(f), uint(double_isNegative(a)));
    gl_Position = vec4(0.0);
}
