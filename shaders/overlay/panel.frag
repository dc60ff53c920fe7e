#version 450
#extension GL_GOOGLE_include_directive : require

// Colours a pixel of the panels: the vertices' colour, with the font's coverage.
//
// Input   font[]: alpha, 8 bits per texel, four per word, row by row
// Output  linear RGBA, to be blended over the picture by alpha

#include "include/overlay.glsl"

layout(binding = BINDING_FONT, std430) readonly buffer Font { uint font[]; };
layout(push_constant) uniform Push { OverlayPush push; };

layout(location = 0) in vec2 place; // texels
layout(location = 1) in vec4 color;

layout(location = 0) out vec4 pixel;

void main() {
    // The nearest texel: text is aligned to pixels, at the size for which the font was made.
    uvec2 texel = uvec2(clamp(ivec2(floor(place)), ivec2(0), ivec2(push.fontWidth, push.fontHeight) - 1));
    uint i = texel.y * push.fontWidth + texel.x;
    float covered = float(font[i >> 2] >> (8u * (i & 3u)) & 255u) / 255.0;
    pixel = vec4(color.rgb, color.a * covered);
}
