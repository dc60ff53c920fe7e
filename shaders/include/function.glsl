// Shade functions other than the vertex shader, on index streams that need not be
// meshes. A pass defines FUNCTION as one of these numbers.
#ifndef FUNCTION_GLSL
#define FUNCTION_GLSL

#include "include/stream.glsl"

#define FUNCTION_LENGTH 1 // functions/length.glsl: an edge's length, the example
#define FUNCTION_LOOP 2
#define FUNCTION_ENVELOPE 3
#define FUNCTION_WALK 4
#define FUNCTION_OWN 5    // functions/own.glsl, which is not here: from an include folder of your own

// functions/NAME.glsl has what package apps calls a Pass in Go:
//
//     #define Shaded NAME_Result                what shading an id yields: a struct
//     const bool FUNCTION_CORNERS               whether corners take results
//     Shaded function_shade(uint id)            runs once per unique id of a batch
//     void function_keep(uint id, Shaded s)     writes what is kept by id: the same bits each time
//     void function_corner(uint k, Shaded s)    corner k of the stream takes its id's result
//
// It may read stream_index(k), and push.arguments, which are its own.
#if FUNCTION == FUNCTION_LENGTH
#include "functions/length.glsl"
#elif FUNCTION == FUNCTION_LOOP
#include "functions/loop.glsl"
#elif FUNCTION == FUNCTION_ENVELOPE
#include "functions/envelope.glsl"
#elif FUNCTION == FUNCTION_WALK
#include "functions/walk.glsl"
#elif FUNCTION == FUNCTION_OWN
#include "functions/own.glsl"
#endif

layout(binding = BINDING_COUNTS, std430) buffer Counts { uint counts[]; }; // times shaded, by id

const bool SINK_QUEUED = false;
const bool SINK_HELD = FUNCTION_CORNERS;
const bool SINK_DRAWN = false;
const bool SINK_CULLS = false;

struct BatchInput {
    uint draw; // a stream has one
};

BatchInput shade_begin(uint draw) { return BatchInput(draw); }

Shaded shade_id(BatchInput batchInput, uint id, uint batchIndex) {
    if (COUNT) atomicAdd(counts[id], 1u);
    return function_shade(id);
}

void sink_keep(uint place, uint id, Shaded s) { function_keep(id, s); }

void sink_corner(uint triangle, uint corner, Shaded s) {
    if (FUNCTION_CORNERS) function_corner(3u * triangle + corner, s);
}

void sink_alone(uint triangle, uint corner, uint id, Shaded s) {
    sink_keep(0u, id, s);
    sink_corner(triangle, corner, s);
}

// There is no queue, whose places strategies could ask for.
void sink_record(uint triangle, uint base, uvec3 slots) {}
void sink_packed(uint triangle, uvec2 record) {}
bool sink_shows(Shaded a, Shaded b, Shaded c) { return true; }
bool sink_survives(BatchInput batchInput, Shaded a, Shaded b, Shaded c) { return true; }
void sink_shade(BatchInput batchInput, uint id) {}
void sink_triangle(uint triangle, Shaded a, Shaded b, Shaded c) {}
void sink_cooperated(uint indices) {}
uint queue_trianglePlace(uint triangle) { return triangle; }
uint queue_fixedPlace(uint place) { return 0u; }
uint queue_allocate(uint count) { return 0u; }
uint queue_spill(uint count) { return 0u; }

#endif
