#version 450
#extension GL_GOOGLE_include_directive : require

// displace: renderer.Displace by its own file, whose sizes are specialization constants.
layout(constant_id = 13) const float DISPLACE_CELLS = 1.0;
layout(constant_id = 14) const float DISPLACE_HEIGHT = 0.0;
#define INTERFACE_GLSL
#include "include/displace.glsl"

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(set = 0, binding = 0) uniform Object { mat4 clip; };
layout(location = 0) out vec3 tilted;

void main() {
    vec4 p = vec4(position, 1.0);
    tilted = normal;
    displace_surface(p, tilted);
    gl_Position = exact_transform(clip, p);
}
