// Clips a triangle by the planes that cut it, with the bits and the names of
// renderer/soft/clip.go, whose doubles are include/double.glsl's here.
// Source  Sutherland and Hodgman, Reentrant polygon clipping, 1974
#ifndef CLIP_GLSL
#define CLIP_GLSL

#include "include/setup.glsl"
#include "include/double.glsl"

const uint CLIP_NEAR = 0u;  // z >= 0
const uint CLIP_FAR = 1u;   // z <= w
const uint CLIP_EYE = 2u;   // w >= SMALLEST_W
const uint CLIP_LEFT = 3u;  // x >= -guard*w
const uint CLIP_RIGHT = 4u; // x <= guard*w
const uint CLIP_UPPER = 5u; // y >= -guard*w
const uint CLIP_LOWER = 6u; // y <= guard*w
const uint CLIP_PLANES = 7u;
const uint CLIP_CORNERS = 3u + CLIP_PLANES; // each plane adds a corner at most

struct ClipCorner {
    uint64_t x, y, z, w; // doubles, clip space
};

struct Polygon {
    ClipCorner corners[CLIP_CORNERS];
    uint count;
};

struct GuardBand {
    uint64_t x, y; // in units of w
};

GuardBand clip_guardBand() {
    uint64_t wide = double_from(2.0 * GUARD_PX);
    return GuardBand(double_divide(wide, double_from(float(push.width))), double_divide(wide, double_from(float(push.height))));
}

uint64_t clip_distance(GuardBand g, ClipCorner c, uint plane) {
    if (plane == CLIP_NEAR) return c.z;
    if (plane == CLIP_FAR) return double_subtract(c.w, c.z);
    if (plane == CLIP_EYE) return double_subtract(c.w, double_from(SMALLEST_W));
    bool isX = plane == CLIP_LEFT || plane == CLIP_RIGHT;
    uint64_t reach = double_multiply(isX ? g.x : g.y, c.w);
    uint64_t at = isX ? c.x : c.y;
    bool lower = plane == CLIP_LEFT || plane == CLIP_UPPER;
    return double_add(reach, lower ? at : double_negate(at));
}

// A bit for every plane that the corner is outside of.
uint clip_outside(GuardBand g, ClipCorner c) {
    uint mask = 0u;
    for (uint plane = 0u; plane < CLIP_PLANES; plane++) {
        if (double_isNegative(clip_distance(g, c, plane))) mask |= 1u << plane;
    }
    return mask;
}

// Puts a corner that lies on a plane but for rounding onto it.
ClipCorner clip_moveOnto(GuardBand g, ClipCorner c, uint plane) {
    if (plane == CLIP_NEAR) c.z = 0ul;
    if (plane == CLIP_FAR) c.z = c.w;
    if (plane == CLIP_EYE) c.w = double_from(SMALLEST_W);
    if (plane == CLIP_LEFT) c.x = double_multiply(double_negate(g.x), c.w);
    if (plane == CLIP_RIGHT) c.x = double_multiply(g.x, c.w);
    if (plane == CLIP_UPPER) c.y = double_multiply(double_negate(g.y), c.w);
    if (plane == CLIP_LOWER) c.y = double_multiply(g.y, c.w);
    return c;
}

uint64_t clip_mix(uint64_t t, uint64_t a, uint64_t b) { return double_add(a, double_multiply(t, double_subtract(b, a))); }

// Where the edge between an inner and an outer corner meets the plane.
ClipCorner clip_cut(ClipCorner inner, ClipCorner outer, uint64_t innerDistance, uint64_t outerDistance) {
    uint64_t t = double_divide(innerDistance, double_subtract(innerDistance, outerDistance));
    return ClipCorner(clip_mix(t, inner.x, outer.x), clip_mix(t, inner.y, outer.y), clip_mix(t, inner.z, outer.z), clip_mix(t, inner.w, outer.w));
}

void clip_plane(GuardBand g, inout Polygon p, uint plane) {
    Polygon kept;
    kept.count = 0u;
    ClipCorner from = p.corners[p.count - 1u];
    uint64_t fromDistance = clip_distance(g, from, plane);
    for (uint i = 0u; i < p.count; i++) {
        ClipCorner to = p.corners[i];
        uint64_t toDistance = clip_distance(g, to, plane);
        bool fromOut = double_isNegative(fromDistance);
        bool toOut = double_isNegative(toDistance);
        if (fromOut != toOut && kept.count < CLIP_CORNERS) {
            ClipCorner at = toOut ? clip_cut(from, to, fromDistance, toDistance) : clip_cut(to, from, toDistance, fromDistance);
            kept.corners[kept.count++] = clip_moveOnto(g, at, plane);
        }
        if (!toOut && kept.count < CLIP_CORNERS) kept.corners[kept.count++] = to;
        from = to;
        fromDistance = toDistance;
    }
    p = kept;
}

ClipCorner clip_corner(vec4 p) { return ClipCorner(double_from(p.x), double_from(p.y), double_from(p.z), double_from(p.w)); }

// The corners of what is left of a triangle on the picture, a fan around the
// first; count is 0 where nothing is, or a corner has no place.
void clip_triangle(vec4 p0, vec4 p1, vec4 p2, out Place places[CLIP_CORNERS], out uint count) {
    GuardBand g = clip_guardBand();
    Polygon p;
    p.corners[0] = clip_corner(p0);
    p.corners[1] = clip_corner(p1);
    p.corners[2] = clip_corner(p2);
    p.count = 3u;
    uint out0 = clip_outside(g, p.corners[0]);
    uint out1 = clip_outside(g, p.corners[1]);
    uint out2 = clip_outside(g, p.corners[2]);
    count = 0u;
    if ((out0 & out1 & out2) != 0u) return;
    for (uint plane = 0u; plane < CLIP_PLANES; plane++) {
        if (((out0 | out1 | out2) >> plane & 1u) != 0u && p.count > 0u) clip_plane(g, p, plane);
    }
    for (uint i = 0u; i < p.count; i++) {
        ClipCorner c = p.corners[i];
        vec4 posClip = vec4(double_toFloat(c.x), double_toFloat(c.y), double_toFloat(c.z), double_toFloat(c.w));
        if (!setup_project(posClip, places[i])) return;
    }
    count = p.count;
}

#endif
