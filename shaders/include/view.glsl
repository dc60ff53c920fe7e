// The colour of a pixel in a view, from its triangle's corners and their weights.
#ifndef VIEW_GLSL
#define VIEW_GLSL

#include "include/exact.glsl"

// The least height, in pixels, of a triangle with lines along its edges: three line widths.
// Lines would cover a smaller triangle.
#define VIEW_LINE_HEIGHT (float(EDGES) * 0.375)

// Light of dimmed draws is stored divided by 5, which puts it below any other.
const float VIEW_DIMMED_BELOW = 57.5 / 255.0;

// The corner with the largest weight: the first among equals.
uint view_nearest(vec3 weights) {
    return weights.x >= weights.y && weights.x >= weights.z ? 0u : weights.y >= weights.z ? 1u : 2u;
}

// The colour of a vertex that was shaded the given number of times.
vec3 view_heat(uint times) {
    uint found = HEAT_1;
    if (times >= 2u) found = HEAT_2;
    if (times >= 3u) found = HEAT_3;
    if (times >= 4u) found = HEAT_4;
    if (times >= 5u) found = HEAT_5;
    if (times >= 6u) found = HEAT_6;
    return exact_unpackColor(found);
}

// The counts view: a pixel has the colour of its nearest vertex, or with SMOOTH an
// interpolation of the three corners' colours. Counts are never interpolated, since no
// vertex may have the result.
vec3 view_counted(uvec3 times, vec3 weights, uint nearest) {
    if (!SMOOTH) return view_heat(times[nearest]);
    precise vec3 mixed = (view_heat(times.x) * weights.x + view_heat(times.y) * weights.y) + view_heat(times.z) * weights.z;
    return mixed;
}

// Whether one of the lines along a triangle's edges covers the pixel. distances are squares of the
// pixel's distance from each edge, perPixel squares of one pixel's distance in the same unit. high
// is whether the triangle is high enough for lines.
bool view_onLine(vec3 distances, vec3 perPixel, bool high) {
    float halfWidth = float(EDGES) / 16.0;
    precise vec3 most = vec3(halfWidth * halfWidth) * perPixel;
    return high && any(lessThan(distances, most));
}

// The stored pixel: the lit colour, and in alpha 255 minus what the pixel shows, which the
// host counts: 1 to 6 times shaded, 1 in other views, 0 if nothing is drawn.
vec4 view_pixel(vec3 base, float light, bool line, uint shows) {
    precise vec3 color = base;
    precise float lit = light;
    if (light < VIEW_DIMMED_BELOW) {
        lit *= 5.0;
        color = floor((color * 0.2 + 0.16) * 255.0 + 0.5) * (1.0 / 255.0);
    }
    if (line) color *= 0.35;
    // Light in 64 steps, so that rounding differences to a graphics pipeline's interpolation are
    // rarely visible.
    lit = floor(lit * 63.0 + 0.5) * (1.0 / 63.0);
    lit = 1.0 - (1.0 - lit) * LIGHT;
    // Rounded here, since a device's own rounding may be off by a tenth of a step.
    precise vec3 steps = floor((color * lit) * 255.0 + 0.5);
    return vec4(steps, float(255u - shows)) / 255.0;
}

#endif
