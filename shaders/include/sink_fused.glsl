// Geometry and rasterization in one pass: shaded vertices are held in shared memory,
// already on the subpixel grid, until the batch's triangles are drawn from there. Small
// triangles are drawn at once. Others go to lists, which later passes draw. With SIFT nothing
// is drawn: triangles that may show something are noted for raster:sifted.
#ifndef SINK_FUSED_GLSL
#define SINK_FUSED_GLSL

#include "include/shade.glsl"
#include "include/record.glsl"
#include "include/fused.glsl"

#ifdef OWN_VERTEX
void fused_note(uint triangle) {} // called with SIFT, which other renderers' shaders do not set
void sink_refuse() { atomicOr(queueStates[push.chunk].overflowBits, OVERFLOW_SIZES); }
#else
layout(binding = BINDING_SIFTED, std430) buffer Sifted { uint sifted[]; }; // a bit per triangle

void fused_note(uint triangle) { atomicOr(sifted[fused_sifted(triangle / 32u)], 1u << (triangle & 31u)); }
#endif

// See include/sink.glsl.
#define Shaded PlacedVertex
const bool SINK_QUEUED = false;
const bool SINK_HELD = true;
#define SINK_CULLS CULL
#define SINK_ALONE 3u

void emit_hold(uint i, PlacedVertex v);
PlacedVertex emit_held(uint i);
void emit_survive(uint i);
bool emit_survives(uint i);
uint emit_id(uint i);

// Vertices that claim holds per 32 lanes: four per lane, the number of depths that a native lane keeps. Further ones are
// spilled to memory, since NVIDIA's driver gives Vulkan's workgroups only 48 KB of a multiprocessor's shared memory.
const uint CLAIM_HELD = 128u;

// Draws a triangle of the chunk, or notes it. With TRIANGLE_LANES it draws only the given part.
void fused_put(uint triangle, PlacedVertex a, PlacedVertex b, PlacedVertex c, uint part) {
    if (!WRITE || CULL && PHASE == 0u) return;
    if (!SIFT) {
        fused_triangle(triangle, a, b, c, part);
    } else if (fused_shows(a, b, c)) {
        fused_note(triangle);
    }
}

#include "include/fused_cull.glsl"

PlacedVertex shade_id(BatchInput batchInput, uint id, uint batchIndex) {
#ifdef OWN_VERTEX
    return fused_place(shade_place(batchInput, id));
#else
    vec4 shown;
    return fused_place(shade_place(batchInput, id, shown));
#endif
}

// There is no vertex queue, but memory for results that claim cannot hold.
uint sink_allocate(uint count) {
    uint first = atomicAdd(queueStates[push.chunk].vertexCount, count);
    if (first + count > push.vertexCapacity) atomicOr(queueStates[push.chunk].overflowBits, OVERFLOW_VERTICES);
    return first;
}

uint sink_place(uint triangle) { return triangle - push.firstTriangle; }

void sink_vertex(uint place, uint i, uint id, PlacedVertex v) { emit_hold(i, v); }

void sink_triangle(BatchInput batchInput, uint place, uint base, uvec3 slots) {
    PlacedVertex a = emit_held(slots.x);
    PlacedVertex b = emit_held(slots.y);
    PlacedVertex c = emit_held(slots.z);
    if (CULL) {
        if (!fused_survives(batchInput, a, b, c)) return;
        for (uint i = 0u; i < 3u; i++) emit_survive(slots[i]);
    }
    fused_put(place, a, b, c, 0u);
}

// Shades the ids that surviving triangles use.
void sink_end(BatchInput batchInput, uint count) {
    if (!CULL) return;
    group_barrier();
    for (uint i = group_invocation(); i < count; i += GROUP) {
        if (emit_survives(i)) fused_shade(batchInput, emit_id(i));
    }
}

void sink_alone(BatchInput batchInput, uint batchIndex, uint place, uint corner, uint k) {
    PlacedVertex v[3];
    uint ids[3];
    for (uint c = 0u; c < 3u; c++) {
        ids[c] = stream_index(k + c);
        v[c] = shade_id(batchInput, ids[c], batchIndex);
    }
    if (CULL) {
        if (!fused_survives(batchInput, v[0], v[1], v[2])) return;
        for (uint c = 0u; c < 3u; c++) fused_shade(batchInput, ids[c]);
    }
    fused_put(place, v[0], v[1], v[2], 0u);
}

void sink_cooperated(uint indices) { atomicAdd(queueStates[push.chunk].cooperated, indices); }

#endif
