#version 450

// Outputs of all kinds, for the varying view. Without CAMERA a vertex is at its x and y in the
// picture, and z + 1 is its w.
layout(constant_id = 0) const bool CAMERA = false;

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(set = 0, binding = 0) uniform Object { mat4 clip; };
layout(location = 0) out vec3 steep;
layout(location = 1) flat out vec3 single;
layout(location = 2) out mat3 basis;
layout(location = 5) out float list[2];
layout(location = 7) out ivec3 whole;

void main() {
    precise vec4 seen = ((clip[0] * position.x + clip[1] * position.y) + clip[2] * position.z) + clip[3];
    gl_Position = CAMERA ? seen : vec4(position.xy, 0.5, 1.0) * (position.z + 1.0);
    precise vec3 exact = vec3(4.0 * position.x, -3.0 * position.y * (position.z + 1.0), 1000.0 * position.x - 200.0);
    steep = exact;
    single = fract(vec3(0.37, 0.71, 0.13) * float(gl_VertexIndex));
    basis = mat3(normal, steep, single);
    list = float[2](0.25, steep.x);
    whole = ivec3(gl_VertexIndex % 2, gl_VertexIndex % 3 - 1, -gl_VertexIndex);
}
