// glslang: --target-env vulkan1.1
#version 450
// Specialization constants: as a length, in expressions, as a branch and in a vector.
layout(constant_id = 0) const uint COUNT = 3;
layout(constant_id = 1) const bool FLIP = false;
layout(constant_id = 2) const float SCALE = 1.5;
layout(constant_id = 7) const int SHIFT = -2;
const uint DOUBLE = COUNT * 2u + 1u;
const vec3 SCALES = vec3(SCALE, 1.0, SCALE);
layout(location = 0) in vec3 position;
layout(location = 0) out float sums[COUNT];
layout(set = 0, binding = 0) uniform Camera { mat4 matrix; vec4 steps[8]; };
void main() {
    float values[DOUBLE];
    for (uint i = 0u; i < DOUBLE; i++) values[i] = float(i) + steps[i & 7u].x;
    for (uint i = 0u; i < COUNT; i++) sums[i] = values[2u * i + 1u];
    vec3 p = SCALES * position;
    if (FLIP) p.y = -p.y;
    p.x += float(SHIFT);
    gl_Position = matrix * vec4(p, 1.0);
}
