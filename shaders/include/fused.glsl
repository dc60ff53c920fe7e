// Draws the triangles of a chunk whose corners are placed, or lists them by size. The fused sink
// and raster:sifted share it.
#ifndef FUSED_GLSL
#define FUSED_GLSL

#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_EXT_control_flow_attributes : require

#include "include/visible.glsl"
#include "include/placed.glsl"
#ifdef OWN_VERTEX
bool verdict_inside(vec4 posClip) { return false; } // called with CULL, which other renderers' shaders do not set
#else
#include "include/verdict.glsl"
#endif

layout(binding = BINDING_QUEUE_STATES, std430) buffer QueueStates { QueueState queueStates[]; }; // one per chunk
layout(binding = BINDING_RASTER_LISTS, std430) buffer RasterLists { RasterList rasterLists[]; }; // RASTER_LISTS per chunk

// Places a vertex on the subpixel grid. Without SIFT, a vertex outside of the planes or the guard
// band gets no place, since its triangles may need clipping.
PlacedVertex fused_place(vec4 posClip) {
    Place p;
    if (SIFT) {
        if (placed_near(posClip, p.sub)) return placed_pack(p.sub, 0u, 0);
        return placed_nowhere(setup_finite(posClip) ? int(setup_beyond(posClip)) : PLACED_DROPS);
    }
    if (!CULL && setup_quick(posClip, p)) return placed_pack(p.sub, p.z, 0);
    if (!setup_finite(posClip)) return placed_nowhere(PLACED_DROPS);
    if (!setup_inside(posClip)) return placed_nowhere(int(setup_beyond(posClip)));
    if (!setup_project(posClip, p)) return placed_nowhere(PLACED_DROPS | (CULL ? int(setup_beyond(posClip)) : 0));
    return placed_pack(p.sub, p.z, CULL ? int(setup_beyond(posClip)) & PLACED_SIDES | (verdict_inside(posClip) ? PLACED_INSIDE : 0) : 0);
}

// Lists a triangle for the pass that draws its class. Lanes that list triangles of one class
// at the same time call it together, and add to the counters once. Dispatches grow with the
// list.
void fused_list(uint sizeClass, uint triangle) {
    uint list = RASTER_LISTS * push.chunk + sizeClass;
    uvec4 lanes = subgroupBallot(true);
    uint count = subgroupBallotBitCount(lanes);
    uint first = 0u;
    if (gl_SubgroupInvocationID == subgroupBallotFindLSB(lanes)) {
        first = atomicAdd(rasterLists[list].count, count);
        uint end = first + count;
        if (end > push.triangleCapacity) {
            atomicOr(queueStates[push.chunk].overflowBits, OVERFLOW_TRIANGLES);
            atomicMax(queueStates[push.chunk].triangleCount, end);
            end = push.triangleCapacity;
        }
        uint groups = raster_groups(sizeClass, end);
        atomicMax(rasterLists[list].groupsX, min(groups, MAX_GROUPS));
        atomicMax(rasterLists[list].groupsY, (groups + MAX_GROUPS - 1u) / MAX_GROUPS);
        rasterLists[list].groupsZ = 1u;
#ifndef OWN_VERTEX // other renderers run the passes of all lists, and have memory for no more
        rasterLists[RASTER_LISTS * push.chunk + RASTER_CLASSES].groupsX = 1u;
#endif
    }
    uint i = subgroupBroadcastFirst(first) + subgroupBallotExclusiveBitCount(lanes);
    if (i < push.triangleCapacity) rasterTriangles[raster_place(sizeClass, i)] = triangle;
}

// The depth of a vertex that is drawn: multi_fused.glsl has most vertices without theirs.
#ifdef MULTI_TAKES
uint multi_depth(uint number);
#define FUSED_DEPTH(v) multi_depth((v).z)
#else
#define FUSED_DEPTH(v) (v).z
#endif

// Draws a small triangle, or this invocation's part of it with TRIANGLE_LANES.
void fused_draw(uint triangle, PlacedVertex a, PlacedVertex b, PlacedVertex c, ivec2 boxMin, ivec2 boxMax, uint part) {
    ivec2 ab = placed_sub(b) - placed_sub(a);
    ivec2 ac = placed_sub(c) - placed_sub(a);
    int area = ab.x * ac.y - ac.x * ab.y;
    if (area == 0) return;
    if (area < 0) {
        PlacedVertex other = b;
        b = c;
        c = other;
    }
    visible_drawSmall(placed_sub(a), placed_sub(b), placed_sub(c), uvec3(FUSED_DEPTH(a), FUSED_DEPTH(b), FUSED_DEPTH(c)), boxMin + ivec2(0, int(part)), boxMax, int(TRIANGLE_LANES), triangle, textured_unknown());
}

// The pixels whose centres are in a triangle's box, clipped to the picture; false if there
// are none. With SIFT they are numbered from PLACED_ORIGIN / SUBPIXEL on, and the box is larger
// by the error of its corners.
bool fused_box(PlacedVertex a, PlacedVertex b, PlacedVertex c, out ivec2 boxMin, out ivec2 boxMax) {
    const ivec2 origin = ivec2(PLACED_ORIGIN / SUBPIXEL);
    boxMin = max((min(min(placed_sub(a), placed_sub(b)), placed_sub(c)) + (SUBPIXEL - 1 - PLACED_ERROR)) >> 8, origin);
    boxMax = min((max(max(placed_sub(a), placed_sub(b)), placed_sub(c)) + PLACED_ERROR) >> 8, origin + ivec2(push.width, push.height) - 1);
    return all(lessThanEqual(boxMin, boxMax));
}

// Whether a triangle, one of whose corners has no place, is dropped.
bool fused_drops(PlacedVertex a, PlacedVertex b, PlacedVertex c) {
    int either = placed_beyond(a) | placed_beyond(b) | placed_beyond(c);
    int all = placed_beyond(a) & placed_beyond(b) & placed_beyond(c) & PLACED_BEYOND;
    return (either & PLACED_DROPS) != 0 || all != 0;
}

// The index in sifted[] of a word of the chunk's bits. Chunks do not share words.
uint fused_sifted(uint word) { return push.firstTriangle / 32u + push.chunk + word; }

// Whether a triangle may show anything.
bool fused_shows(PlacedVertex a, PlacedVertex b, PlacedVertex c) {
    ivec2 boxMin, boxMax;
    bool boxed = fused_box(a, b, c, boxMin, boxMax);
    bool nowhere = placed_anyNowhere(a, b, c);
    if (SIFT && nowhere) return !fused_drops(a, b, c);
    return nowhere || boxed;
}

uint fused_pixels() {
#ifndef OWN_VERTEX
    if (SOLE) return camera.atOnce;
#endif
    return FUSED_PIXELS;
}

// Draws a triangle of the chunk, lists it by its class, or drops it if it surely shows nothing.
// TRIANGLE_LANES invocations, with part from 0 on, call it together.
void fused_triangle(uint triangle, PlacedVertex a, PlacedVertex b, PlacedVertex c, uint part) {
    ivec2 low = min(min(placed_sub(a), placed_sub(b)), placed_sub(c));
    ivec2 high = max(max(placed_sub(a), placed_sub(b)), placed_sub(c));
    ivec2 boxMin, boxMax;
    uint sizeClass;
    if (placed_anyNowhere(a, b, c)) {
        if (fused_drops(a, b, c)) return;
        sizeClass = LIST_CLIPPED;
    } else {
        if (!fused_box(a, b, c, boxMin, boxMax)) return;
        uvec2 size = uvec2(boxMax - boxMin) + 1u;
        uint pixels = size.x * size.y;
        ivec2 span = high - low;
        // With distances it is listed: other invocations have only just stored those of its corners.
        if (!DISTANCED && pixels <= fused_pixels() && max(span.x, span.y) < SMALL_SPAN) {
            fused_draw(triangle, a, b, c, boxMin, boxMax, part);
            return;
        }
        sizeClass = raster_class(pixels);
    }
    if (part > 0u) return;
    [[dont_unroll]] for (uint listed = LIST_MEDIUM; listed < RASTER_CLASSES; listed++) {
        if (sizeClass == listed) fused_list(listed, triangle);
    }
}

#endif
