#version 450
#extension GL_GOOGLE_include_directive : require

// Colours a fragment by the view.
//
// Input   what raster/queue.vert interpolates; the camera's heat colours
// Output  linear RGB, stored as RGBA8

#include "include/layout.glsl"

layout(constant_id = 0) const uint VIEW = VIEW_COUNTS;

layout(set = 0, binding = 4, std430) readonly buffer Cameras { Camera camera; };

layout(location = 0) in vec2 lightAndTimes;
layout(location = 1) flat in vec3 color;

layout(location = 0) out vec4 pixel;

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
    vec3 base = VIEW == VIEW_COUNTS ? view_heatColor(lightAndTimes.y) : color;
    // Light in 64 steps: the rounding of two rasterizers then seldom shows.
    float light = floor(lightAndTimes.x * 63.0 + 0.5) * (1.0 / 63.0);
    pixel = vec4(base * light, 1.0);
}
