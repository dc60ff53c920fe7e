// Lighting, the same in every vertex shader.
#ifndef LIGHT_GLSL
#define LIGHT_GLSL

#include "include/exact.glsl"

// Headlight, two-sided, 0.25..1.
float light_head(vec3 lightDirection, vec3 normalWorld) {
    precise float facing = abs(exact_dot(normalWorld, lightDirection)) * exact_inverseLength(normalWorld, 2u);
    precise float light = 0.25 + 0.75 * min(facing, 1.0);
    return light;
}

// The light of a vertex as it is stored. The light of a dimmed draw is lower than any other,
// so that include/view.glsl recognizes it.
const float LIGHT_DIMMED = 0.2;
float light_stored(uint drawFlags, float light) { return (drawFlags & DRAW_DIMMED) != 0u ? light * LIGHT_DIMMED : light; }

// Clamps a value to 0..1 and rounds it to 0..255.
uint light_packUnorm8(float x) {
    precise float scaled = clamp(x, 0.0, 1.0) * 255.0 + 0.5;
    return uint(scaled);
}

#endif
