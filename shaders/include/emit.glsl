// How a strategy outputs its results: each unique id is shaded once. The result goes to the sink
// (include/sink.glsl), which may hold it in shared memory until the corners take it.
//
// Before including this file, a strategy defines EMIT_VERTICES, the most ids that a group shades at
// a time. It also defines emit_id.
#ifndef EMIT_GLSL
#define EMIT_GLSL

#include "include/group.glsl"
#include "include/sink.glsl"

shared Shaded shHeld[SINK_HELD ? EMIT_VERTICES * GROUPS : 1u]; // EMIT_VERTICES per group

// The vertices of a group that surviving triangles use, one bit each.
const uint EMIT_WORDS = (EMIT_VERTICES + 31u) / 32u;
shared uint shSurvivors[SINK_CULLS ? EMIT_WORDS * GROUPS : 1u];

// The group's i-th unique id.
uint emit_id(uint i);

// Holds the result of the group's i-th id, for the corners.
void emit_hold(uint i, Shaded s) { shHeld[group_inWorkgroup() * EMIT_VERTICES + i] = s; }
Shaded emit_held(uint i) { return shHeld[group_inWorkgroup() * EMIT_VERTICES + i]; }

// Marks that a surviving triangle uses the group's i-th id.
void emit_survive(uint i) { atomicOr(shSurvivors[group_inWorkgroup() * EMIT_WORDS + i / 32u], 1u << (i & 31u)); }
bool emit_survives(uint i) { return (shSurvivors[group_inWorkgroup() * EMIT_WORDS + i / 32u] >> (i & 31u) & 1u) != 0u; }

// Clears the marks, before the group's first triangle is tested.
void emit_clear() {
    for (uint i = group_invocation(); SINK_CULLS && i < EMIT_WORDS; i += GROUP) shSurvivors[group_inWorkgroup() * EMIT_WORDS + i] = 0u;
}

// Shades the group's i-th id. base is the place of the first id's result in the queue.
void emit_vertex(BatchInput batchInput, uint batchIndex, uint i, uint base) {
    uint id = emit_id(i);
    sink_vertex(base + i, i, id, shade_id(batchInput, id, batchIndex));
}

// Shades the group's first count ids. All invocations of the group must call it.
void emit_vertices(BatchInput batchInput, uint batchIndex, uint count, uint base) {
    emit_clear();
    if (EMIT_VERTICES <= GROUP) {
        if (group_invocation() < count) emit_vertex(batchInput, batchIndex, group_invocation(), base);
    } else {
        for (uint i = group_invocation(); i < count; i += GROUP) emit_vertex(batchInput, batchIndex, i, base);
    }
    if (SINK_HELD) group_barrier();
}

#endif
