// The varying view shows an output of a vertex shader, the normals view the vertex's normal. This file
// packs the value that a vertex stores, and computes its colour.
//
// Packed are three floats of 21 bits, with 6 bits of exponent and 14 of mantissa: values are
// interpolated before they are clamped, and may be far outside of 0..1 at a corner.
#ifndef SHOWN_GLSL
#define SHOWN_GLSL

#include "include/exact.glsl"

const uint SHOWN_BITS = 21u;
const uint SHOWN_MOST = (1u << 20) - 1u;     // the largest magnitude
const uint SHOWN_REBIAS = (127u - 31u) << 14; // from a float's exponent to ours

// Packs a float, rounded to nearest; NaN and magnitudes below 2^-30 give 0.
uint shown_pack(float x) {
    uint word = floatBitsToUint(x);
    uint magnitude = word & 0x7fffffffu;
    uint rounded = (magnitude + 0x100u) >> 9;
    if (magnitude > 0x7f800000u || rounded < SHOWN_REBIAS + (1u << 14)) return 0u;
    return min(rounded - SHOWN_REBIAS, SHOWN_MOST) | (word >> 31) << 20;
}

float shown_unpack(uint bits) {
    uint magnitude = bits & SHOWN_MOST;
    return magnitude == 0u ? 0.0 : uintBitsToFloat((magnitude + SHOWN_REBIAS) << 9 | (bits & 1u << 20) << 11);
}

// The packed value that a vertex stores instead of other attributes. The last bit says that its draw is dimmed.
uvec2 shown_store(vec3 v, bool dimmed) {
    uint g = shown_pack(v.g);
    return uvec2(shown_pack(v.r) | g << SHOWN_BITS, g >> (32u - SHOWN_BITS) | shown_pack(v.b) << 10 | (dimmed ? 1u << 31 : 0u));
}

vec3 shown_load(uvec2 stored) {
    return vec3(shown_unpack(stored.x), shown_unpack(stored.x >> SHOWN_BITS | stored.y << (32u - SHOWN_BITS)), shown_unpack(stored.y >> 10));
}

bool shown_dimmed(uvec2 stored) { return stored.y >> 31 != 0u; }

// The colour of an interpolated value.
vec3 shown_color(vec3 v) {
    precise vec3 normal = exact_unit(v) * 0.5 + vec3(0.5);
    if (VIEW == VIEW_NORMALS) v = normal;
    return clamp(SHOWN_ABS ? abs(v) : v, 0.0, 1.0);
}

#endif
