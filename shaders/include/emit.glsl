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

// Which of a group's vertices surviving triangles have, a bit each.
const uint EMIT_WORDS = (EMIT_VERTICES + 31u) / 32u;
shared uint shSurvivors[SINK_CULLS ? EMIT_WORDS * GROUPS : 1u];

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
    for (uint i = group_invocation(); SINK_CULLS && i < EMIT_WORDS; i += GROUP) shSurvivors[group_inWorkgroup() * EMIT_WORDS + i] = 0u;
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
void emit_triangle(BatchInput batchInput, uint place, uint base, uvec3 slots) {
    if (SINK_DRAWN) {
        Shaded a = emit_held(slots.x);
        Shaded b = emit_held(slots.y);
        Shaded c = emit_held(slots.z);
        if (SINK_CULLS) {
            if (!sink_survives(batchInput, a, b, c)) return;
            for (uint i = 0u; i < 3u; i++) atomicOr(shSurvivors[group_inWorkgroup() * EMIT_WORDS + slots[i] / 32u], 1u << (slots[i] & 31u));
        }
        sink_triangle(place, a, b, c);
    } else if (SINK_HELD) {
        sink_corner(place, 0u, emit_held(slots.x));
        sink_corner(place, 1u, emit_held(slots.y));
        sink_corner(place, 2u, emit_held(slots.z));
    } else {
        sink_record(place, base, slots);
    }
}

// Shades those of the group's first count ids that surviving triangles have, once all
// triangles are put out. All invocations of the group must call it.
void emit_survivors(BatchInput batchInput, uint count) {
    if (!SINK_CULLS) return;
    group_barrier();
    for (uint i = group_invocation(); i < count; i += GROUP) {
        if ((shSurvivors[group_inWorkgroup() * EMIT_WORDS + i / 32u] >> (i & 31u) & 1u) != 0u) sink_shade(batchInput, emit_id(i));
    }
}

#endif
