// Colours of the batches view.
#ifndef COLOR_GLSL
#define COLOR_GLSL

#include "include/exact.glsl"

// A colour for a number; neighbours differ. Channels are whole steps of a stored channel, so
// that products with the light's steps are never a tie in rounding.
vec3 color_hash(uint n) {
    n = (n + 1u) * 0x9e3779b1u;
    n ^= n >> 15;
    n *= 0x85ebca77u;
    n ^= n >> 13;
    uvec3 channels = 64u + 3u * (uvec3(n, n >> 8, n >> 16) & 63u);
    return exact_unpackColor(channels.r | channels.g << 8 | channels.b << 16);
}

#endif
