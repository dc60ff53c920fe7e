#version 450

// Clip and cull distances. Without CAMERA a vertex is at its x and y in the picture, and z + 1 is
// its w.
layout(constant_id = 0) const bool CAMERA = false;
layout(constant_id = 1) const float CULL = 1.0; // a cull distance of all vertices but the first of a draw

layout(location = 0) in vec3 position;
layout(set = 0, binding = 0) uniform Object { mat4 clip; };
layout(location = 0) out vec3 distances;
out gl_PerVertex {
    vec4 gl_Position;
    float gl_ClipDistance[2];
    float gl_CullDistance[2];
};

void main() {
    precise vec4 seen = ((clip[0] * position.x + clip[1] * position.y) + clip[2] * position.z) + clip[3];
    gl_Position = CAMERA ? seen : vec4(position.xy, 0.5, 1.0) * (position.z + 1.0);
    precise vec2 exact = vec2(2.0 * position.x + position.y + 0.75, 2.5 - (position.z + 1.0));
    gl_ClipDistance[0] = exact.x;
    gl_ClipDistance[1] = CAMERA ? 0.5 - abs(fract(4.0 * position.y) - 0.5) - 0.125 : exact.y;
    gl_CullDistance[0] = gl_VertexIndex % 2 == 0 ? -1.0 : 1.0; // no triangle of the quad has three alike
    gl_CullDistance[1] = gl_VertexIndex == 0 ? 1.0 : CULL;
    distances = vec3(exact, 1.0);
}
