// The sink of shade functions (include/function.glsl): it stores results by id, and passes them to
// the corners of the stream.
#ifndef SINK_RESULTS_GLSL
#define SINK_RESULTS_GLSL

#include "include/function.glsl"

layout(binding = BINDING_COUNTS, std430) buffer Counts { uint counts[]; }; // times shaded, by id

// See include/sink.glsl.
const bool SINK_QUEUED = false;
const bool SINK_HELD = FUNCTION_CORNERS;
#define SINK_CULLS false
#define SINK_ALONE 1u

void emit_hold(uint i, Shaded s);
Shaded emit_held(uint i);

struct BatchInput {
    uint draw; // a stream has only one
};

BatchInput shade_begin(uint draw) { return BatchInput(draw); }

Shaded shade_id(BatchInput batchInput, uint id, uint batchIndex) {
    if (COUNT) atomicAdd(counts[id], 1u);
    return function_shade(id);
}

uint sink_place(uint triangle) { return triangle; }

void sink_vertex(uint place, uint i, uint id, Shaded s) {
    function_keep(id, s);
    if (SINK_HELD) emit_hold(i, s);
}

// Passes a result to a corner of a triangle.
void sink_corner(uint triangle, uint corner, Shaded s) {
    if (FUNCTION_CORNERS) function_corner(3u * triangle + corner, s);
}

void sink_triangle(BatchInput batchInput, uint triangle, uint base, uvec3 slots) {
    if (!FUNCTION_CORNERS) return;
    sink_corner(triangle, 0u, emit_held(slots.x));
    sink_corner(triangle, 1u, emit_held(slots.y));
    sink_corner(triangle, 2u, emit_held(slots.z));
}

void sink_alone(BatchInput batchInput, uint batchIndex, uint triangle, uint corner, uint k) {
    uint id = stream_index(k);
    Shaded s = shade_id(batchInput, id, batchIndex);
    function_keep(id, s);
    sink_corner(triangle, corner, s);
}

// Without queue and chunk there is nothing to allocate, finish or report.
uint sink_allocate(uint count) { return 0u; }
void sink_end(BatchInput batchInput, uint count) {}
void sink_cooperated(uint indices) {}

#endif
