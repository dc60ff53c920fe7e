#version 450
// Pulls clip positions from a buffer.
layout(constant_id = 1) const uint STRIDE = 1u;
layout(set = 0, binding = 0, std430) readonly buffer Corners { vec4 corners[]; };
void main() { gl_Position = corners[gl_VertexIndex * STRIDE]; }
