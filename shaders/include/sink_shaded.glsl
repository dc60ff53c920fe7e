// The common part of sinks that output shaded vertices: sink_queue.glsl, sink_mesh.glsl.
#ifndef SINK_SHADED_GLSL
#define SINK_SHADED_GLSL

#include "include/record.glsl"
#include "include/shade.glsl"

// See include/sink.glsl.
#ifdef OWN_VERTEX
#define Shaded OwnVertex
#else
#define Shaded ShadedVertex
#endif
const bool SINK_QUEUED = QUEUE == QUEUE_INDEXED;

void emit_hold(uint i, Shaded v);
Shaded emit_held(uint i);

void sink_corner(uint place, uint corner, Shaded v);  // puts out a corner of a triangle as a vertex of its own
void sink_record(uint place, uint base, uvec3 slots); // puts out a triangle whose vertices are at base + slots

Shaded shade_id(BatchInput batchInput, uint id, uint batchIndex) { return shade_vertex(batchInput, id, batchIndex); }

void shaded_triangle(uint place, uint base, uvec3 slots) {
    if (SINK_QUEUED) {
        sink_record(place, base, slots);
    } else {
        sink_corner(place, 0u, emit_held(slots.x));
        sink_corner(place, 1u, emit_held(slots.y));
        sink_corner(place, 2u, emit_held(slots.z));
    }
}

#endif
