#version 450
// One colour.
layout(set = 0, binding = 1, std430) readonly buffer Colors { vec4 color; };
layout(location = 0) out vec4 pixel;
void main() { pixel = color; }
