// How a strategy puts out what it found: each unique id is shaded once. Its result is
// kept (include/sink.glsl), or held in shared memory until the corners take it.
//
// Before it includes this file, a strategy defines EMIT_VERTICES, the ids that a
// group shades at a time at most. It also defines emit_id.
#ifndef EMIT_GLSL
#define EMIT_GLSL

#include "include/group.glsl"
#include "include/sink.glsl"

shared Shaded shHeld[SINK_HELD ? EMIT_VERTICES * GROUPS : 1u]; // EMIT_VERTICES per group

// The group's i-th unique id.
uint emit_id(uint i);

// Shades the group's i-th id. The result of the first goes to base in the queue.
void emit_vertex(BatchInput batchInput, uint batchIndex, uint i, uint base) {
    uint id = emit_id(i);
    Shaded s = shade_id(batchInput, id, batchIndex);
    sink_keep(base + i, id, s);
    if (SINK_HELD) shHeld[group_inWorkgroup() * EMIT_VERTICES + i] = s;
}

// Shades the group's first count ids. All invocations of the group must call it.
void emit_vertices(BatchInput batchInput, uint batchIndex, uint count, uint base) {
    if (EMIT_VERTICES <= GROUP) {
        if (group_invocation() < count) emit_vertex(batchInput, batchIndex, group_invocation(), base);
    } else {
        for (uint i = group_invocation(); i < count; i += GROUP) emit_vertex(batchInput, batchIndex, i, base);
    }
    if (SINK_HELD) group_barrier();
}

// The result of the group's i-th id, where results are held.
Shaded emit_held(uint i) { return shHeld[group_inWorkgroup() * EMIT_VERTICES + i]; }

// Puts a triangle out by the slots of its corners; base as in emit_vertices.
void emit_triangle(uint place, uint base, uvec3 slots) {
    if (SINK_DRAWN) {
        sink_triangle(place, emit_held(slots.x), emit_held(slots.y), emit_held(slots.z));
    } else if (SINK_HELD) {
        sink_corner(place, 0u, emit_held(slots.x));
        sink_corner(place, 1u, emit_held(slots.y));
        sink_corner(place, 2u, emit_held(slots.z));
    } else {
        sink_record(place, base, slots);
    }
}

#endif
