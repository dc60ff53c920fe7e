#version 450
#extension GL_GOOGLE_include_directive : require

// warp: static batches, repeated indices found by subgroup voting.
//
// Input   batches[push.batchCount], indices of each: triangles * 3
// Output  per iteration: at most LANES vertices, and a record per triangle
//         (indexed) or 3 vertices per triangle (expanded)
// Source  paper, Algorithm 1, with its pseudocode corrected. The paper votes on
//         one index after the other. Here a chunk of LANES indices is looked up
//         at once, an index per lane, and one ballot numbers the new ids: the
//         slots are the same. A native subgroup votes. A virtual one looks ids up
//         in a table, since its votes would cost barriers.
// Dispatch one subgroup of LANES lanes per batch

#include "include/lanes.glsl"
#define EMIT_VERTICES LANES
#include "include/unique.glsl"

const uint NO_SLOT = 0xffffffffu;
const uint NO_ID = 0xffffffffu;
const uint ENTRIES = NATIVE ? 1u : 4u * LANES; // of the table; at most 2 * LANES ids are in it at once

shared uint shIncoming[WORKGROUP];    // native: indices of the chunk
shared uint shMap[BATCH * SUBGROUPS]; // slot of each index done
shared uint shKey[ENTRIES];           // virtual: an id seen in this iteration, or NO_ID
shared uint shFirst[ENTRIES];         // its lowest position, from the iteration's start
shared uint shSlot[ENTRIES];          // its slot

// Both forms find the slots of a chunk, whose first valid lanes have an index each: an id
// that the iteration holds has its slot, and new ids take the next slots, in the order of
// their first lanes. They add new ids to the list until it is full, and return the lanes
// that bring them. fill is the number of ids held.

// Native: a lane compares its index with the ids held, then with the lanes before it.
uvec2 warp_findNative(uint incoming, uint valid, uint fill, out uint slot) {
    uint lane = lanes_lane();
    uint firstLane = lanes_subgroup() * LANES;
    shIncoming[firstLane + lane] = incoming;
    lanes_barrier();
    slot = NO_SLOT;
    for (uint s = 0u; s < fill; s++) {
        if (shUnique[firstLane + s] == incoming) slot = s;
    }
    uint first = lane; // the lowest lane with the same index
    for (uint j = lane; j-- > 0u;) {
        if (shIncoming[firstLane + j] == incoming) first = j;
    }
    bool isNew = lane < valid && slot == NO_SLOT && first == lane;
    uvec2 newMask = lanes_ballot(isNew);
    if (slot == NO_SLOT) slot = fill + lanes_countBelow(newMask, first);
    lanes_barrier(); // the next chunk overwrites shIncoming
    if (isNew && slot < LANES) shUnique[firstLane + slot] = incoming;
    return newMask;
}

// The table's entry of an index, by linear probing.
uint warp_insert(uint incoming) {
    uint entry = (incoming * 2654435769u) >> 16 & (ENTRIES - 1u);
    for (;;) {
        uint held = atomicCompSwap(shKey[entry], NO_ID, incoming);
        if (held == NO_ID || held == incoming) return entry;
        entry = entry + 1u & (ENTRIES - 1u);
    }
}

// Virtual: the table holds the lowest position of every id. The lane at that position brings
// the id, and stores its slot once the ballot has numbered the new ids. start is the chunk's
// position in the iteration.
uvec2 warp_findVirtual(uint incoming, uint valid, uint fill, uint start, out uint slot) {
    uint lane = lanes_lane();
    uint entry = 0u;
    if (lane < valid) {
        entry = warp_insert(incoming);
        atomicMin(shFirst[entry], start + lane);
    }
    barrier();
    bool isNew = lane < valid && shFirst[entry] == start + lane;
    uvec2 newMask = lanes_ballot(isNew);
    if (isNew) shSlot[entry] = fill + lanes_countBelow(newMask, lane);
    barrier();
    slot = shSlot[entry];
    if (isNew && slot < LANES) shUnique[slot] = incoming;
    return newMask;
}

void warp_clearTable() {
    for (uint i = lanes_lane(); i < ENTRIES; i += LANES) {
        shKey[i] = NO_ID;
        shFirst[i] = NO_ID;
    }
    barrier();
}

// The most vertices that a batch can have: an iteration that does not end it takes at least the
// whole triangles that fit its lanes.
uint warp_mostVertices(uint indexCount) { return indexCount + indexCount / (LANES - LANES % 3u) * (LANES % 3u); }

void main() {
    uint lane = lanes_lane();
    uint mapStart = lanes_subgroup() * BATCH;
    uint batchIndex;
    Batch batch = group_batch(batchIndex);
    BatchInput batchInput = shade_begin(batch.draw);

    sink_begin(batch.firstTriangle, batch.indexCount / 3u, 0u, warp_mostVertices(batch.indexCount));

    lanes_start();
    uint cStart = 0u;
    while (cStart < batch.indexCount) {
        uint fill = 0u; // ids held
        uint done = 0u; // indices that have a slot
        uint offset = cStart;
        if (!NATIVE) warp_clearTable();
        while (offset < batch.indexCount && fill < LANES) {
            uint valid = min(LANES, batch.indexCount - offset);
            uint incoming = lane < valid ? stream_index(batch.firstIndex + offset + lane) : NO_ID;
            uint slot;
            uvec2 newMask = NATIVE ? warp_findNative(incoming, valid, fill, slot)
                                   : warp_findVirtual(incoming, valid, fill, offset - cStart, slot);
            uint free = LANES - fill;
            uint found = lanes_count(newMask);
            fill += min(found, free);
            // If all lanes are used, the chunk ends at the first id without a lane.
            uint got = found > free ? min(valid, lanes_nth(newMask, free)) : valid;
            if (lane < got) shMap[mapStart + done + lane] = slot;
            done += got;
            offset += LANES;
        }
        uint triangles = done / 3u;

        uint base = unique_emit(batchInput, batchIndex, fill);
        uint place = sink_place(batch.firstTriangle + cStart / 3u);
        for (uint t = lane; WRITE && t < triangles; t += LANES) {
            uint k = mapStart + 3u * t;
            sink_triangle(batchInput, place + t, base, uvec3(shMap[k], shMap[k + 1u], shMap[k + 2u]));
        }
        sink_end(batchInput, fill);
        if (NATIVE) lanes_barrier(); // a virtual subgroup's next iteration begins with a barrier
        cStart += 3u * triangles;
    }
}
