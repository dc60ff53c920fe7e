// glslang: --target-env vulkan1.2
#version 450
#extension GL_EXT_scalar_block_layout : require
// Scalar layout: vectors at multiples of 4 bytes.
layout(location = 0) in vec3 position;
layout(location = 0) out vec2 uv;
struct Tight { vec3 a; vec2 b; };
layout(set = 0, binding = 0, scalar) uniform Values { float first; vec3 centre; Tight tight[3]; mat3 turn; };
void main() {
    uv = tight[2].b * first;
    gl_Position = vec4(turn * (position - centre) + tight[1].a, 1.0);
}
