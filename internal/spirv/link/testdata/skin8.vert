// glslang: --target-env vulkan1.0
#version 450
// Skinning with eight bones, as row-major matrices of a uniform block.
layout(location = 0) in vec3 position;
layout(location = 2) in uvec4 joints[2];
layout(location = 4) in vec4 weights[2];
layout(location = 0) out vec4 weightSum;
layout(set = 1, binding = 3, row_major) uniform Skeleton { mat4x3 bones[64]; mat4 viewProjection; } skeleton;
vec3 bend(uvec4 of, vec4 by, vec3 p) {
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 4; i++) sum += by[i] * (skeleton.bones[of[i] & 63u] * vec4(p, 1.0));
    return sum;
}
void main() {
    weightSum = weights[0] + weights[1];
    vec3 p = bend(joints[0], weights[0], position) + bend(joints[1], weights[1], position);
    gl_Position = skeleton.viewProjection * vec4(p, 1.0);
}
