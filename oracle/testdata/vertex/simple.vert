#version 450

// simple: a position and nothing else, as renderer.Transform without a view.
layout(location = 0) in vec3 position;
layout(push_constant) uniform Push { mat4 clip; };

void main() {
    precise vec4 p = ((clip[0] * position.x + clip[1] * position.y) + clip[2] * position.z) + clip[3];
    gl_Position = p;
}
