// The bounded queues between geometry and rasterization. Every write is checked
// against the capacity. Where something does not fit, a bit is set and the size that
// is needed is noted, and the host plans again.
#ifndef QUEUE_GLSL
#define QUEUE_GLSL

#include "include/shade.glsl"

// What becomes of shaded vertices (include/sink.glsl).
#ifdef OWN_VERTEX
#define Shaded OwnVertex
#else
#define Shaded ShadedVertex
#endif
const bool SINK_QUEUED = QUEUE == QUEUE_INDEXED;
const bool SINK_HELD = QUEUE == QUEUE_EXPANDED;
const bool SINK_DRAWN = false;
const bool SINK_CULLS = false;

#ifndef OWN_VERTEX
layout(binding = BINDING_VERTEX_POSITIONS, std430) writeonly buffer VertexPositions { vec4 vertexPositions[]; }; // clip space
layout(binding = BINDING_VERTEX_ATTRIBUTES, std430) writeonly buffer VertexAttributes { uvec2 vertexAttributes[]; }; // ShadedVertex.attributes
#endif
layout(binding = BINDING_TRIANGLES, std430) writeonly buffer Triangles { uvec2 triangles[]; }; // x: 3 slots of 10 bits; y: place of slot 0's vertex
layout(binding = BINDING_CORNERS, std430) writeonly buffer Corners { uint corners[]; }; // 3 per triangle, in place of triangles[]: places of its vertices
layout(binding = BINDING_QUEUE_STATES, std430) buffer QueueStates { QueueState queueStates[]; }; // one per chunk

// Allocates count places behind the queue's first ones and returns the first of them.
uint queue_allocateBehind(uint first, uint count) {
    if (!WRITE) return 0u;
    uint base = first + atomicAdd(queueStates[push.chunk].vertexCount, count);
    if (base + count > push.vertexCapacity) {
        atomicOr(queueStates[push.chunk].overflowBits, OVERFLOW_VERTICES);
    }
    return base;
}

// Allocates count places in the vertex queue and returns the first. Called by one
// invocation for its group.
uint queue_allocate(uint count) { return queue_allocateBehind(0u, count); }

// Where the own places of the triangle at a place begin, in a strategy that gives
// triangles places of their own.
uint queue_fixedPlace(uint place) { return place * push.vertexPlaces >> 4; }

// queue_allocate behind all triangles' own places.
uint queue_spill(uint count) { return queue_allocateBehind(queue_fixedPlace(push.triangleCount), count); }

void queue_writeVertex(uint place, Shaded v) {
    if (!WRITE || place >= push.vertexCapacity) return;
#ifdef OWN_VERTEX
    own_emit(place, v);
#else
    vertexPositions[place] = v.posClip;
    if (HAS_ATTRIBUTES) vertexAttributes[place] = v.attributes;
#endif
}

// A triangle's place in the chunk's queue, from its place in the stream.
uint queue_trianglePlace(uint triangle) { return triangle - push.firstTriangle; }

bool queue_triangleFits(uint place) {
    if (place < push.triangleCapacity) return true;
    atomicOr(queueStates[push.chunk].overflowBits, OVERFLOW_TRIANGLES);
    atomicMax(queueStates[push.chunk].triangleCount, place + 1u);
    return false;
}

// Writes a triangle whose vertices lie at base + slots.
void queue_writeTriangle(uint place, uint base, uvec3 slots) {
    if (!WRITE || !queue_triangleFits(place)) return;
    if (CORNERS) {
        for (uint c = 0u; c < 3u; c++) corners[3u * place + c] = base + slots[c];
    } else {
        triangles[place] = uvec2(slots.x | slots.y << 10 | slots.z << 20, base);
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

Shaded shade_id(BatchInput batchInput, uint id, uint batchIndex) { return shade_vertex(batchInput, id, batchIndex); }

void sink_keep(uint place, uint id, Shaded v) {
    if (SINK_QUEUED) queue_writeVertex(place, v);
}

void sink_corner(uint place, uint corner, Shaded v) {
    if (WRITE && queue_cornersFit(place)) queue_writeVertex(3u * place + corner, v);
}

// Indexed, such a vertex lies where the expanded form has it: no allocation.
void sink_alone(uint place, uint corner, uint id, Shaded v) {
    sink_corner(place, corner, v);
    if (SINK_QUEUED && corner == 0u) queue_writeTriangle(place, 3u * place, uvec3(0u, 1u, 2u));
}

void sink_record(uint place, uint base, uvec3 slots) {
    if (SINK_QUEUED) queue_writeTriangle(place, base, slots);
}

// A record whose slots are packed already.
void sink_packed(uint place, uvec2 record) {
    queue_writeTriangle(place, record.y, uvec3(record.x, record.x >> 10, record.x >> 20) & 1023u);
}

bool sink_shows(Shaded a, Shaded b, Shaded c) { return true; }
bool sink_survives(BatchInput batchInput, Shaded a, Shaded b, Shaded c) { return true; }
void sink_shade(BatchInput batchInput, uint id) {}
void sink_triangle(uint place, Shaded a, Shaded b, Shaded c) {}

void sink_cooperated(uint indices) { atomicAdd(queueStates[push.chunk].cooperated, indices); }

#endif
