#version 450
#extension GL_GOOGLE_include_directive : require

// Colours a fragment by the view.
//
// Input   what raster/queue.vert interpolates; the camera's heat colours
// Output  linear RGB, stored as RGBA8

#include "include/layout.glsl"

layout(constant_id = 0) const uint VIEW = VIEW_COUNTS;

layout(set = 0, binding = 4, std430) readonly buffer Cameras { Camera camera; };

layout(location = 0) flat in vec3 color;
layout(location = 1) in float light;
layout(location = 2) in float heat;
layout(location = 3) flat in uint batchIndex;

layout(location = 0) out vec4 pixel;

// A colour for a number: neighbours differ. In whole steps of a stored channel,
// whose products with the light's steps are never a tie to round.
vec3 view_hashColor(uint n) {
    n *= 0x9e3779b1u;
    n ^= n >> 15;
    n *= 0x85ebca77u;
    n ^= n >> 13;
    return vec3(64u + 3u * (uvec3(n, n >> 8, n >> 16) & 63u)) / 255.0;
}

// Discrete steps: 1 below 1.5, 2 below 2.5, .. 6 from 5.5. Selects between
// constant places, since an index per pixel is a slow gather on CPU drivers.
vec3 view_heatColor(float times) {
    vec3 found = camera.heat[0].rgb;
    for (int i = 1; i < 6; i++) {
        if (times >= float(i) + 0.5) found = camera.heat[i].rgb;
    }
    return found;
}

void main() {
    vec3 base = color;
    if (VIEW == VIEW_COUNTS) base = view_heatColor(heat);
    if (VIEW == VIEW_BATCHES) base = view_hashColor(batchIndex);
    // Light in 64 steps: the rounding of two rasterizers then seldom shows.
    float step64 = floor(light * 63.0 + 0.5) * (1.0 / 63.0);
    pixel = vec4(base * step64, 1.0);
}
