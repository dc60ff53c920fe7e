// A vertex on the subpixel grid, as the fused pass holds it until triangles are drawn.
#ifndef PLACED_GLSL
#define PLACED_GLSL

#include "include/setup.glsl"

// Packed: 12 bytes, since a vector could be padded to 16.
struct PlacedVertex {
    int x;  // subpixels from PLACED_ORIGIN on; with CULL times 32, plus flags. NOWHERE if the vertex has no place
    int y;  // subpixels from PLACED_ORIGIN on; for a vertex without a place, the reason
    uint z; // fixed point (include/depth.glsl)
};

// With SIFT, positions are the approximate ones of placed_near.
const int PLACED_ORIGIN = SIFT ? 0x4b400000 : 0; // 3 * 2^22 as a float, whose last bit is 1
const int PLACED_ERROR = SIFT ? 3 : 0;           // subpixels between a place and the exact one, at most

const int PLACED_FLAGS = CULL ? 32 : 1; // values of the flags
const int NOWHERE = -(1 << 25) * PLACED_FLAGS; // less than any place

// Flags, and bits of the reason.
const int PLACED_SIDES = 15;        // flags: the sides of the view that the vertex is beyond, as in setup_beyond
const int PLACED_INSIDE = 16;       // flag: see verdict_inside
const int PLACED_BEYOND = (1 << 7) - 1; // reason: the sides of the view that it is beyond
const int PLACED_DROPS = 1 << 7;    // reason: no triangle with this vertex is drawn

PlacedVertex placed_pack(ivec2 sub, uint z, int flags) { return PlacedVertex(CULL ? sub.x * PLACED_FLAGS | flags : sub.x, sub.y, z); }
PlacedVertex placed_nowhere(int why) { return PlacedVertex(NOWHERE, why, 0u); }

bool placed_isNowhere(PlacedVertex v) { return v.x == NOWHERE; }
bool placed_anyNowhere(PlacedVertex a, PlacedVertex b, PlacedVertex c) { return min(min(a.x, b.x), c.x) == NOWHERE; }
ivec2 placed_sub(PlacedVertex v) { return ivec2(CULL ? v.x >> 5 : v.x, v.y); }
int placed_flags(PlacedVertex v) { return v.x & (PLACED_FLAGS - 1); }
int placed_why(PlacedVertex v) { return v.y; }

// The sides of the view that a vertex is beyond, or why it has no place. For a vertex with a place it may miss sides that
// the vertex exceeds by less than two subpixels, since the triangle covers no pixel centre there (with SIFT by PLACED_ERROR
// more). It never reports a side too many. If sides are tallied it misses none.
int placed_beyond(PlacedVertex v) {
    if (placed_isNowhere(v)) return placed_why(v);
    if (CULL) return placed_flags(v) & PLACED_SIDES;
    ivec2 sub = placed_sub(v) - PLACED_ORIGIN;
    ivec2 end = SUBPIXEL * ivec2(push.width, push.height) - SUBPIXEL / 2; // the picture's far sides
    const int beyond = 1 + PLACED_ERROR;
    return (sub.x < -SUBPIXEL / 2 - beyond ? 1 : 0) | (sub.x > end.x + beyond ? 2 : 0) |
           (sub.y < -SUBPIXEL / 2 - beyond ? 4 : 0) | (sub.y > end.y + beyond ? 8 : 0);
}

// The approximate place of a vertex, in few operations; false if it is behind the eye or far
// outside the picture. Adding PLACED_ORIGIN as a float rounds to whole subpixels, and leaves
// these in the float's last bits.
//
// Whatever is drawn of a triangle with three such corners, its box is at most PLACED_ERROR
// larger than theirs. Let u be 2^-24, and v a corner's distance from the picture's centre in
// subpixels. Sides are at most SIFTED_SIDE pixels and places at most 2^20 subpixels from pixel
// 0, so |v| < 3 * 2^19. setup_project's 1 / w is off by less than 1.5u (setup_reciprocal), and it rounds two products, a
// sum, a difference, and to the grid: it is off by less than 3.5u|v| + 1/16 + 1/16 + 1/2 < .96. If z clips the triangle, its
// new corners are between the old ones, since all w are positive, and rounding their x and w
// from doubles (include/clip.glsl) adds 2u|v| < .19. Here the quotient is off by 2.5 units in
// the last place, or 5u (Vulkan 1.3, "Precision of core SPIR-V instructions"), two products by
// u each, and the sum by 1/2: by less than 7u|v| + 1/2 < 1.16. A denormal x that a device takes
// for zero adds less than 1/256. Altogether less than 2.32. A w of 2^125 or more has no place with
// setup_project, and its triangles are not drawn.
bool placed_near(vec4 posClip, out ivec2 sub) {
    vec2 scale = 0.5 * float(SUBPIXEL) * vec2(push.width, push.height);
    vec2 place = posClip.xy * (1.0 / posClip.w) * scale + (scale + (intBitsToFloat(PLACED_ORIGIN) - 0.5 * float(SUBPIXEL)));
    sub = floatBitsToInt(place);
    uvec2 away = uvec2(sub - (PLACED_ORIGIN - (1 << 20)));
    return posClip.w >= SMALLEST_W && max(away.x, away.y) <= 1u << 21;
}

#endif
