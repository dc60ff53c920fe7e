#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require

// phash: hash in two tiers. An invocation probes PROBES entries on its own; then
// its subgroup places, one after another, the indices that found no place.
//
// Input   batches[push.batchCount], indices of each: triangles * 3
// Output  at most UNIQUE vertices per batch, and a record per triangle (indexed) or
//         3 vertices per triangle (expanded); QueueState.cooperated where COOPERATED
// Source  paper, "dynamically batched parallel hashing"; it has no pseudocode
// Dispatch one workgroup per batch, in subgroups of any width

#define EMIT_VERTICES UNIQUE
#define STRATEGY_NO_MESH
#include "include/table.glsl"

const bool COOPERATED = CULL ? TALLY : COUNT; // whether to add to QueueState.cooperated

shared uint shMap[BATCH]; // table entry of each index
shared uint shCooperated; // indices that the second tier placed

// Second tier; all lanes of a subgroup call it. While lanes wait, the lowest of them leads:
// each lane checks one entry, starting at the leader's probe, and the leader takes the first
// that has its id or is empty. Keys never change once they are set, so entries that were
// passed need not be checked again. If another subgroup takes an empty entry meanwhile, the
// leader only loses this attempt. The loop ends, since each round advances the leader's
// probe or places its id. Lanes are counted in each round, since a subgroup need not be
// full.
void phash_cooperate(uint id, bool waiting, inout uint probe) {
    for (;;) {
        uvec4 waitingMask = subgroupBallot(waiting);
        if (waitingMask == uvec4(0u)) break;
        uint leader = subgroupBallotFindLSB(waitingMask);
        uint wanted = subgroupShuffle(id, leader);
        uvec4 lanesMask = subgroupBallot(true);
        uint myProbe = subgroupShuffle(probe, leader) + subgroupBallotExclusiveBitCount(lanesMask);
        uint held = shKey[table_entry(wanted, myProbe)];
        uvec4 hitMask = subgroupBallot(held == wanted || held == NO_ID);
        bool hit = hitMask != uvec4(0u);
        uint lookAt = hit ? subgroupBallotFindLSB(hitMask) : subgroupBallotFindMSB(lanesMask);
        uint nextProbe = subgroupShuffle(myProbe, lookAt);
        if (gl_SubgroupInvocationID == leader) {
            probe = nextProbe;
            waiting = !(hit && table_take(table_entry(id, probe), id));
            if (waiting) probe++;
            if (probe >= TABLE) waiting = false; // more ids than entries, which no batch has
        }
    }
}

void main() {
    uint tid = gl_LocalInvocationID.x;
    uint batchIndex;
    Batch batch = group_batch(batchIndex);
    BatchInput batchInput = shade_begin(batch.draw);

    if (tid == 0u) shCooperated = 0u;
    table_clear();
    for (uint first = 0u; first < batch.indexCount; first += WORKGROUP) {
        uint i = first + tid;
        bool waiting = i < batch.indexCount;
        uint id = waiting ? stream_index(batch.firstIndex + i) : NO_ID;
        uint probe = 0u;
        while (waiting && probe < min(PROBES, TABLE)) {
            waiting = !table_take(table_entry(id, probe), id);
            if (waiting) probe++;
        }
        if (probe >= TABLE) waiting = false;
        if (COOPERATED && waiting) atomicAdd(shCooperated, 1u);
        phash_cooperate(id, waiting, probe);
        if (i < batch.indexCount) shMap[i] = table_entry(id, probe);
    }
    barrier();
    if (COOPERATED && tid == 0u && shCooperated > 0u) sink_cooperated(shCooperated);
    uint base = unique_emit(batchInput, batchIndex, min(shCount, UNIQUE));
    if (!WRITE) return;
    for (uint t = tid; t < batch.indexCount / 3u; t += WORKGROUP) {
        uint place = sink_place(batch.firstTriangle + t);
        sink_triangle(batchInput, place, base, uvec3(shSlot[shMap[3u * t]], shSlot[shMap[3u * t + 1u]], shSlot[shMap[3u * t + 2u]]));
    }
    sink_end(batchInput, min(shCount, UNIQUE));
}
