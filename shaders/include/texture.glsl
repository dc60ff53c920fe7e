// Base colour textures: texels at a pixel, and the alpha test. Only products, sums, the
// reciprocal of include/setup.glsl and integers decide, so that every device and
// renderer/soft/texture.go, whose names these are, drop the same pixels.
#ifndef TEXTURE_GLSL
#define TEXTURE_GLSL

#include "include/layout.glsl"
#include "include/exact.glsl"

layout(binding = BINDING_TEX_COORDS, std430) readonly buffer TexCoords { vec2 texCoords[]; }; // TEX_SETS per vertex of the pool
layout(binding = BINDING_MATERIALS, std430) readonly buffer Materials { Material materials[]; };
layout(binding = BINDING_TEXELS, std430) readonly buffer Texels { uint texels[]; }; // RGBA8, as files store them; largest level first

const uint TEXTURE_ONE = 16711680u; // 255 * 2^16: a channel of 1, as texture_sample returns it

// Replaces values that are not finite, or too large to choose a texel, by 0.
float texture_bounded(float x) { return (floatBitsToUint(x) & 0x7fffffffu) < 0x4b800000u ? x : 0.0; } // 2^24

// The texture coordinates of a vertex of the pool, from the image's upper left corner.
vec2 texture_vertex(Material m, uint vertex) {
    vec2 t = texCoords[TEX_SETS * vertex + m.set];
    return vec2(texture_bounded(exact_dot(m.toU.xyz, vec3(t, 1.0))), texture_bounded(exact_dot(m.toV.xyz, vec3(t, 1.0))));
}

// The level whose texels are about as large as a pixel. dx and dy are the pixel's sides as vectors
// in texture coordinates: the longer one decides. The level is rounded at sqrt(2).
uint texture_level(Material m, vec2 dx, vec2 dy) {
    precise vec2 x = dx * vec2(m.width, m.height);
    precise vec2 y = dy * vec2(m.width, m.height);
    precise float xSquared = x.x * x.x + x.y * x.y;
    precise float ySquared = y.x * y.x + y.y * y.y;
    uint word = max(floatBitsToUint(xSquared) & 0x7fffffffu, floatBitsToUint(ySquared) & 0x7fffffffu); // floats are ordered as their bits
    // At most 15, even without a material: CPU drivers run the loop of texture_sample for idle lanes, too.
    return min(uint(clamp((int(word >> 23) - 126) >> 1, 0, 15)), m.levels - 1u);
}

// A coordinate in 1/256 texel, from the centre of texel 0.
int texture_fix(uint wrap, float u, uint size) {
    precise float inside = clamp(u, 0.0, 1.0);
    if (wrap == WRAP_REPEAT) inside = u - floor(u);
    if (wrap == WRAP_MIRROR) {
        inside = u - 2.0 * floor(0.5 * u);
        if (inside > 1.0) inside = 2.0 - inside;
    }
    precise float scaled = inside * float(256u * size);
    return int(floor(scaled)) - 128;
}

// The index of a texel that may be outside of a level by 1, brought into the level.
uint texture_wrapped(uint wrap, int i, uint size) {
    if (wrap == WRAP_REPEAT) return i < 0 ? size - 1u : uint(i) >= size ? 0u : uint(i);
    return uint(clamp(i, 0, int(size) - 1));
}

uvec4 texture_texel(uint i) {
    uint texel = texels[i];
    return uvec4(texel, texel >> 8, texel >> 16, texel >> 24) & 255u;
}

// The four nearest texels of a level, weighted in steps of 1/256, or the nearest alone (Material.tint); TEXTURE_ONE is 1.
uvec4 texture_sample(Material m, vec2 uv, uint level) {
    uint first = m.firstTexel;
    uvec2 size = uvec2(m.width, m.height);
    for (uint i = 0u; i < level; i++) {
        first += size.x * size.y;
        size = max(size >> 1, uvec2(1u));
    }
    ivec2 at = ivec2(texture_fix(m.wrapU, uv.x, size.x), texture_fix(m.wrapV, uv.y, size.y));
    if (m.tint.w > 0.0) at = (at + 128) & ~255;
    uvec2 right = uvec2(at & 255);
    uvec2 left = 256u - right;
    ivec2 low = at >> 8;
    uvec2 a = uvec2(texture_wrapped(m.wrapU, low.x, size.x), texture_wrapped(m.wrapV, low.y, size.y));
    uvec2 b = uvec2(texture_wrapped(m.wrapU, low.x + 1, size.x), texture_wrapped(m.wrapV, low.y + 1, size.y));
    uint upper = first + size.x * a.y;
    uint lower = first + size.x * b.y;
    return texture_texel(upper + a.x) * (left.x * left.y) + texture_texel(upper + b.x) * (right.x * left.y) +
           texture_texel(lower + a.x) * (left.x * right.y) + texture_texel(lower + b.x) * (right.x * right.y);
}

// The colour of a sample, as the picture stores colours.
vec3 texture_color(Material m, uvec4 texel) {
    precise vec3 color = vec3((texel.rgb + 0x8000u) >> 16) * m.tint.rgb;
    return color;
}

#endif
