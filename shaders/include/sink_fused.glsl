// Geometry and rasterization in one pass: shaded vertices are held in shared memory,
// already on the subpixel grid, until the batch's triangles are drawn from there. Small
// triangles are drawn at once. Others go to lists, which later passes draw.
#ifndef SINK_FUSED_GLSL
#define SINK_FUSED_GLSL

#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_EXT_control_flow_attributes : require

#include "include/shade.glsl"
#include "include/record.glsl"
#include "include/visible.glsl"
#include "include/placed.glsl"
#ifdef OWN_VERTEX
bool verdict_inside(vec4 posClip) { return false; } // called with CULL, which other renderers' shaders do not set
#else
#include "include/verdict.glsl"
#endif

layout(binding = BINDING_QUEUE_STATES, std430) buffer QueueStates { QueueState queueStates[]; }; // one per chunk
layout(binding = BINDING_RASTER_LISTS, std430) buffer RasterLists { RasterList rasterLists[]; }; // RASTER_LISTS per chunk

// See include/sink.glsl.
#define Shaded PlacedVertex
const bool SINK_QUEUED = false;
const bool SINK_HELD = true;
#define SINK_CULLS CULL
#define SINK_ALONE 3u

void emit_hold(uint i, PlacedVertex v);
PlacedVertex emit_held(uint i);
void emit_survive(uint i);
bool emit_survives(uint i);
uint emit_id(uint i);

// Vertices that claim holds per 32 lanes. Further ones are spilled to memory, since NVIDIA's
// driver gives Vulkan's workgroups only 50 KB of a multiprocessor's shared memory.
const uint CLAIM_HELD = 112u;

// Most pixels in the box of a triangle that a lane draws at once. More than in LIST_SMALL,
// since listing a triangle costs more here: its corners are positioned again.
const uint FUSED_PIXELS = 64u;

// The place of a vertex. A vertex outside of the planes or the guard band has none, since
// its triangles may need clipping.
PlacedVertex fused_place(vec4 posClip) {
    Place p;
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
    }
    uint i = subgroupBroadcastFirst(first) + subgroupBallotExclusiveBitCount(lanes);
    if (i < push.triangleCapacity) rasterTriangles[raster_place(sizeClass, i)] = triangle;
}

// Draws a small triangle.
void fused_draw(uint triangle, PlacedVertex a, PlacedVertex b, PlacedVertex c, ivec2 boxMin, ivec2 boxMax) {
    ivec2 ab = placed_sub(b) - placed_sub(a);
    ivec2 ac = placed_sub(c) - placed_sub(a);
    int area = ab.x * ac.y - ac.x * ab.y;
    if (area == 0) return;
    if (area < 0) {
        PlacedVertex other = b;
        b = c;
        c = other;
    }
    visible_drawSmall(placed_sub(a), placed_sub(b), placed_sub(c), uvec3(a.z, b.z, c.z), boxMin, boxMax, triangle);
}

// The pixels whose centres are in a triangle's box, clipped to the picture; false if there
// are none.
bool fused_box(PlacedVertex a, PlacedVertex b, PlacedVertex c, out ivec2 boxMin, out ivec2 boxMax) {
    boxMin = max((min(min(placed_sub(a), placed_sub(b)), placed_sub(c)) + (SUBPIXEL - 1)) >> 8, ivec2(0));
    boxMax = min(max(max(placed_sub(a), placed_sub(b)), placed_sub(c)) >> 8, ivec2(push.width, push.height) - 1);
    return all(lessThanEqual(boxMin, boxMax));
}

// Whether a triangle may show anything.
bool fused_shows(PlacedVertex a, PlacedVertex b, PlacedVertex c) {
    ivec2 boxMin, boxMax;
    return placed_anyNowhere(a, b, c) || fused_box(a, b, c, boxMin, boxMax);
}

#include "include/fused_cull.glsl"

// Draws a triangle of the chunk or lists it; raster:setup makes the same tests.
void fused_triangle(uint triangle, PlacedVertex a, PlacedVertex b, PlacedVertex c) {
    if (!WRITE || CULL && PHASE == 0u) return;
    ivec2 low = min(min(placed_sub(a), placed_sub(b)), placed_sub(c));
    ivec2 high = max(max(placed_sub(a), placed_sub(b)), placed_sub(c));
    ivec2 boxMin, boxMax;
    uint sizeClass;
    if (placed_anyNowhere(a, b, c)) {
        int either = placed_beyond(a) | placed_beyond(b) | placed_beyond(c);
        int all = placed_beyond(a) & placed_beyond(b) & placed_beyond(c) & PLACED_BEYOND;
        if ((either & PLACED_DROPS) != 0 || all != 0) return;
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
    vec4 shown;
    return fused_place(shade_place(batchInput, id, shown));
#endif
}

// There is no vertex queue, but memory for results that claim cannot hold.
uint sink_allocate(uint count) {
    uint first = atomicAdd(queueStates[push.chunk].vertexCount, count);
    if (first + count > push.vertexCapacity) atomicOr(queueStates[push.chunk].overflowBits, OVERFLOW_VERTICES);
    return first;
}

uint sink_place(uint triangle) { return triangle - push.firstTriangle; }

void sink_vertex(uint place, uint i, uint id, PlacedVertex v) { emit_hold(i, v); }

void sink_triangle(BatchInput batchInput, uint place, uint base, uvec3 slots) {
    PlacedVertex a = emit_held(slots.x);
    PlacedVertex b = emit_held(slots.y);
    PlacedVertex c = emit_held(slots.z);
    if (CULL) {
        if (!fused_survives(batchInput, a, b, c)) return;
        for (uint i = 0u; i < 3u; i++) emit_survive(slots[i]);
    }
    fused_triangle(place, a, b, c);
}

// Shades the ids that surviving triangles use.
void sink_end(BatchInput batchInput, uint count) {
    if (!CULL) return;
    group_barrier();
    for (uint i = group_invocation(); i < count; i += GROUP) {
        if (emit_survives(i)) fused_shade(batchInput, emit_id(i));
    }
}

void sink_alone(BatchInput batchInput, uint batchIndex, uint place, uint corner, uint k) {
    PlacedVertex v[3];
    uint ids[3];
    for (uint c = 0u; c < 3u; c++) {
        ids[c] = stream_index(k + c);
        v[c] = shade_id(batchInput, ids[c], batchIndex);
    }
    if (CULL) {
        if (!fused_survives(batchInput, v[0], v[1], v[2])) return;
        for (uint c = 0u; c < 3u; c++) fused_shade(batchInput, ids[c]);
    }
    fused_triangle(place, v[0], v[1], v[2]);
}

void sink_cooperated(uint indices) { atomicAdd(queueStates[push.chunk].cooperated, indices); }

#endif
