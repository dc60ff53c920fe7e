// A vertex on the subpixel grid, as the fused pass holds it until triangles are drawn.
#ifndef PLACED_GLSL
#define PLACED_GLSL

#include "include/setup.glsl"

// Packed: 12 bytes, since a vector could be padded to 16.
struct PlacedVertex {
    int x;  // subpixels; with CULL times 32, plus flags. NOWHERE if the vertex has no place
    int y;  // subpixels; for a vertex without a place, the reason
    uint z; // fixed point (include/depth.glsl)
};

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

// The sides of the view that a vertex is beyond, or why it has no place. For a vertex with a
// place it may miss sides that it exceeds by less than two subpixels, since the triangle
// covers no pixel's centre there. If sides are tallied it misses none.
int placed_beyond(PlacedVertex v) {
    if (placed_isNowhere(v)) return placed_why(v);
    if (CULL) return placed_flags(v) & PLACED_SIDES;
    ivec2 sub = placed_sub(v);
    ivec2 end = SUBPIXEL * ivec2(push.width, push.height) - SUBPIXEL / 2; // the picture's far sides
    return (sub.x < -SUBPIXEL / 2 - 1 ? 1 : 0) | (sub.x > end.x + 1 ? 2 : 0) |
           (sub.y < -SUBPIXEL / 2 - 1 ? 4 : 0) | (sub.y > end.y + 1 ? 8 : 0);
}

#endif
