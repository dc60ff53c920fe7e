// How a strategy puts out what it found: each unique vertex is shaded once and
// written to the vertex queue (indexed), or held in shared memory until the
// triangles are assembled from it (expanded).
//
// Before it includes this file, a strategy defines EMIT_VERTICES, the vertices
// that a group shades at a time at most. It also defines emit_id.
#ifndef EMIT_GLSL
#define EMIT_GLSL

#include "include/group.glsl"
#include "include/queue.glsl"

const uint EMIT_HELD = QUEUE == QUEUE_EXPANDED ? EMIT_VERTICES * GROUPS : 1u;

shared vec4 shPosition[EMIT_HELD]; // shaded vertices, EMIT_VERTICES per group
shared uvec2 shAttributes[EMIT_HELD];

// The id of the group's i-th vertex.
uint emit_id(uint i);

// Shades the group's i-th vertex. The first goes to base in the vertex queue.
void emit_vertex(BatchInput batchInput, uint batchIndex, uint i, uint base) {
    ShadedVertex v = shade_vertex(batchInput, emit_id(i), batchIndex);
    if (QUEUE == QUEUE_INDEXED) {
        queue_writeVertex(base + i, v);
    } else {
        uint at = group_inWorkgroup() * EMIT_VERTICES + i;
        shPosition[at] = v.posClip;
        shAttributes[at] = v.attributes;
    }
}

// Shades the group's first count vertices. All invocations of the group must call it.
void emit_vertices(BatchInput batchInput, uint batchIndex, uint count, uint base) {
    if (EMIT_VERTICES <= GROUP) {
        if (group_invocation() < count) emit_vertex(batchInput, batchIndex, group_invocation(), base);
    } else {
        for (uint i = group_invocation(); i < count; i += GROUP) emit_vertex(batchInput, batchIndex, i, base);
    }
    if (QUEUE == QUEUE_EXPANDED) group_barrier();
}

// The group's i-th vertex, shaded; expanded queue only.
ShadedVertex emit_held(uint i) {
    uint at = group_inWorkgroup() * EMIT_VERTICES + i;
    return ShadedVertex(shPosition[at], shAttributes[at]);
}

// Writes a triangle from the slots of its vertices; base as in emit_vertices.
void emit_triangle(uint place, uint base, uvec3 slots) {
    if (QUEUE == QUEUE_INDEXED) {
        queue_writeTriangle(place, base, slots);
    } else {
        queue_writeCorner(place, 0u, emit_held(slots.x));
        queue_writeCorner(place, 1u, emit_held(slots.y));
        queue_writeCorner(place, 2u, emit_held(slots.z));
    }
}

#endif
