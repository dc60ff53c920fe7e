// Which triangles culling drops. Corners are placed as our compute rasterizer places them. The hardware rasterizer may place
// them up to SLACK subpixels apart. If it draws the picture, a triangle that is no dropped back face is only dropped if it
// covers nothing wherever its corners lie within SLACK.
#ifndef VERDICT_GLSL
#define VERDICT_GLSL

#include "include/setup.glsl"
#include "include/cull.glsl"

// Whether a point is surely inside all planes and, with a margin, the guard band. It only
// multiplies, since devices round divisions differently.
bool verdict_inside(vec4 p) {
    precise vec2 reach = abs(p.xy) * vec2(push.width, push.height);
    precise float guard = (1.75 * GUARD_PX) * p.w;
    return p.w >= SMALLEST_W && floatBitsToInt(p.z) >= 0 && p.z <= p.w && reach.x <= guard && reach.y <= guard;
}

// Whether a box's only pixel centre is outside the triangle. Triangles whose edge functions
// exceed 32 bits are left to the rasterizer.
bool verdict_misses(ivec2 a, ivec2 b, ivec2 c, bool swapped, ivec2 span, ivec2 pixel) {
    if (max(span.x, span.y) >= SMALL_SPAN) return false;
    SmallEdges e = setup_smallEdges(a, swapped ? c : b, swapped ? b : c, pixel);
    return any(lessThan(e.value, e.bias));
}

// The CULL_* kind of a triangle with all corners inside, by their subpixel positions. thin says whether
// to drop a triangle without area at these positions; flags are those of its draw.
uint verdict_placed(ivec2 a, ivec2 b, ivec2 c, bool thin, uint flags) {
    int64_t area = setup_area(a, b, c);
    if (area == 0l && thin) return CULL_ZERO_AREA;
    // y grows downwards: a front face, counter-clockwise, has a negative area.
    bool oneSided = FACES == FACES_ALL || FACES == FACES_FILE && (flags & DRAW_ONE_SIDED) != 0u;
    bool back = (flags & DRAW_MIRRORED) != 0u ? area < 0l : area > 0l;
    if (oneSided && back) return CULL_BACK_FACE;
    ivec2 least = min(min(a, b), c);
    ivec2 most = max(max(a, b), c);
    ivec2 boxMin = max((least - SLACK + (SUBPIXEL - 1)) >> 8, ivec2(0));
    ivec2 boxMax = min((most + SLACK) >> 8, ivec2(push.width, push.height) - 1);
    if (any(greaterThan(boxMin, boxMax))) return CULL_NO_SAMPLE;
    if (SLACK == 0 && boxMin == boxMax && verdict_misses(a, b, c, area < 0l, most - least, boxMin)) return CULL_NO_SAMPLE;
    return CULL_SURVIVED;
}

// The CULL_* kind of a triangle. flags are those of its draw.
uint verdict_triangle(vec4 p0, vec4 p1, vec4 p2, uint flags) {
    if (!setup_finite(p0) || !setup_finite(p1) || !setup_finite(p2)) return CULL_SURVIVED;
    if ((setup_beyond(p0) & setup_beyond(p1) & setup_beyond(p2)) != 0u) return CULL_FRUSTUM;
    if (!verdict_inside(p0) || !verdict_inside(p1) || !verdict_inside(p2)) return CULL_SURVIVED;
    Place a, b, c;
    if (!setup_projectAll(p0, p1, p2, a, b, c)) return CULL_SURVIVED;
    bool thin = SLACK == 0 || p0 == p1 || p1 == p2 || p2 == p0;
    return verdict_placed(a.sub, b.sub, c.sub, thin, flags);
}

#endif
