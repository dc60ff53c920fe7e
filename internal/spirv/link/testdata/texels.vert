// glslang: --target-env vulkan1.0
#version 450
// Texel buffers, in which games keep bones: fetched from by indices that may lie outside.
layout(location = 0) in vec4 position;
layout(location = 1) in ivec4 bone;
layout(set = 0, binding = 1) uniform samplerBuffer bones;
layout(set = 1, binding = 0) uniform isamplerBuffer links;
layout(set = 0, binding = 0, std140) uniform Camera { mat4 clip; int first; } camera;
layout(location = 0) out vec4 shown;

mat4 pose(int n) {
    return mat4(texelFetch(bones, 4 * n), texelFetch(bones, 4 * n + 1), texelFetch(bones, 4 * n + 2), texelFetch(bones, 4 * n + 3));
}

void main() {
    int linked = texelFetch(links, bone.x + camera.first).y;
    shown = texelFetch(bones, bone.y - 2) * float(textureSize(bones)) / 64.0;
    gl_Position = camera.clip * (pose(linked) * position + pose(bone.z + 6) * position.yxzw);
}
