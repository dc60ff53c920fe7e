#version 450
#extension GL_GOOGLE_include_directive : require

// Colours a fragment as the view says.
//
// Input   what raster/queue.vert interpolates
// Output  linear RGB, stored as RGBA8

#include "include/layout.glsl"

layout(location = 0) in vec2 lightAndTimes;
layout(location = 1) flat in vec3 color;

layout(location = 0) out vec4 pixel;

// The colour of a number of times: 1 below 1.5, 2 below 2.5, .. 6 from 5.5.
vec3 view_heatColor(float times) {
    uint found = HEAT_1;
    if (times >= 1.5) found = HEAT_2;
    if (times >= 2.5) found = HEAT_3;
    if (times >= 3.5) found = HEAT_4;
    if (times >= 4.5) found = HEAT_5;
    if (times >= 5.5) found = HEAT_6;
    return unpackUnorm4x8(found).rgb;
}

void main() {
    vec3 base = VIEW == VIEW_COUNTS ? view_heatColor(lightAndTimes.y) : color;
    // Light in 64 steps, so that differences in rounding between rasterizers seldom show.
    float light = floor(lightAndTimes.x * 63.0 + 0.5) * (1.0 / 63.0);
    // Rounded here, since devices may be off by a tenth of a step when they do it.
    pixel = vec4(floor(base * light * 255.0 + 0.5) / 255.0, 1.0);
}
