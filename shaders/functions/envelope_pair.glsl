// Pairs of triangles of an envelope: whether some axis keeps them apart at a level.
// apps/envelope/pair.go does the same in Go, and has the proof.
//
// All sums are precise and without fused multiply-adds, from left to right.
#ifndef ENVELOPE_PAIR_GLSL
#define ENVELOPE_PAIR_GLSL

#include "include/exact.glsl"
#include "functions/envelope_triangle.glsl"

const float PAIR_ROUNDING = 1.0 / 262144.0;                  // relative bound on the rounding of all sums
const float PAIR_LEAST_AXIS = 1.0 / 1099511627776.0 / 1099511627776.0; // shorter axes are not used
const uint PAIR_AXES = 27u;
const uint PAIR_WALLS = 6u; // axes after the first one that separate most pairs
const uint PAIR_TURNS = PAIR_WALLS + PAIR_AXES;

// A pair of triangles, relative to corner 0 of the one with the lower number. A part is a
// set of corners of both that must be separated, one bit each: 3 bits for t, 3 for s.
struct Pair {
    mat3 restT, restS;
    mat3 stepsT, stepsS;
    vec3 sum;    // of all steps, the lower number's first
    uint parts;  // 6 bits each
    uint count;  // number of parts; 0 if the triangles have three common vertices
};

vec3 pair_cross(vec3 a, vec3 b) {
    precise vec3 c;
    c.x = a.y * b.z - a.z * b.y;
    c.y = a.z * b.x - a.x * b.z;
    c.z = a.x * b.y - a.y * b.x;
    return c;
}

float pair_sum1(vec3 a) {
    precise float s = (abs(a.x) + abs(a.y)) + abs(a.z);
    return s;
}

vec3 pair_column(mat3 m, uint i) { return i == 0u ? m[0] : i == 1u ? m[1] : m[2]; }

// The corners of s that are vertex v, one bit each.
uint pair_partner(uint v, uvec3 s) { return uint(v == s.x) | uint(v == s.y) << 1 | uint(v == s.z) << 2; }

// Lists the parts, depending on the common vertices.
void pair_addParts(inout Pair p, uvec3 t, uvec3 s) {
    uvec3 partners = uvec3(pair_partner(t.x, s), pair_partner(t.y, s), pair_partner(t.z, s)); // by corner of t
    uint commonT = uint(partners.x != 0u) | uint(partners.y != 0u) << 1 | uint(partners.z != 0u) << 2;
    uint commonS = partners.x | partners.y | partners.z;
    uint corners = uint(bitCount(commonT));
    p.count = corners == 0u ? 1u : corners == 1u ? 2u : corners == 2u ? 4u : 0u;
    // No common vertex: all against all. One: the opposite edge of either against all of the
    // other. Two, u and v: the apex of either against all of the other, and the outer edges
    // crosswise: an apex and u against the other's apex and v.
    p.parts = corners == 0u ? 077u : (7u ^ commonT) | 7u << 3 | (7u | (7u ^ commonS) << 3) << 6;
    if (corners == 2u) {
        uint u = commonT & (~commonT + 1u);
        uint partnerU = partners.x != 0u ? partners.x : partners.y;
        p.parts |= ((7u ^ commonT ^ u) | (7u ^ partnerU) << 3) << 12 | ((7u ^ u) | (7u ^ commonS ^ partnerU) << 3) << 18;
    }
}

Pair pair_new(Triangle t, Triangle s) {
    Pair p;
    bool tFirst = t.number < s.number;
    vec3 origin = tFirst ? t.rest[0] : s.rest[0];
    p.stepsT = t.steps;
    p.stepsS = s.steps;
    precise mat3 restT = mat3(t.rest[0] - origin, t.rest[1] - origin, t.rest[2] - origin);
    precise mat3 restS = mat3(s.rest[0] - origin, s.rest[1] - origin, s.rest[2] - origin);
    p.restT = restT;
    p.restS = restS;
    precise vec3 sumTS = ((((t.steps[0] + t.steps[1]) + t.steps[2]) + s.steps[0]) + s.steps[1]) + s.steps[2];
    precise vec3 sumST = ((((s.steps[0] + s.steps[1]) + s.steps[2]) + t.steps[0]) + t.steps[1]) + t.steps[2];
    p.sum = tFirst ? sumTS : sumST;
    pair_addParts(p, t.corners, s.corners);
    return p;
}

uint pair_bits(mat3 m) {
    uvec3 bits = floatBitsToUint(m[0]) | floatBitsToUint(m[1]) | floatBitsToUint(m[2]);
    return bits.x | bits.y | bits.z;
}

// Whether no corner moves: such a pair does not limit the level. The sign of a 0 is ignored.
bool pair_still(Pair p) { return (pair_bits(p.stepsT) | pair_bits(p.stepsS)) << 1 == 0u; }

// The component of w perpendicular to the sum of steps, times that sum's square.
vec3 pair_across(Pair p, vec3 w) {
    precise vec3 x = w * vec3(exact_dot(p.sum, p.sum)) - p.sum * vec3(exact_dot(w, p.sum));
    return x;
}

// A direction along which a pair may be separated. Its sign and length do not matter, so
// neither does which triangle comes first.
vec3 pair_axis(Pair p, uint n) {
    if (n == 0u || n >= 18u) { // from a corner of one to a corner of the other, or from middle to middle
        vec3 from = pair_column(p.restT, (n - 18u) / 3u);
        vec3 to = pair_column(p.restS, (n - 18u) % 3u);
        precise vec3 middleT = (p.restT[0] + p.restT[1]) + p.restT[2];
        precise vec3 middleS = (p.restS[0] + p.restS[1]) + p.restS[2];
        precise vec3 way = n == 0u ? middleS - middleT : to - from;
        return pair_across(p, way);
    }
    bool ofS = n >= 4u && n < 7u || n == 8u;
    mat3 rest = ofS ? p.restS : p.restT;
    uint i = n < 7u ? (n - 1u) % 3u : n < 9u ? 0u : (n - 9u) / 3u;
    precise vec3 edge = pair_column(rest, (i + 1u) % 3u) - pair_column(rest, i);
    precise vec3 other;
    if (n < 7u) { // the normal of the wall that an edge sweeps
        mat3 steps = ofS ? p.stepsS : p.stepsT;
        other = pair_column(steps, i) + pair_column(steps, (i + 1u) % 3u);
    } else if (n < 9u) { // the normal of a triangle
        other = rest[2] - rest[0];
    } else { // perpendicular to an edge of each
        other = pair_column(p.restS, (n - 8u) % 3u) - pair_column(p.restS, (n - 9u) % 3u);
    }
    return pair_cross(edge, other);
}

// A pair along an axis: the corners at rest, how far a step moves them, and the bound on the
// rounding of all sums.
struct Shadow {
    vec3 restT, restS;
    vec3 stepsT, stepsS;
    float bound;
};

// The pair along an axis; false if the axis is too short.
bool pair_along(Pair p, vec3 axis, out Shadow h) {
    float axisLength = pair_sum1(axis);
    precise float bound = axisLength * PAIR_ROUNDING;
    h.bound = bound;
    h.restT = vec3(exact_dot(axis, p.restT[0]), exact_dot(axis, p.restT[1]), exact_dot(axis, p.restT[2]));
    h.restS = vec3(exact_dot(axis, p.restS[0]), exact_dot(axis, p.restS[1]), exact_dot(axis, p.restS[2]));
    h.stepsT = vec3(exact_dot(axis, p.stepsT[0]), exact_dot(axis, p.stepsT[1]), exact_dot(axis, p.stepsT[2]));
    h.stepsS = vec3(exact_dot(axis, p.stepsS[0]), exact_dot(axis, p.stepsS[1]), exact_dot(axis, p.stepsS[2]));
    return axisLength > PAIR_LEAST_AXIS;
}

float pair_least(vec3 a) { return min(min(a.x, a.y), a.z); }
float pair_most(vec3 a) { return max(max(a.x, a.y), a.z); }

// Whether the axis separates the corners of t and of s in a part at a level, in either direction.
// A corner moves between its position at rest and its position at the level.
bool pair_parts(Shadow h, uint part, int level) {
    precise vec3 movedT = h.restT + h.stepsT * vec3(float(level));
    precise vec3 movedS = h.restS + h.stepsS * vec3(float(level));
    bvec3 ofT = notEqual(uvec3(part) & uvec3(1u, 2u, 4u), uvec3(0u));
    bvec3 ofS = notEqual(uvec3(part) & uvec3(8u, 16u, 32u), uvec3(0u));
    float loT = pair_least(mix(vec3(BOX_FAR), min(h.restT, movedT), ofT));
    float hiT = pair_most(mix(vec3(-BOX_FAR), max(h.restT, movedT), ofT));
    float loS = pair_least(mix(vec3(BOX_FAR), min(h.restS, movedS), ofS));
    float hiS = pair_most(mix(vec3(-BOX_FAR), max(h.restS, movedS), ofS));
    precise float apart = max(loS - hiT, loT - hiS);
    return apart > h.bound;
}

uint pair_part(Pair p, uint i) { return p.parts >> 6u * i & 63u; }

// Tries the first axis at a level, which separates nearly all pairs. Returns the parts, one
// bit each, for which other axes must be tried.
uint pair_tryFirst(Pair p, int level) {
    uint waiting = (1u << p.count) - 1u;
    Shadow h;
    if (pair_still(p)) return 0u;
    if (p.count > 2u || !pair_along(p, pair_axis(p, 0u), h)) return waiting;
    if (pair_parts(h, p.parts & 63u, level)) waiting &= ~1u;
    if (pair_parts(h, p.parts >> 6 & 63u, level)) waiting &= ~2u;
    return waiting;
}

// Tries another axis at a level, and clears the bits in waiting of the parts that it separates. The turns
// after the walls go through all axes, and also find the best lower level at which any axis separates the
// remaining parts. Parts separated at a level are separated at all lower levels, including rounding.
void pair_try(Pair p, uint turn, int level, inout uint waiting, inout ivec4 best) {
    rounds_add(2u + p.count);
    bool search = turn >= PAIR_WALLS;
    Shadow h;
    if (!pair_along(p, pair_axis(p, search ? turn - PAIR_WALLS : 1u + turn), h)) return;
    for (uint i = 0u; i < p.count; i++) {
        if ((waiting >> i & 1u) == 0u) continue;
        uint part = pair_part(p, i);
        int lo = 1 + (i == 0u ? best.x : i == 1u ? best.y : i == 2u ? best.z : best.w);
        if (pair_parts(h, part, level)) {
            waiting ^= 1u << i;
        } else if (search && lo < level && pair_parts(h, part, lo)) {
            int hi = level - 1;
            while (lo < hi) {
                rounds_add(1u);
                int mid = (lo + hi + 1) >> 1;
                if (pair_parts(h, part, mid)) lo = mid; else hi = mid - 1;
            }
            best = mix(best, ivec4(lo), equal(uvec4(i), uvec4(0u, 1u, 2u, 3u)));
        }
    }
}

// The highest level at which all waiting parts are separated, after the last turn.
int pair_highest(uint waiting, ivec4 best) {
    ivec4 own = mix(ivec4(0x7fffffff), best, notEqual(uvec4(waiting) & uvec4(1u, 2u, 4u, 8u), uvec4(0u)));
    return min(min(own.x, own.y), min(own.z, own.w));
}

#endif
