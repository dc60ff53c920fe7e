#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require

// phash: hash in two tiers. An invocation probes PROBES entries on its own; then
// its subgroup places, one after another, the indices that found no place.
//
// Input   batches[push.batchCount], indices of each: triangles * 3
// Output  at most UNIQUE vertices a batch, and a record a triangle (indexed) or
//         3 vertices a triangle (expanded); QueueState.cooperated where COUNT
// Source  paper, "dynamically batched parallel hashing"; it has no pseudocode
// Dispatch one workgroup a batch, in subgroups of any width

#include "include/queue.glsl"

layout(constant_id = 2) const uint WORKGROUP = 256u; // invocations
layout(constant_id = 7) const uint BATCH = 1023u;    // indices a batch at most
layout(constant_id = 8) const uint UNIQUE = 256u;    // unique vertices a batch at most
layout(constant_id = 9) const uint TABLE = 256u;     // entries, a power of two, at least UNIQUE
layout(constant_id = 12) const uint PROBES = 4u;     // of the first tier; 0 leaves every index to the second
layout(local_size_x = 32, local_size_x_id = 2, local_size_y = 1, local_size_z = 1) in;

const uint NO_ID = 0xffffffffu;
const uint EXPANDED_UNIQUE = QUEUE == QUEUE_EXPANDED ? UNIQUE : 1u;

shared uint shKey[TABLE];                 // an id, or NO_ID
shared uint shSlot[TABLE];                // its slot
shared uint shUnique[UNIQUE];             // ids in slot order
shared uint shMap[BATCH];                 // table entry of each index
shared uint shCount;                      // slots taken
shared uint shCooperated;                 // indices that the second tier placed
shared uint shBase;                       // where the batch's vertices go
shared vec4 shPosition[EXPANDED_UNIQUE];  // shaded vertices, for assembly
shared uvec2 shAttributes[EXPANDED_UNIQUE];

// The probe-th entry where an id may be: multiplicative hashing, linear probing.
uint phash_entry(uint id, uint probe) { return ((id * 2654435769u >> 12) + probe) & (TABLE - 1u); }

// Enters an id; the first to do so gives it a slot. False where another id is there.
bool phash_take(uint entry, uint id) {
    uint held = atomicCompSwap(shKey[entry], NO_ID, id);
    if (held == NO_ID) {
        uint slot = atomicAdd(shCount, 1u);
        shSlot[entry] = slot;
        if (slot < UNIQUE) shUnique[slot] = id;
    }
    return held == NO_ID || held == id;
}

// Second tier, reached by all lanes of a subgroup: while one is waiting, the
// lowest that is waiting leads, and each lane looks at one of the entries from
// the leader's probe on. The leader takes the first that holds its id or
// nothing. A key never changes once it is there: entries passed over stay
// passed, and an empty one that is meanwhile taken only costs the leader its
// try. Each round takes the leader's probe on or places its id, so that it
// ends; lanes are counted each round, since a subgroup need not be full.
void phash_cooperate(uint id, bool waiting, inout uint probe) {
    for (;;) {
        uvec4 waitingMask = subgroupBallot(waiting);
        if (waitingMask == uvec4(0u)) break;
        uint leader = subgroupBallotFindLSB(waitingMask);
        uint wanted = subgroupShuffle(id, leader);
        uvec4 lanesMask = subgroupBallot(true);
        uint myProbe = subgroupShuffle(probe, leader) + subgroupBallotExclusiveBitCount(lanesMask);
        uint held = shKey[phash_entry(wanted, myProbe)];
        uvec4 hitMask = subgroupBallot(held == wanted || held == NO_ID);
        bool hit = hitMask != uvec4(0u);
        uint lookAt = hit ? subgroupBallotFindLSB(hitMask) : subgroupBallotFindMSB(lanesMask);
        uint nextProbe = subgroupShuffle(myProbe, lookAt);
        if (gl_SubgroupInvocationID == leader) {
            probe = nextProbe;
            waiting = !(hit && phash_take(phash_entry(id, probe), id));
            if (waiting) probe++;
            if (probe >= TABLE) waiting = false; // more ids than entries: no batch has them
        }
    }
}

ShadedVertex phash_shaded(uint slot) { return ShadedVertex(shPosition[slot], shAttributes[slot]); }

void main() {
    uint tid = gl_LocalInvocationID.x;
    uint batchNumber = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint batchIndex = push.firstBatch + min(batchNumber, push.batchCount - 1u);
    Batch batch = batches[batchIndex];
    if (batchNumber >= push.batchCount) batch.indexCount = 0u;
    BatchInput batchInput = shade_begin(batch.draw);

    for (uint i = tid; i < TABLE; i += WORKGROUP) shKey[i] = NO_ID;
    if (tid == 0u) {
        shCount = 0u;
        shCooperated = 0u;
    }
    barrier();
    for (uint first = 0u; first < batch.indexCount; first += WORKGROUP) {
        uint i = first + tid;
        bool waiting = i < batch.indexCount;
        uint id = waiting ? indices[batch.firstIndex + i] : NO_ID;
        uint probe = 0u;
        while (waiting && probe < min(PROBES, TABLE)) {
            waiting = !phash_take(phash_entry(id, probe), id);
            if (waiting) probe++;
        }
        if (probe >= TABLE) waiting = false;
        if (COUNT && waiting) atomicAdd(shCooperated, 1u);
        phash_cooperate(id, waiting, probe);
        if (i < batch.indexCount) shMap[i] = phash_entry(id, probe);
    }
    barrier();
    uint unique = min(shCount, UNIQUE);
    if (tid == 0u) {
        shBase = QUEUE == QUEUE_INDEXED ? queue_allocate(unique) : 0u;
        if (COUNT && shCooperated > 0u) atomicAdd(queueStates[push.chunk].cooperated, shCooperated);
    }
    barrier();
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
    for (uint t = tid; t < batch.indexCount / 3u; t += WORKGROUP) {
        uint place = queue_trianglePlace(batch.firstTriangle + t);
        uvec3 slots = uvec3(shSlot[shMap[3u * t]], shSlot[shMap[3u * t + 1u]], shSlot[shMap[3u * t + 2u]]);
        if (QUEUE == QUEUE_INDEXED) {
            queue_writeTriangle(place, shBase, slots);
        } else {
            queue_writeCorner(place, 0u, phash_shaded(slots.x));
            queue_writeCorner(place, 1u, phash_shaded(slots.y));
            queue_writeCorner(place, 2u, phash_shaded(slots.z));
        }
    }
}
