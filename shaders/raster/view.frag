#version 450
#extension GL_GOOGLE_include_directive : require

// Colours a fragment as the view says.
//
// Input   what raster/queue.vert interpolates
// Output  linear RGB, stored as RGBA8; alpha as view_pixel says

#include "include/layout.glsl"
#include "include/view.glsl"
#include "include/shown.glsl"
#ifdef WITH_TEXTURES
#include "include/texture.glsl"
#endif

layout(location = 0) in vec3 lightAndWeights;
layout(location = 1) flat in vec3 colorOrTimes;
#ifdef VARYING
layout(location = 2) in vec3 shownValue;
#endif
#ifdef WITH_TEXTURES
layout(location = 3) in vec2 texCoord;
layout(location = 4) flat in uint material;
#endif

layout(location = 0) out vec4 pixel;

// Divided by the pixel's clip w, weights are linear in the picture, so their
// derivatives give the distance and direction of the edges. Multiplied by w at the corners,
// they sum to 1 everywhere. That determines these w, and from them the triangle's heights.
bool view_lined(vec3 weights) {
    vec3 linear = weights * gl_FragCoord.w;
    vec3 stepX = dFdx(linear);
    vec3 stepY = dFdy(linear);
    vec3 across = stepX * stepX + stepY * stepY;
    vec3 cornerW = cross(stepX, stepY);
    cornerW /= dot(cornerW, linear);
    vec3 steepness = cornerW * cornerW * across; // 1 / height^2
    float steepest = max(max(steepness.x, steepness.y), steepness.z);
    return view_onLine(linear * linear, across, steepest * VIEW_LINE_HEIGHT * VIEW_LINE_HEIGHT <= 1.0);
}

void main() {
    vec3 weights = vec3(1.0 - lightAndWeights.y - lightAndWeights.z, lightAndWeights.yz);
#ifdef VARYING
    vec3 base = VIEW_SHOWN ? shown_color(SHOWN_FLAT ? colorOrTimes : shownValue) : colorOrTimes;
#else
    vec3 base = colorOrTimes;
#endif
#ifdef WITH_TEXTURES
    vec2 dx = dFdx(texCoord);
    vec2 dy = dFdy(texCoord);
    bool line = EDGES > 0u && view_lined(weights); // before pixels are dropped, which leave derivatives undefined
    if (material > 0u) {
        Material m = materials[material - 1u];
        uvec4 texel = texture_sample(m, vec2(texture_bounded(texCoord.x), texture_bounded(texCoord.y)), texture_level(m, dx, dy));
        if (MASKED && texel.a < m.cutoff) discard;
        if (VIEW == VIEW_SHADED) base = texture_color(m, texel);
    }
#else
    bool line = EDGES > 0u && view_lined(weights);
#endif
    uint shows = 1u;
    if (VIEW == VIEW_COUNTS) {
        uvec3 times = uvec3(colorOrTimes);
        uint nearest = view_nearest(weights);
        shows = clamp(times[nearest], 1u, 6u);
        base = view_counted(times, weights, nearest);
    }
    pixel = view_pixel(base, lightAndWeights.x, line, shows);
}
