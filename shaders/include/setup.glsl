// From clip space to a triangle on the subpixel grid, with the same bits as renderer/soft/setup.go:
// by products, sums and integers.
#ifndef SETUP_GLSL
#define SETUP_GLSL

#ifdef MESH // push is a ChunkPush, which has what RasterPush has
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#include "include/stream.glsl"
#else
#include "include/raster.glsl"
#endif
#include "include/depth.glsl"

const float SMALLEST_W = 1.2621774483536189e-29; // 2^-96
const float SETUP_ROUND = 12582912.0; // 3 * 2^22: a sum with it, of less than 2^22, has the rounded number in its last bits
const int SUBPIXEL = 256;
const float GUARD_PX = 32768.0; // the guard band: pixels from the picture's centre

struct Place {
    ivec2 sub; // subpixels, from the centre of pixel 0
    uint z;    // fixed point (include/depth.glsl)
};

// A triangle projected to the picture, with positive area.
struct Triangle {
    Place a, b, c;
    ivec2 boxMin, boxMax; // pixels whose centres are in its box, clipped to the picture
    bool swapped;         // b and c were swapped to make the area positive
};

// The three edge functions, exact, positive inside. Function i belongs to the edge opposite
// corner i.
struct Edges {
    i64vec3 value; // at a pixel
    i64vec3 stepX, stepY;
    i64vec3 bias;  // the least value inside: 0 for top and left edges, else 1
};

bool setup_finite(vec4 v) {
    return all(notEqual(floatBitsToUint(v) & 0x7f800000u, uvec4(0x7f800000u)));
}

// 1 / w within 1.5 parts of 2^24, by products and sums, which all devices round alike: Newton's method, from a guess
// that negates the exponent. w is at least SMALLEST_W; the result is 0 from 2^125 on, near which it would be denormal.
float setup_reciprocal(float w) {
    uint word = floatBitsToUint(w);
    precise float y = uintBitsToFloat(0x7ef311c7u - word);
    for (uint i = 0u; i < 2u; i++) y = y * (2.0 - w * y);
    y = y + y * (1.0 - w * y); // exact for powers of 2
    return word < 0x7e000000u ? y : 0.0;
}

// The viewport transform and snapping to the grid; false if the vertex has no place on it.
bool setup_project(vec4 posClip, out Place p) {
    float inverseW = setup_reciprocal(posClip.w);
    vec2 halfSize = 0.5 * vec2(push.width, push.height);
    precise vec2 ndc = posClip.xy * vec2(inverseW);
    precise vec2 scaled = ndc * halfSize;
    precise vec2 px = scaled + halfSize;
    precise vec2 centered = px - vec2(0.5);
    vec2 snapped = roundEven(centered * float(SUBPIXEL));
    precise float z = posClip.z * inverseW;
    p.sub = ivec2(snapped);
    p.z = depth_fix(z);
    const float most = 2.0 * GUARD_PX * float(SUBPIXEL);
    if (!(abs(snapped.x) <= most && abs(snapped.y) <= most) || !(inverseW > 0.0) || (floatBitsToUint(z) & 0x7f800000u) == 0x7f800000u) {
        p.sub = ivec2(0);
        p.z = 0u;
        return false;
    }
    return true;
}

// setup_project in fewer operations, for a corner that is inside all planes and less than 2^14 pixels from pixel 0, which
// is inside the guard band; false for others.
bool setup_quick(vec4 posClip, out Place p) {
    float inverseW = setup_reciprocal(posClip.w);
    vec2 halfSize = 0.5 * vec2(push.width, push.height);
    precise vec2 ndc = posClip.xy * vec2(inverseW);
    precise vec2 scaled = ndc * halfSize;
    precise vec2 px = scaled + halfSize;
    precise vec2 centered = px - vec2(0.5);
    precise vec2 sub = centered * float(SUBPIXEL);
    precise vec2 rounded = sub + vec2(SETUP_ROUND);
    precise float z = posClip.z * inverseW;
    p.sub = floatBitsToInt(rounded) - floatBitsToInt(SETUP_ROUND);
    p.z = depth_fix(z);
    return posClip.w >= SMALLEST_W && posClip.w < 1e18 && floatBitsToInt(posClip.z) >= 0 && posClip.z <= posClip.w && all(lessThan(abs(sub), vec2(4194304.0)));
}

// Twice the area of a, b, c. Subpixels squared; exact.
int64_t setup_area(ivec2 a, ivec2 b, ivec2 c) {
    return int64_t(b.x - a.x) * int64_t(c.y - a.y) - int64_t(c.x - a.x) * int64_t(b.y - a.y);
}

// False if the triangle has no area or its box contains no pixel's centre.
bool setup_triangle(Place a, Place b, Place c, out Triangle t) {
    int64_t area = setup_area(a.sub, b.sub, c.sub);
    t.swapped = area < 0l;
    t.a = a;
    t.b = t.swapped ? c : b;
    t.c = t.swapped ? b : c;
    t.boxMin = max((min(min(a.sub, b.sub), c.sub) + (SUBPIXEL - 1)) >> 8, ivec2(0));
    t.boxMax = min(max(max(a.sub, b.sub), c.sub) >> 8, ivec2(push.width, push.height) - 1);
    return area != 0l && all(lessThanEqual(t.boxMin, t.boxMax));
}

// The edge function from one corner to the next: its value at a pixel, and how much it grows per pixel.
void setup_edge(ivec2 from, ivec2 to, ivec2 pixel, out int64_t value, out int64_t stepX, out int64_t stepY, out int64_t bias) {
    ivec2 d = to - from;
    ivec2 away = SUBPIXEL * pixel - from;
    value = int64_t(d.x) * int64_t(away.y) - int64_t(d.y) * int64_t(away.x);
    stepX = int64_t(-d.y) * int64_t(SUBPIXEL);
    stepY = int64_t(d.x) * int64_t(SUBPIXEL);
    bias = d.y < 0 || (d.y == 0 && d.x > 0) ? 0l : 1l;
}

Edges setup_edges(ivec2 a, ivec2 b, ivec2 c, ivec2 pixel) {
    Edges e;
    setup_edge(b, c, pixel, e.value.x, e.stepX.x, e.stepY.x, e.bias.x);
    setup_edge(c, a, pixel, e.value.y, e.stepX.y, e.stepY.y, e.bias.y);
    setup_edge(a, b, pixel, e.value.z, e.stepX.z, e.stepY.z, e.bias.z);
    return e;
}

bool setup_covers(i64vec3 value, i64vec3 bias) {
    return value.x >= bias.x && value.y >= bias.y && value.z >= bias.z;
}

// A triangle whose box spans fewer subpixels has edge functions that fit 32 bits.
const int SMALL_SPAN = 1 << 14;

bool setup_isSmall(ivec2 a, ivec2 b, ivec2 c) {
    ivec2 span = max(max(a, b), c) - min(min(a, b), c);
    return max(span.x, span.y) < SMALL_SPAN;
}

bool setup_isSmall(Triangle t) { return setup_isSmall(t.a.sub, t.b.sub, t.c.sub); }

// Edge functions of a small triangle at a pixel within its box.
struct SmallEdges {
    ivec3 value;
    ivec3 stepX, stepY;
    ivec3 bias;
};

SmallEdges setup_smallEdges(ivec2 a, ivec2 b, ivec2 c, ivec2 pixel) {
    ivec3 dx = ivec3(c.x - b.x, a.x - c.x, b.x - a.x);
    ivec3 dy = ivec3(c.y - b.y, a.y - c.y, b.y - a.y);
    ivec3 x = SUBPIXEL * pixel.x - ivec3(b.x, c.x, a.x);
    ivec3 y = SUBPIXEL * pixel.y - ivec3(b.y, c.y, a.y);
    SmallEdges e;
    e.value = dx * y - dy * x;
    e.stepX = -SUBPIXEL * dy;
    e.stepY = SUBPIXEL * dx;
    for (int i = 0; i < 3; i++) e.bias[i] = dy[i] < 0 || (dy[i] == 0 && dx[i] > 0) ? 0 : 1;
    return e;
}

// Whether a corner is surely within the guard band.
bool setup_within(vec4 p) {
    vec2 guard = 0.9 * (2.0 * GUARD_PX / vec2(push.width, push.height)) * p.w;
    return p.w >= SMALLEST_W && all(lessThanEqual(abs(p.xy), guard));
}

// Whether a corner is certainly inside all planes, with a margin at the guard band: no
// triangle of such corners is clipped. z's sign is read from its bits, since a device may
// treat a denormal number as zero.
bool setup_inside(vec4 p) { return setup_within(p) && floatBitsToInt(p.z) >= 0 && p.z <= p.w; }

// A bit for every plane that a vertex is beyond: 1, 2, 4 and 8 for left, right, top and bottom, 16
// for a negative z, 32 for z above w, 64 for a w too small to divide by.
uint setup_beyond(vec4 p) {
    return (p.x < -p.w ? 1u : 0u) | (p.x > p.w ? 2u : 0u) | (p.y < -p.w ? 4u : 0u) | (p.y > p.w ? 8u : 0u) |
           (p.z < 0.0 ? 16u : 0u) | (p.z > p.w ? 32u : 0u) | (p.w < SMALLEST_W ? 64u : 0u);
}

// Projects a triangle's corners; false if one has no place.
bool setup_projectAll(vec4 p0, vec4 p1, vec4 p2, out Place a, out Place b, out Place c) {
    bool placed = setup_project(p0, a);
    placed = setup_project(p1, b) && placed;
    return setup_project(p2, c) && placed;
}

// Sets up a triangle that is not clipped; false as setup_triangle, or if a corner has no place.
bool setup_load(vec4 p0, vec4 p1, vec4 p2, out Triangle t) {
    Place a, b, c;
    bool placed = setup_projectAll(p0, p1, p2, a, b, c);
    return setup_triangle(a, b, c, t) && placed;
}

#endif
