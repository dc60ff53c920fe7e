#version 450
#extension GL_GOOGLE_include_directive : require

// Colours the pixels of a picture that the fused passes drew into the visibility buffer.
// Each pixel finds its triangle again, and takes the colour of the triangle's first corner.

#define FUSED
#define OWN_VERTEX
#include "include/visible.glsl"

layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = BINDING_PICTURE_COLOR, std430) writeonly buffer PictureColor { uint pictureColor[]; };

void main() {
    uvec2 at = gl_GlobalInvocationID.xy;
    if (at.x >= push.width || at.y >= push.height) return;
    uint pixel = at.y * push.width + at.x;
    uint depth, triangle;
    visible_read(pixel, depth, triangle);
    vec4 color = vec4(0.0, 0.0, 0.0, 1.0);
    if (depth != FAR_DEPTH) {
        Refetched r = refetch_find(triangle);
        color = own_shade(r.draw, r.ids.x).color;
    }
    pictureColor[pixel] = packUnorm4x8(color);
}
