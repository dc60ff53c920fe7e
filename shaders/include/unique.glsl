// A list of unique ids in shared memory, for strategies that number ids as they find them
// and allocate vertex slots once they know how many there are. EMIT_VERTICES is its length
// (include/emit.glsl).
#ifndef UNIQUE_GLSL
#define UNIQUE_GLSL

#include "include/emit.glsl"

shared uint shUnique[EMIT_VERTICES * GROUPS]; // ids in slot order, EMIT_VERTICES per group
shared uint shBase[GROUPS];                   // place of each group's first vertex in the queue

uint emit_id(uint i) { return shUnique[group_inWorkgroup() * EMIT_VERTICES + i]; }

// Shades the list's first count vertices, and returns the queue slot of the first. All invocations
// of the group must call it.
uint unique_emit(BatchInput batchInput, uint batchIndex, uint count) {
    if (SINK_QUEUED && group_invocation() == 0u) shBase[group_inWorkgroup()] = sink_allocate(count);
    group_barrier(); // also: the list is complete
    uint base = SINK_QUEUED ? shBase[group_inWorkgroup()] : 0u;
    emit_vertices(batchInput, batchIndex, count, base);
    return base;
}

#endif
