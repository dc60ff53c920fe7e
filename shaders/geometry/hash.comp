#version 450
#extension GL_GOOGLE_include_directive : require

// hash: a workgroup enters its batch's indices into a table in shared memory.
//
// Input   batches[push.batchCount], indices of each: triangles * 3
// Output  at most UNIQUE vertices a batch, and a record a triangle (indexed) or
//         3 vertices a triangle (expanded)
// Source  paper, Algorithm 3, with its pseudocode corrected. The invocation that
//         enters an id takes the next slot, so that slots are dense; in which
//         order is left to chance, which vertices are shaded is not.
// Dispatch one workgroup a batch

#include "include/queue.glsl"

layout(constant_id = 2) const uint WORKGROUP = 256u; // invocations
layout(constant_id = 7) const uint BATCH = 1023u;    // indices a batch at most
layout(constant_id = 8) const uint UNIQUE = 256u;    // unique vertices a batch at most
layout(constant_id = 9) const uint TABLE = 256u;     // entries, a power of two, at least UNIQUE
layout(local_size_x = 32, local_size_x_id = 2, local_size_y = 1, local_size_z = 1) in;

const uint NO_ID = 0xffffffffu;
const uint EXPANDED_UNIQUE = QUEUE == QUEUE_EXPANDED ? UNIQUE : 1u;
const uint TRIANGLES = (BATCH / 3u + WORKGROUP - 1u) / WORKGROUP; // an invocation's, at most

shared uint shKey[TABLE];                 // an id, or NO_ID
shared uint shSlot[TABLE];                // its slot
shared uint shUnique[UNIQUE];             // ids in slot order
shared uint shCount;                      // slots taken
shared uint shBase;                       // where the batch's vertices go
shared vec4 shPosition[EXPANDED_UNIQUE];  // shaded vertices, for assembly
shared uvec2 shAttributes[EXPANDED_UNIQUE];

// Entry of an id, by multiplicative hashing and linear probing; the first to
// enter it gives it a slot. A batch has at most UNIQUE ids, so a place is found.
uint hash_insert(uint id) {
    uint entry = (id * 2654435769u >> 12) & (TABLE - 1u);
    for (uint probe = 0u; probe < TABLE; probe++) {
        uint held = atomicCompSwap(shKey[entry], NO_ID, id);
        if (held == NO_ID) {
            uint slot = atomicAdd(shCount, 1u);
            shSlot[entry] = slot;
            if (slot < UNIQUE) shUnique[slot] = id;
        }
        if (held == NO_ID || held == id) break;
        entry = (entry + 1u) & (TABLE - 1u);
    }
    return entry;
}

ShadedVertex hash_shaded(uint slot) { return ShadedVertex(shPosition[slot], shAttributes[slot]); }

// Writes a triangle whose vertices have the slots.
void hash_assemble(uint place, uvec3 slots) {
    if (QUEUE == QUEUE_INDEXED) {
        queue_writeTriangle(place, shBase, slots);
    } else {
        queue_writeCorner(place, 0u, hash_shaded(slots.x));
        queue_writeCorner(place, 1u, hash_shaded(slots.y));
        queue_writeCorner(place, 2u, hash_shaded(slots.z));
    }
}

void main() {
    uint tid = gl_LocalInvocationID.x;
    uint batchNumber = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint batchIndex = push.firstBatch + min(batchNumber, push.batchCount - 1u);
    Batch batch = batches[batchIndex];
    uint triangleCount = batchNumber < push.batchCount ? batch.indexCount / 3u : 0u;

    // An invocation keeps its triangles in registers from load to assembly, and all
    // its loads are under way before the first is needed.
    uvec3 corners[TRIANGLES];
    for (uint k = 0u; k < TRIANGLES; k++) {
        uint t = tid + k * WORKGROUP;
        uint i = batch.firstIndex + 3u * min(t, max(triangleCount, 1u) - 1u);
        corners[k] = uvec3(indices[i], indices[i + 1u], indices[i + 2u]);
    }
    for (uint i = tid; i < TABLE; i += WORKGROUP) shKey[i] = NO_ID;
    if (tid == 0u) shCount = 0u;
    barrier();
    for (uint k = 0u; k < TRIANGLES; k++) {
        if (tid + k * WORKGROUP < triangleCount) {
            corners[k] = uvec3(hash_insert(corners[k].x), hash_insert(corners[k].y), hash_insert(corners[k].z));
        }
    }
    barrier();
    uint unique = min(shCount, UNIQUE);
    if (tid == 0u) shBase = QUEUE == QUEUE_INDEXED ? queue_allocate(unique) : 0u;
    barrier();
    BatchInput batchInput = shade_begin(batch.draw);
    for (uint slot = tid; slot < unique; slot += WORKGROUP) {
        ShadedVertex v = shade_vertex(batchInput, shUnique[slot], batchIndex);
        if (QUEUE == QUEUE_INDEXED) {
            queue_writeVertex(shBase + slot, v);
        } else {
            shPosition[slot] = v.posClip;
            shAttributes[slot] = v.attributes;
        }
    }
    if (!WRITE) return;
    if (QUEUE == QUEUE_EXPANDED) barrier();
    uint place = queue_trianglePlace(batch.firstTriangle);
    for (uint k = 0u; k < TRIANGLES; k++) {
        uint t = tid + k * WORKGROUP;
        if (t < triangleCount) hash_assemble(place + t, uvec3(shSlot[corners[k].x], shSlot[corners[k].y], shSlot[corners[k].z]));
    }
}
