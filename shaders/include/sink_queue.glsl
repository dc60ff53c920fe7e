// The bounded queues between geometry and rasterization. Every write is checked against the
// capacity. If something does not fit, a bit is set and the needed size is recorded, and the
// host plans again.
#ifndef SINK_QUEUE_GLSL
#define SINK_QUEUE_GLSL

#include "include/sink_shaded.glsl"

const bool SINK_HELD = QUEUE == QUEUE_EXPANDED;
#define SINK_CULLS false
#define SINK_ALONE 1u

#ifndef OWN_VERTEX
layout(binding = BINDING_VERTEX_POSITIONS, std430) writeonly buffer VertexPositions { vec4 vertexPositions[]; }; // clip space
layout(binding = BINDING_VERTEX_ATTRIBUTES, std430) writeonly buffer VertexAttributes { uvec2 vertexAttributes[]; }; // ShadedVertex.attributes
#endif
layout(binding = BINDING_TRIANGLES, std430) writeonly buffer Triangles { uvec2 triangles[]; }; // x: record.glsl; y: place of slot 0 in the vertex queue
layout(binding = BINDING_CORNERS, std430) writeonly buffer Corners { uint corners[]; }; // 3 per triangle, instead of triangles[]: places of its vertices
layout(binding = BINDING_QUEUE_STATES, std430) buffer QueueStates { QueueState queueStates[]; }; // one per chunk

#ifdef OWN_VERTEX
void sink_refuse() { atomicOr(queueStates[push.chunk].overflowBits, OVERFLOW_SIZES); }
#endif

// Allocates count places after the queue's first `first` ones, and returns the first of them.
uint queue_allocateBehind(uint first, uint count) {
    if (!WRITE) return 0u;
    uint base = first + atomicAdd(queueStates[push.chunk].vertexCount, count);
    if (base + count > push.vertexCapacity) {
        atomicOr(queueStates[push.chunk].overflowBits, OVERFLOW_VERTICES);
    }
    return base;
}

// Called by one invocation for its group.
uint sink_allocate(uint count) { return queue_allocateBehind(0u, count); }

// The first of the slots reserved for the triangle at a place, for strategies with reserved
// slots.
uint queue_fixedPlace(uint place) { return place * push.vertexPlaces >> 4; }

// Allocates count slots after all triangles' reserved slots.
uint queue_spill(uint count) { return queue_allocateBehind(queue_fixedPlace(push.triangleCount), count); }

void queue_writeVertex(uint place, Shaded v) {
#ifdef OWN_VERTEX // another renderer's queue may be smaller than the slots reserved in advance
    if (!WRITE) return;
    if (place < push.vertexCapacity) {
        own_emit(place, v);
    } else {
        atomicOr(queueStates[push.chunk].overflowBits, OVERFLOW_VERTICES);
    }
#else
    if (!WRITE || place >= push.vertexCapacity) return;
    vertexPositions[place] = v.posClip;
    if (HAS_ATTRIBUTES) vertexAttributes[place] = v.attributes;
#endif
}

// A triangle's position in the chunk's queue, from its position in the stream.
uint sink_place(uint triangle) { return triangle - push.firstTriangle; }

bool queue_triangleFits(uint place) {
    if (place < push.triangleCapacity) return true;
    atomicOr(queueStates[push.chunk].overflowBits, OVERFLOW_TRIANGLES);
    atomicMax(queueStates[push.chunk].triangleCount, place + 1u);
    return false;
}

// Writes a triangle whose vertices are at base + slots.
void sink_record(uint place, uint base, uvec3 slots) {
    if (!WRITE || !queue_triangleFits(place)) return;
    if (CORNERS) {
        for (uint c = 0u; c < 3u; c++) corners[3u * place + c] = base + slots[c];
    } else {
        triangles[place] = uvec2(record_pack(slots), base);
    }
}

// In the expanded form a triangle's vertices are at 3 * place.
bool queue_cornersFit(uint place) {
    if (!queue_triangleFits(place)) return false;
    uint end = 3u * place + 3u;
    if (end <= push.vertexCapacity) return true;
    atomicOr(queueStates[push.chunk].overflowBits, OVERFLOW_VERTICES);
    atomicMax(queueStates[push.chunk].vertexCount, end);
    return false;
}

void sink_vertex(uint place, uint i, uint id, Shaded v) {
    if (SINK_QUEUED) queue_writeVertex(place, v);
    if (SINK_HELD) emit_hold(i, v);
}

// Writes a corner of a triangle in the expanded form.
void sink_corner(uint place, uint corner, Shaded v) {
    if (WRITE && queue_cornersFit(place)) queue_writeVertex(3u * place + corner, v);
}

void sink_triangle(BatchInput batchInput, uint place, uint base, uvec3 slots) { shaded_triangle(place, base, slots); }

// In the indexed form the vertex is stored at its place in the expanded form, without allocation.
void sink_alone(BatchInput batchInput, uint batchIndex, uint place, uint corner, uint k) {
    sink_corner(place, corner, shade_id(batchInput, stream_index(k), batchIndex));
    if (SINK_QUEUED && corner == 0u) sink_record(place, 3u * place, uvec3(0u, 1u, 2u));
}

void sink_end(BatchInput batchInput, uint count) {} // everything is written already

void sink_cooperated(uint indices) { atomicAdd(queueStates[push.chunk].cooperated, indices); }

#endif
