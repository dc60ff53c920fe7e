// The bounded queues between geometry and rasterization. Every write is checked
// against the capacity; what does not fit sets a bit and the need, and the host
// plans again.
#ifndef QUEUE_GLSL
#define QUEUE_GLSL

#include "include/shade.glsl"


layout(binding = BINDING_VERTEX_POSITIONS, std430) writeonly buffer VertexPositions { vec4 vertexPositions[]; };    // clip space
layout(binding = BINDING_VERTEX_ATTRIBUTES, std430) writeonly buffer VertexAttributes { uvec2 vertexAttributes[]; }; // ShadedVertex.attributes
layout(binding = BINDING_TRIANGLES, std430) writeonly buffer Triangles { uvec2 triangles[]; };               // x: 3 slots of 10 bits; y: vertex of slot 0
layout(binding = BINDING_QUEUE_STATES, std430) buffer QueueStates { QueueState queueStates[]; };               // one a chunk

// Takes count places behind the first ones and returns where they begin.
uint queue_allocateBehind(uint first, uint count) {
    if (!WRITE) return 0u;
    uint base = first + atomicAdd(queueStates[push.chunk].vertexCount, count);
    if (base + count > push.vertexCapacity) {
        atomicOr(queueStates[push.chunk].overflowBits, OVERFLOW_VERTICES);
    }
    return base;
}

// Takes count places in the vertex queue and returns the first. One lane calls it.
uint queue_allocate(uint count) { return queue_allocateBehind(0u, count); }

// The first of the places that the triangles from place on have as their own, in a
// strategy with such places.
uint queue_fixedPlace(uint place) { return place * push.vertexPlaces >> 4; }

// queue_allocate behind the fixed places of all triangles.
uint queue_spill(uint count) { return queue_allocateBehind(queue_fixedPlace(push.triangleCount), count); }

void queue_writeVertex(uint place, ShadedVertex v) {
    if (!WRITE || place >= push.vertexCapacity) return;
    vertexPositions[place] = v.posClip;
    if (HAS_ATTRIBUTES) vertexAttributes[place] = v.attributes;
}

// Place of a triangle in the chunk's queue, from its place in the stream.
uint queue_trianglePlace(uint triangle) { return triangle - push.firstTriangle; }

bool queue_triangleFits(uint place) {
    if (place < push.triangleCapacity) return true;
    atomicOr(queueStates[push.chunk].overflowBits, OVERFLOW_TRIANGLES);
    atomicMax(queueStates[push.chunk].triangleCount, place + 1u);
    return false;
}

void queue_writeRecord(uint place, uvec2 record) {
    if (WRITE && queue_triangleFits(place)) triangles[place] = record;
}

// Writes the record of a triangle whose vertices lie at base + slots.
void queue_writeTriangle(uint place, uint base, uvec3 slots) {
    queue_writeRecord(place, uvec2(slots.x | slots.y << 10 | slots.z << 20, base));
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

// Writes one corner of a triangle in the expanded form.
void queue_writeCorner(uint place, uint corner, ShadedVertex v) {
    if (WRITE && queue_cornersFit(place)) queue_writeVertex(3u * place + corner, v);
}

#endif
