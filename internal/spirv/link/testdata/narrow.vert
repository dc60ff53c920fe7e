// glslang: --target-env vulkan1.1
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
// Indices of 8 bits. Unsigned ones reach beyond 127; negative ones lead to the last element, and
// not to the one whose number has the same bits.
layout(location = 0) in vec4 position;
layout(location = 1) in uvec2 fifties; // up to 3
layout(location = 2) in ivec2 at;
layout(set = 0, binding = 0) uniform Table { vec4 values[300]; };
void main() {
    gl_Position = position + values[uint8_t(50u * fifties.x)] + 2.0 * values[int8_t(at.x)];
}
