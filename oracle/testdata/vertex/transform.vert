#version 450

// transform: what renderer.Transform does, by one matrix and in the order of
// include/exact.glsl, so that positions have the same bits.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(push_constant) uniform Push { mat4 clip; };
layout(location = 0) out vec3 color;

void main() {
    precise vec4 p = ((clip[0] * position.x + clip[1] * position.y) + clip[2] * position.z) + clip[3];
    gl_Position = p;
    color = normal * 0.5 + 0.5;
}
