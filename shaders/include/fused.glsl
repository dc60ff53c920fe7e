// Geometry and rasterization in one pass: shaded vertices are held in shared memory,
// already on the subpixel grid, until the batch's triangles are drawn from there. Small
// triangles are drawn at once. Others go to lists, which later passes draw.
#ifndef FUSED_GLSL
#define FUSED_GLSL

#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_EXT_control_flow_attributes : require

#include "include/shade.glsl"
#include "include/visible.glsl"
#ifdef OWN_VERTEX
bool verdict_inside(vec4 posClip) { return false; } // asked with CULL, which others' shaders leave false
#else
#include "include/verdict.glsl"
#endif

layout(binding = BINDING_QUEUE_STATES, std430) buffer QueueStates { QueueState queueStates[]; }; // one per chunk
layout(binding = BINDING_RASTER_LISTS, std430) buffer RasterLists { RasterList rasterLists[]; }; // RASTER_LISTS per chunk

// What becomes of shaded vertices (include/sink.glsl).
const bool SINK_QUEUED = false;
const bool SINK_HELD = true;
const bool SINK_DRAWN = true;
const bool SINK_CULLS = SINK_DRAWN && CULL;

// A vertex on the picture: 12 bytes, since a vector could be padded to 16.
struct PlacedVertex {
    int x, y; // subpixels; x is NOWHERE where the vertex has no place, and y says why.
              // With CULL, x is FUSED_FLAGS times as large, plus bits: the sides of the view that
              // the vertex is beyond, and FUSED_INSIDE
    uint z;   // fixed point (include/depth.glsl)
};
#define Shaded PlacedVertex

// Vertices that claim holds per 32 lanes. More are spilled to memory: NVIDIA's driver
// gives Vulkan's workgroups only 50 KB of a multiprocessor's shared memory.
const uint CLAIM_HELD = 112u;

// Pixels in the box of a triangle that a lane draws at once. More than in
// LIST_SMALL, since listing a triangle costs more here: its corners are placed again.
const uint FUSED_PIXELS = 64u;

const int FUSED_FLAGS = CULL ? 32 : 1;
const int FUSED_SIDES = 15;         // of the flags: as in setup_beyond
const int FUSED_INSIDE = 16;        // of the flags: see verdict_inside
const int NOWHERE = -(1 << 25) * FUSED_FLAGS; // less than any place
const int FUSED_DROPS = 1 << 7;    // why: no triangle with this vertex is drawn
const int FUSED_BEYOND = (1 << 7) - 1; // why, else: the sides of the view that it is beyond, as in setup_beyond

ivec2 fused_sub(PlacedVertex v) { return ivec2(CULL ? v.x >> 5 : v.x, v.y); }

// Where a vertex lies. Triangles with a vertex outside of the planes or the guard band
// may have to be clipped, so that it has no place.
PlacedVertex fused_place(vec4 posClip) {
    Place p;
    PlacedVertex v = PlacedVertex(NOWHERE, FUSED_DROPS, 0u);
    if (!setup_finite(posClip)) return v;
    if (!setup_inside(posClip)) {
        v.y = int(setup_beyond(posClip));
    } else if (setup_project(posClip, p)) {
        v = PlacedVertex(p.sub.x * FUSED_FLAGS, p.sub.y, p.z);
        if (CULL) v.x |= int(setup_beyond(posClip)) & FUSED_SIDES | (verdict_inside(posClip) ? FUSED_INSIDE : 0);
    } else if (CULL) {
        v.y |= int(setup_beyond(posClip));
    }
    return v;
}

// The sides of the view that a vertex is beyond. Of one that has a place it may miss
// those by less than two subpixels, where the triangle covers no pixel's centre anyway,
// unless the sides are tallied.
int fused_beyond(PlacedVertex v) {
    if (v.x == NOWHERE) return v.y;
    if (CULL) return v.x & FUSED_SIDES;
    ivec2 end = SUBPIXEL * ivec2(push.width, push.height) - SUBPIXEL / 2; // the picture's far sides
    return (v.x < -SUBPIXEL / 2 - 1 ? 1 : 0) | (v.x > end.x + 1 ? 2 : 0) |
           (v.y < -SUBPIXEL / 2 - 1 ? 4 : 0) | (v.y > end.y + 1 ? 8 : 0);
}

// Lists a triangle for the pass that draws its class. Lanes that list one of the same
// class at the same time call it together, and add to the counters once. Dispatches
// grow with the list.
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
    }
    uint i = subgroupBroadcastFirst(first) + subgroupBallotExclusiveBitCount(lanes);
    if (i < push.triangleCapacity) rasterTriangles[raster_place(sizeClass, i)] = triangle;
}

// Draws a small triangle.
void fused_draw(uint triangle, PlacedVertex a, PlacedVertex b, PlacedVertex c, ivec2 boxMin, ivec2 boxMax) {
    ivec2 ab = fused_sub(b) - fused_sub(a);
    ivec2 ac = fused_sub(c) - fused_sub(a);
    int area = ab.x * ac.y - ac.x * ab.y;
    if (area == 0) return;
    if (area < 0) {
        PlacedVertex other = b;
        b = c;
        c = other;
    }
    visible_drawSmall(fused_sub(a), fused_sub(b), fused_sub(c), uvec3(a.z, b.z, c.z), boxMin, boxMax, triangle);
}

// The pixels whose centres a triangle's box holds, within the picture; false where it
// holds none.
bool fused_box(PlacedVertex a, PlacedVertex b, PlacedVertex c, out ivec2 boxMin, out ivec2 boxMax) {
    boxMin = max((min(min(fused_sub(a), fused_sub(b)), fused_sub(c)) + (SUBPIXEL - 1)) >> 8, ivec2(0));
    boxMax = min(max(max(fused_sub(a), fused_sub(b)), fused_sub(c)) >> 8, ivec2(push.width, push.height) - 1);
    return all(lessThanEqual(boxMin, boxMax));
}

// Whether a triangle may show anything.
bool sink_shows(PlacedVertex a, PlacedVertex b, PlacedVertex c) {
    ivec2 boxMin, boxMax;
    return min(min(a.x, b.x), c.x) == NOWHERE || fused_box(a, b, c, boxMin, boxMax);
}

#include "include/fused_cull.glsl"

// Draws a triangle of the chunk or lists it; raster:setup has the same tests.
void sink_triangle(uint triangle, PlacedVertex a, PlacedVertex b, PlacedVertex c) {
    if (!WRITE || CULL && PHASE == 0u) return;
    ivec2 low = min(min(fused_sub(a), fused_sub(b)), fused_sub(c));
    ivec2 high = max(max(fused_sub(a), fused_sub(b)), fused_sub(c));
    ivec2 boxMin, boxMax;
    uint sizeClass;
    if (min(min(a.x, b.x), c.x) == NOWHERE) {
        int either = fused_beyond(a) | fused_beyond(b) | fused_beyond(c);
        int all = fused_beyond(a) & fused_beyond(b) & fused_beyond(c) & FUSED_BEYOND;
        if ((either & FUSED_DROPS) != 0 || all != 0) return;
        sizeClass = LIST_CLIPPED;
    } else {
        if (!fused_box(a, b, c, boxMin, boxMax)) return;
        uvec2 size = uvec2(boxMax - boxMin) + 1u;
        uint pixels = size.x * size.y;
        ivec2 span = high - low;
        if (pixels <= FUSED_PIXELS && max(span.x, span.y) < SMALL_SPAN) {
            fused_draw(triangle, a, b, c, boxMin, boxMax);
            return;
        }
        sizeClass = pixels <= RASTER_MEDIUM_PIXELS ? LIST_MEDIUM : LIST_LARGE;
    }
    [[dont_unroll]] for (uint listed = LIST_MEDIUM; listed < RASTER_CLASSES; listed++) {
        if (sizeClass == listed) fused_list(listed, triangle);
    }
}

PlacedVertex shade_id(BatchInput batchInput, uint id, uint batchIndex) {
#ifdef OWN_VERTEX
    return fused_place(shade_place(batchInput, id));
#else
    vec4 posObject;
    ShadeNormal normalObject;
    return fused_place(shade_place(batchInput, id, posObject, normalObject));
#endif
}

void sink_cooperated(uint indices) { atomicAdd(queueStates[push.chunk].cooperated, indices); }

// Allocates count places for vertices that shared memory does not hold.
uint queue_spill(uint count) {
    uint first = atomicAdd(queueStates[push.chunk].vertexCount, count);
    if (first + count > push.vertexCapacity) atomicOr(queueStates[push.chunk].overflowBits, OVERFLOW_VERTICES);
    return first;
}

uint queue_trianglePlace(uint triangle) { return triangle - push.firstTriangle; }

// There is no vertex queue, whose places strategies could ask for.
void sink_keep(uint place, uint id, PlacedVertex v) {}
void sink_corner(uint triangle, uint corner, PlacedVertex v) {}
void sink_alone(uint triangle, uint corner, uint id, PlacedVertex v) {}
void sink_record(uint triangle, uint base, uvec3 slots) {}
void sink_packed(uint triangle, uvec2 record) {}
uint queue_fixedPlace(uint place) { return 0u; }
uint queue_allocate(uint count) { return 0u; }

#endif
