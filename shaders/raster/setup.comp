#version 450
#extension GL_GOOGLE_include_directive : require

// raster:setup: sorts the triangles of a chunk into lists by how they are best drawn.
// Triangles that surely cover no pixel's centre go into no list: those outside the view, without area, without a centre in
// their box, or that miss the only centre in their box, and those with a corner that is not finite.
//
// The workgroup that ends last turns the lists' lengths into the dispatches that
// draw them.
//
// Input   the queues, triangles * 3 vertices by place
// Output  rasterTriangles[]: places in the triangle queue, by class; rasterLists[]
// Dispatch one invocation per triangle

#include "include/setup.glsl"

layout(local_size_x = RASTER_SETUP_LANES) in;
layout(binding = BINDING_QUEUE_STATES, std430) readonly buffer QueueStates { QueueState queueStates[]; };
layout(binding = BINDING_RASTER_LISTS, std430) buffer RasterLists { RasterList rasterLists[]; }; // RASTER_LISTS per chunk

shared uint shCount[RASTER_CLASSES]; // the workgroup's triangles by class
shared uint shFirst[RASTER_CLASSES]; // their positions in the lists
shared uint shDone;                  // workgroups that finished before this one

const uint NO_CLASS = RASTER_CLASSES;

uint setup_class(uint triangle) {
    vec4 p0, p1, p2;
    raster_positions(triangle, p0, p1, p2);
    Place a, b, c;
    bool quick = setup_quick(p0, a);
    quick = setup_quick(p1, b) && quick;
    quick = setup_quick(p2, c) && quick;
    if (!quick) {
        if (!setup_finite(p0) || !setup_finite(p1) || !setup_finite(p2)) return NO_CLASS;
        if ((setup_beyond(p0) & setup_beyond(p1) & setup_beyond(p2)) != 0u) return NO_CLASS;
        if (!setup_inside(p0) || !setup_inside(p1) || !setup_inside(p2)) return LIST_CLIPPED;
        if (!setup_projectAll(p0, p1, p2, a, b, c)) return NO_CLASS;
    }
    Triangle t;
    if (!setup_triangle(a, b, c, t)) return NO_CLASS;
    uvec2 size = uvec2(t.boxMax - t.boxMin) + 1u;
    uint pixels = size.x * size.y;
    if (pixels <= RASTER_SMALL_PIXELS && setup_isSmall(t)) {
        SmallEdges e = setup_smallEdges(t.a.sub, t.b.sub, t.c.sub, t.boxMin);
        return pixels == 1u && any(lessThan(e.value, e.bias)) ? NO_CLASS : LIST_SMALL;
    }
    return raster_class(pixels);
}

// The dispatch that draws a list of the given length.
void setup_dispatch(uint sizeClass, uint count) {
    uint groups = raster_groups(sizeClass, count);
    uint list = RASTER_LISTS * push.chunk + sizeClass;
    uint wide = min(groups, MAX_GROUPS);
    rasterLists[list].groupsX = wide;
    rasterLists[list].groupsY = wide > 0u ? (groups + wide - 1u) / wide : 0u;
    rasterLists[list].groupsZ = 1u;
    if (sizeClass != LIST_SMALL && count > 0u) rasterLists[RASTER_LISTS * push.chunk + RASTER_CLASSES].groupsX = 1u;
}

void main() {
    uint lane = gl_LocalInvocationID.x;
    uint triangle = RASTER_SETUP_LANES * dispatch_workgroup() + lane;
    if (lane < RASTER_CLASSES) shCount[lane] = 0u;
    barrier();
    uint sizeClass = NO_CLASS;
    // A chunk that overflowed draws nothing: the host plans the frame again.
    if (triangle < push.triangleCount && queueStates[push.chunk].overflowBits == 0u) sizeClass = setup_class(triangle);
    uint place = 0u;
    if (sizeClass != NO_CLASS) place = atomicAdd(shCount[sizeClass], 1u);
    barrier();
    if (lane < RASTER_CLASSES && shCount[lane] > 0u) {
        shFirst[lane] = atomicAdd(rasterLists[RASTER_LISTS * push.chunk + lane].count, shCount[lane]);
    }
    barrier();
    if (sizeClass != NO_CLASS) rasterTriangles[raster_place(sizeClass, shFirst[sizeClass] + place)] = triangle;
    memoryBarrierBuffer(); // the workgroup's counts are visible before it counts as finished
    barrier();
    if (lane == 0u) shDone = atomicAdd(rasterLists[RASTER_LISTS * push.chunk + RASTER_CLASSES].count, 1u);
    barrier();
    if (shDone + 1u < gl_NumWorkGroups.x * gl_NumWorkGroups.y) return;
    memoryBarrierBuffer();
    if (lane < RASTER_CLASSES) setup_dispatch(lane, atomicAdd(rasterLists[RASTER_LISTS * push.chunk + lane].count, 0u));
}
