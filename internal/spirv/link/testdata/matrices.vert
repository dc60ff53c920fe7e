// glslang: --target-env vulkan1.1
#version 450
// Matrices as inputs of several locations, and an array of matrices.
layout(location = 0) in vec3 position;
layout(location = 2) in mat4 placed;     // 2 to 5
layout(location = 6) in mat3x2 warped[2]; // 6 to 11
layout(location = 0) out mat3 basis;
layout(location = 4) out vec2 warp;
layout(set = 2, binding = 1, std140) uniform Cameras { mat4 cameras[6]; mat2 turns[2]; uint which; };
void main() {
    basis = mat3(placed);
    warp = warped[0] * position + turns[1] * (warped[1] * position);
    gl_Position = cameras[which % 6u] * (placed * vec4(position, 1.0)) + vec4(warp, 0.0, 0.0);
}
