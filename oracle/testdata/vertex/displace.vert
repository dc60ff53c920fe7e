#version 450
#extension GL_GOOGLE_include_directive : require

// displace: renderer.Displace, in the same order of sums, with its sizes as specialization
// constants.
layout(constant_id = 13) const float DISPLACE_CELLS = 1.0;
layout(constant_id = 14) const float DISPLACE_HEIGHT = 0.0;
#include "include/exact.glsl"
#include "include/noise.glsl"

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(set = 0, binding = 0) uniform Object { mat4 clip; };
layout(location = 0) out vec3 tilted;

void main() {
    precise vec3 place = position * DISPLACE_CELLS;
    precise vec4 sum = vec4(0.0);
    precise float weight = 1.0;
    for (uint octave = 0u; octave < 4u; octave++) {
        sum = sum + noise_at(place, octave) * vec4(vec3(1.0), weight);
        place = place * 2.0;
        weight = weight * 0.5;
    }
    precise vec3 gradient = sum.xyz * (DISPLACE_HEIGHT * DISPLACE_CELLS);
    precise vec3 moved = position + normal * (DISPLACE_HEIGHT * sum.w);
    precise vec3 turned = normal - (gradient - normal * exact_dot(gradient, normal));
    tilted = turned;
    gl_Position = exact_transform(clip, vec4(moved, 1.0));
}
