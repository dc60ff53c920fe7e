// glslang: --target-env vulkan1.2
#version 450
// Morph targets: an array of inputs, weights in a storage block.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 targets[3];
layout(location = 0) out vec3 moved;
layout(set = 0, binding = 0) uniform Camera { mat4 viewProjection; };
layout(set = 0, binding = 1) readonly buffer Morph { float weights[3]; uint used; } morph;
void main() {
    vec3 p = position;
    for (uint i = 0u; i < morph.used && i < 3u; i++) {
        if (morph.weights[i] == 0.0) continue;
        p += morph.weights[i] * targets[i];
    }
    moved = p - position;
    gl_Position = viewProjection * vec4(p, 1.0);
}
