// glslang: --target-env vulkan1.1
#version 450
// Skinning with four bones of a storage block that ends in an array without a length.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in uvec4 joints;
layout(location = 3) in vec4 weights;
layout(location = 0) out vec3 shade;
layout(set = 0, binding = 0) uniform Camera { mat4 viewProjection; };
layout(set = 0, binding = 1, std430) readonly buffer Bones { uint first; mat4 bones[]; } skin;
void main() {
    mat4 pose = mat4(0.0);
    for (int i = 0; i < 4; i++) {
        uint bone = min(skin.first + joints[i], uint(skin.bones.length()) - 1u);
        pose += weights[i] * skin.bones[bone];
    }
    shade = normalize(mat3(pose) * normal);
    gl_Position = viewProjection * (pose * vec4(position, 1.0));
}
