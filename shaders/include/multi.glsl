// Where multi stores results by id, and where corners read them: passes that read define
// MULTI_TAKES.
#ifndef MULTI_GLSL
#define MULTI_GLSL

#ifdef MULTI_TAKES
#define MULTI_SCRATCH readonly
#else
#define MULTI_SCRATCH writeonly
#endif

#if defined(FUSED) && !defined(OWN_VERTEX)

#include "include/sink.glsl"
#include "include/multi_fused.glsl"

uint multi_offset(uint draw) { return draws[draw].countOffset; }

void multi_put(uint place, uint id, PlacedVertex v) {
    if (WRITE) multi_keep(place, v);
}

#elif defined(FUNCTION) || defined(OWN_VERTEX)

#define STRATEGY_NO_MESH
#define STRATEGY_NO_FUSED
#include "include/sink.glsl"

layout(binding = BINDING_SCRATCH_RESULTS, std430) restrict MULTI_SCRATCH buffer ScratchResults { Shaded scratchResults[]; };

#ifdef FUNCTION
uint multi_offset(uint draw) { return 0u; }
#else
uint multi_offset(uint draw) { return own_first(draw); }
#endif

#ifdef MULTI_TAKES
void multi_take(uint k, uint from) {
    if (SINK_HELD) sink_corner(k / 3u, k % 3u, scratchResults[from]);
}
#else
void emit_hold(uint i, Shaded s) { scratchResults[i] = s; }

void multi_put(uint place, uint id, Shaded s) {
    sink_vertex(place, place, id, s);
}
#endif

#else // rendering

#include "include/scene.glsl"

layout(binding = BINDING_VERTEX_POSITIONS, std430) restrict writeonly buffer VertexPositions { vec4 vertexPositions[]; };
layout(binding = BINDING_VERTEX_ATTRIBUTES, std430) restrict writeonly buffer VertexAttributes { uvec2 vertexAttributes[]; };
layout(binding = BINDING_SCRATCH_POSITIONS, std430) restrict MULTI_SCRATCH buffer ScratchPositions { vec4 scratchPositions[]; };
layout(binding = BINDING_SCRATCH_ATTRIBUTES, std430) restrict MULTI_SCRATCH buffer ScratchAttributes { uvec2 scratchAttributes[]; };

uint multi_offset(uint draw) { return draws[draw].countOffset; }

#ifdef MULTI_TAKES
void multi_take(uint k, uint from) {
    vertexPositions[k] = scratchPositions[from];
    if (HAS_ATTRIBUTES) vertexAttributes[k] = scratchAttributes[from];
}
#else
#include "include/shade.glsl"

ShadedVertex shade_id(BatchInput batchInput, uint id, uint batchIndex) { return shade_vertex(batchInput, id, batchIndex); }

void multi_put(uint place, uint id, ShadedVertex v) {
    if (QUEUE == QUEUE_INDEXED) {
        vertexPositions[place] = v.posClip;
        if (HAS_ATTRIBUTES) vertexAttributes[place] = v.attributes;
    } else {
        scratchPositions[place] = v.posClip;
        if (HAS_ATTRIBUTES) scratchAttributes[place] = v.attributes;
    }
}
#endif

#endif

#endif
