// Clips a triangle by the planes that cut it. The results are equal bit for bit to
// those of renderer/soft/clip.go, which has the same names; what it computes in float64,
// include/double.glsl computes here.
// Source  Sutherland and Hodgman, Reentrant polygon clipping, 1974
#ifndef CLIP_GLSL
#define CLIP_GLSL

#extension GL_EXT_control_flow_attributes : require

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

const uint64_t DOUBLE_ONE = 0x3ff0000000000000ul;
const uint64_t SMALLEST_W_DOUBLE = 0x39f0000000000000ul; // 2^-96

struct ClipCorner {
    uint64_t v[4]; // x, y, z, w: doubles, clip space
};

struct Polygon {
    ClipCorner corners[CLIP_CORNERS];
    uint count;
};

// The guard band in units of w, along x and y.
struct GuardBand {
    uint64_t size[2];
};

// Loops are not unrolled, since drivers inline every call and some of these functions are
// long.

GuardBand clip_guardBand() {
    GuardBand g;
    [[dont_unroll]] for (uint i = 0u; i < 2u; i++) {
        g.size[i] = double_divide(double_from(2.0 * GUARD_PX), double_from(float(i == 0u ? push.width : push.height)));
    }
    return g;
}

// A corner's distance from a plane, positive inside: a factor times w, plus or minus
// one coordinate.
uint64_t clip_distance(GuardBand g, ClipCorner c, uint plane) {
    uint64_t factor = plane == CLIP_NEAR ? 0ul : DOUBLE_ONE;
    if (plane >= CLIP_LEFT) factor = g.size[(plane - CLIP_LEFT) / 2u];
    uint64_t term = plane == CLIP_EYE ? SMALLEST_W_DOUBLE : c.v[plane >= CLIP_LEFT ? (plane - CLIP_LEFT) / 2u : 2u];
    bool negative = plane == CLIP_FAR || plane == CLIP_EYE || plane == CLIP_RIGHT || plane == CLIP_LOWER;
    return double_add(double_multiply(factor, c.v[3]), negative ? double_negate(term) : term);
}

// A bit for every plane that the corner lies outside of.
uint clip_outside(GuardBand g, ClipCorner c) {
    uint mask = 0u;
    [[dont_unroll]] for (uint plane = 0u; plane < CLIP_PLANES; plane++) {
        if (double_isNegative(clip_distance(g, c, plane))) mask |= 1u << plane;
    }
    return mask;
}

// clip_outside for a corner within the guard band. z's sign is read from its bits, since a device
// may treat a denormal number as zero.
uint clip_outsideWithin(vec4 p) { return (floatBitsToUint(p.z) > 0x80000000u ? 1u << CLIP_NEAR : 0u) | (p.z > p.w ? 1u << CLIP_FAR : 0u); }

// Moves a corner onto a plane that it misses only because of rounding.
ClipCorner clip_moveOnto(GuardBand g, ClipCorner c, uint plane) {
    if (plane == CLIP_NEAR) {
        c.v[2] = 0ul;
    } else if (plane == CLIP_FAR) {
        c.v[2] = c.v[3];
    } else if (plane == CLIP_EYE) {
        c.v[3] = SMALLEST_W_DOUBLE;
    } else {
        uint axis = (plane - CLIP_LEFT) / 2u;
        uint64_t edge = double_multiply(g.size[axis], c.v[3]);
        c.v[axis] = plane == CLIP_LEFT || plane == CLIP_UPPER ? double_negate(edge) : edge;
    }
    return c;
}

// The point where the edge from an inner to an outer corner meets the plane.
ClipCorner clip_cut(ClipCorner inner, ClipCorner outer, uint64_t innerDistance, uint64_t outerDistance) {
    uint64_t t = double_divide(innerDistance, double_subtract(innerDistance, outerDistance));
    ClipCorner c;
    [[dont_unroll]] for (uint i = 0u; i < 4u; i++) {
        c.v[i] = double_add(inner.v[i], double_multiply(t, double_subtract(outer.v[i], inner.v[i])));
    }
    return c;
}

// Clips a polygon by a plane. Edges are cut last, so that lanes whose polygons have other edges
// to cut do so at the same time.
void clip_plane(GuardBand g, inout Polygon p, uint plane) {
    uint64_t distances[CLIP_CORNERS];
    [[dont_unroll]] for (uint i = 0u; i < p.count; i++) distances[i] = clip_distance(g, p.corners[i], plane);
    Polygon kept;
    kept.count = 0u;
    uint cuts = 0u;        // a bit per corner whose edge from the one before is cut
    uint at[CLIP_CORNERS]; // by that corner: index of the new corner in kept
    bool fromOut = double_isNegative(distances[p.count - 1u]);
    [[dont_unroll]] for (uint i = 0u; i < p.count; i++) {
        bool toOut = double_isNegative(distances[i]);
        if (fromOut != toOut && kept.count < CLIP_CORNERS) {
            cuts |= 1u << i;
            at[i] = kept.count++;
        }
        if (!toOut && kept.count < CLIP_CORNERS) kept.corners[kept.count++] = p.corners[i];
        fromOut = toOut;
    }
    [[dont_unroll]] while (cuts != 0u) {
        uint to = uint(findLSB(cuts));
        cuts &= cuts - 1u;
        uint from = (to == 0u ? p.count : to) - 1u;
        bool enters = double_isNegative(distances[from]);
        uint inner = enters ? to : from;
        uint outer = enters ? from : to;
        kept.corners[at[to]] = clip_moveOnto(g, clip_cut(p.corners[inner], p.corners[outer], distances[inner], distances[outer]), plane);
    }
    p = kept;
}

// Whether a triangle certainly shows nothing in a tile, found without clipping it: all its corners are beyond one side of
// the tile. The sides are two pixels further out, since corners are snapped to the grid. A part of the terms is left for
// rounding: floats round by less than a tenth of it, and clipping, whose points lie between the corners, by far less.
bool clip_misses(vec4 p0, vec4 p1, vec4 p2, ivec2 tileMin, ivec2 tileMax) {
    const float rounding = 4e-6;
    vec3 w = vec3(p0.w, p1.w, p2.w);
    vec2 halfSize = 0.5 * vec2(push.width, push.height);
    for (int axis = 0; axis < 2; axis++) {
        vec3 at = halfSize[axis] * vec3(p0[axis], p1[axis], p2[axis]);
        vec3 low = (halfSize[axis] - float(tileMin[axis]) + 1.5) * w; // at + low is w times the distance from the side
        vec3 high = (halfSize[axis] - float(tileMax[axis]) - 2.5) * w;
        if (all(lessThan(at + low, -rounding * (abs(at) + abs(low)))) || all(greaterThan(at + high, rounding * (abs(at) + abs(high))))) return true;
    }
    return false;
}

// Clips a triangle. places are the corners of the rest, a fan around the first. count is 0
// if nothing is left, or if a corner cannot be placed.
void clip_triangle(vec4 p0, vec4 p1, vec4 p2, out Place places[CLIP_CORNERS], out uint count) {
    GuardBand g;
    if (!setup_within(p0) || !setup_within(p1) || !setup_within(p2)) g = clip_guardBand();
    vec4 positions[3] = vec4[3](p0, p1, p2);
    Polygon p;
    p.count = 3u;
    uint inAll = ~0u;
    uint inAny = 0u;
    [[dont_unroll]] for (uint k = 0u; k < 3u; k++) {
        [[dont_unroll]] for (uint i = 0u; i < 4u; i++) p.corners[k].v[i] = double_from(positions[k][i]);
        uint outside = setup_within(positions[k]) ? clip_outsideWithin(positions[k]) : clip_outside(g, p.corners[k]);
        inAll &= outside;
        inAny |= outside;
    }
    count = 0u;
    if (inAll != 0u) return;
    [[dont_unroll]] while (inAny != 0u && p.count > 0u) {
        clip_plane(g, p, uint(findLSB(inAny)));
        inAny &= inAny - 1u;
    }
    [[dont_unroll]] for (uint k = 0u; k < p.count; k++) {
        vec4 posClip;
        [[dont_unroll]] for (uint i = 0u; i < 4u; i++) posClip[i] = double_toFloat(p.corners[k].v[i]);
        if (!setup_project(posClip, places[k])) return;
    }
    count = p.count;
}

#endif
