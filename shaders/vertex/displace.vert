#version 450
#extension GL_GOOGLE_include_directive : require

// vertex/displace: procedural displacement. Four octaves of noise over the position move a
// vertex along its normal, and the noise's own derivative tilts the normal.
//
// Input   position and normal in model space; clip, the draw's matrix from there to clip space
// Output  clip position on the displaced surface, and the normal there in model space, not of
//         unit length
// Source  textbook
// Dispatch joined with every pass that shades (include/custom.glsl)

#include "include/interface.glsl"
#include "include/exact.glsl"
#include "include/noise.glsl"

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 4) in mat4 clip;
layout(location = 0) out vec3 normalTilted;

const uint DISPLACE_OCTAVES = 4u;

void main() {
    precise vec3 place = position * DISPLACE_CELLS;
    precise vec4 sum = vec4(0.0);
    precise float weight = 1.0; // of an octave's value; its lattice is finer by as much, so derivatives all weigh 1
    for (uint octave = 0u; octave < DISPLACE_OCTAVES; octave++) {
        vec4 noise = noise_at(place, octave);
        sum = sum + noise * vec4(vec3(1.0), weight);
        place = place * 2.0;
        weight = weight * 0.5;
    }
    precise float height = DISPLACE_HEIGHT * sum.w;
    precise float steepness = DISPLACE_HEIGHT * DISPLACE_CELLS;
    precise vec3 gradient = sum.xyz * steepness;
    // The gradient's part along the normal does not tilt the surface.
    float along = exact_dot(gradient, normal);
    precise vec3 moved = position + normal * height;
    precise vec3 tilted = normal - (gradient - normal * along);
    normalTilted = tilted;
    gl_Position = exact_transform(clip, vec4(moved, 1.0));
}
