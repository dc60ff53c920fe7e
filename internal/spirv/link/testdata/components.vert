// glslang: --target-env vulkan1.1
#version 450
// Inputs that share locations, and inputs of integers.
layout(location = 0) in vec3 position;
layout(location = 0, component = 3) in float size;
layout(location = 1, component = 1) in vec2 uv;
layout(location = 1, component = 0) in float age;
layout(location = 2) in ivec3 offset;
layout(location = 3) in uvec2 packedColour;
layout(location = 4) in float curve[2];
layout(location = 0) out vec2 shifted;
layout(location = 0, component = 2) out float aged;
layout(location = 1) flat out uint flags;
void main() {
    shifted = uv + vec2(curve[0], curve[1]);
    aged = age;
    flags = packedColour.x ^ packedColour.y;
    gl_Position = vec4(size * position + vec3(offset), 1.0);
}
