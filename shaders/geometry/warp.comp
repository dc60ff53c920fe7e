#version 450
#extension GL_GOOGLE_include_directive : require

// warp: static batches, repeated indices found by subgroup voting.
//
// Input   batches[push.batchCount], indices of each: triangles * 3
// Output  an iteration: at most LANES vertices, and a record a triangle
//         (indexed) or 3 vertices a triangle (expanded)
// Source  paper, Algorithm 1, with its pseudocode corrected. The vote over all
//         lanes, index by index, is done for a chunk of LANES indices at once:
//         a lane looks its index up among the ids held and among the lanes
//         before it, and one ballot numbers the new ones. Slots are the same.
//         A virtual subgroup looks them up in a table instead.
// Dispatch one subgroup of LANES lanes a batch

#include "include/lanes.glsl"
#include "include/queue.glsl"

layout(constant_id = 7) const uint BATCH = 96u; // indices a batch, a multiple of 3

const uint NO_SLOT = 0xffffffffu;
const uint NO_ID = 0xffffffffu;
const uint EXPANDED_LANES = QUEUE == QUEUE_EXPANDED ? WORKGROUP : 1u;
const uint TABLE = NATIVE ? 1u : 4u * LANES; // at most 2 * LANES ids are in it at once

shared uint shUnique[WORKGROUP];         // ids held, in slot order
shared uint shIncoming[WORKGROUP];       // indices of the chunk
shared uint shMap[BATCH * SUBGROUPS];    // slot of each index done
shared uint shBase[SUBGROUPS];           // where the iteration's vertices go
shared vec4 shPosition[EXPANDED_LANES];  // shaded vertices, for assembly
shared uvec2 shAttributes[EXPANDED_LANES];
shared uint shKey[TABLE];                // an id seen in this iteration, or NO_ID
shared uint shFirst[TABLE];              // lowest position of that id, from the iteration's start
shared uint shSlot[TABLE];               // its slot

// Slot of an index among the ids held, or NO_SLOT; and the lowest lane of the
// chunk that brings the same index. All lanes vote on all indices.
uint warp_vote(uint incoming, uint lane, uint firstLane, uint fill, out uint first) {
    uint slot = NO_SLOT;
    for (uint s = 0u; s < fill; s++) {
        if (shUnique[firstLane + s] == incoming) slot = s;
    }
    first = lane;
    for (uint j = lane; j-- > 0u;) {
        if (shIncoming[firstLane + j] == incoming) first = j;
    }
    return slot;
}

// Entry of an index in the table, by linear probing.
uint warp_insert(uint incoming) {
    uint entry = (incoming * 2654435769u) >> 16 & (TABLE - 1u);
    for (;;) {
        uint held = atomicCompSwap(shKey[entry], NO_ID, incoming);
        if (held == NO_ID || held == incoming) return entry;
        entry = entry + 1u & (TABLE - 1u);
    }
}

// The same answer without votes, which cost a virtual subgroup barriers: a table
// in shared memory knows the lowest position of every id. Whether the index is
// new, and its entry, which tells its slot once the new ids have theirs.
bool warp_lookUp(uint incoming, bool valid, uint position, out uint entry) {
    entry = 0u;
    if (valid) {
        entry = warp_insert(incoming);
        atomicMin(shFirst[entry], position);
    }
    barrier();
    return valid && shFirst[entry] == position;
}

// Finds the slots of a chunk: those of the ids held, and for the new ids, in the
// order of their first lanes, the next free ones. Returns how many indices got
// one before the first that did not, at most the valid ones. fill grows by the
// ids that are new; start is where the chunk begins in the iteration.
uint warp_findSlots(uint incoming, uint valid, uint lane, uint firstLane, uint start, inout uint fill, out uint slot) {
    uint first = lane, entry = 0u;
    bool isNew;
    if (NATIVE) {
        shIncoming[firstLane + lane] = incoming;
        lanes_barrier();
        slot = warp_vote(incoming, lane, firstLane, fill, first);
        isNew = lane < valid && slot == NO_SLOT && first == lane;
    } else {
        isNew = warp_lookUp(incoming, lane < valid, start + lane, entry);
    }
    uvec2 newMask = lanes_ballot(isNew);
    if (NATIVE) {
        if (slot == NO_SLOT) slot = fill + lanes_countBelow(newMask, first);
        lanes_barrier(); // the next chunk overwrites shIncoming
    } else {
        if (isNew) shSlot[entry] = fill + lanes_countBelow(newMask, lane);
        barrier();
        slot = shSlot[entry];
    }
    if (isNew && slot < LANES) shUnique[firstLane + slot] = incoming;
    uint free = LANES - fill;
    uint found = lanes_count(newMask);
    fill += min(found, free);
    return found > free ? min(valid, lanes_nth(newMask, free)) : valid;
}

ShadedVertex warp_shaded(uint i) { return ShadedVertex(shPosition[i], shAttributes[i]); }

// Writes the triangles of an iteration; mapStart is where its slots begin.
void warp_assemble(uint triangles, uint place, uint lane, uint firstLane, uint mapStart, uint base) {
    for (uint t = lane; t < triangles; t += LANES) {
        uvec3 slots = uvec3(shMap[mapStart + 3u * t], shMap[mapStart + 3u * t + 1u], shMap[mapStart + 3u * t + 2u]);
        if (QUEUE == QUEUE_INDEXED) {
            queue_writeTriangle(place + t, base, slots);
        } else {
            queue_writeCorner(place + t, 0u, warp_shaded(firstLane + slots.x));
            queue_writeCorner(place + t, 1u, warp_shaded(firstLane + slots.y));
            queue_writeCorner(place + t, 2u, warp_shaded(firstLane + slots.z));
        }
    }
}

void main() {
    uint lane = lanes_lane();
    uint firstLane = lanes_subgroup() * LANES;
    uint mapStart = lanes_subgroup() * BATCH;
    uint batchNumber = lanes_dispatchSubgroup();
    uint batchIndex = push.firstBatch + min(batchNumber, push.batchCount - 1u);
    Batch batch = batches[batchIndex];
    if (batchNumber >= push.batchCount) batch.indexCount = 0u;
    BatchInput batchInput = shade_begin(batch.draw);

    lanes_start();
    uint cStart = 0u;
    while (cStart < batch.indexCount) {
        uint fill = 0u;
        uint done = 0u;
        uint offset = cStart;
        if (!NATIVE) {
            for (uint i = lane; i < TABLE; i += LANES) {
                shKey[i] = NO_ID;
                shFirst[i] = NO_ID;
            }
            barrier();
        }
        while (offset < batch.indexCount && fill < LANES) {
            uint valid = min(LANES, batch.indexCount - offset);
            uint incoming = lane < valid ? indices[batch.firstIndex + offset + lane] : NO_ID;
            uint slot;
            uint got = warp_findSlots(incoming, valid, lane, firstLane, offset - cStart, fill, slot);
            if (lane < got) shMap[mapStart + done + lane] = slot;
            done += got;
            offset += LANES;
        }
        uint triangles = done / 3u;

        if (QUEUE == QUEUE_INDEXED && lane == 0u) shBase[lanes_subgroup()] = queue_allocate(fill);
        lanes_barrier();
        uint base = QUEUE == QUEUE_INDEXED ? shBase[lanes_subgroup()] : 0u;
        if (lane < fill) {
            ShadedVertex v = shade_vertex(batchInput, shUnique[firstLane + lane], batchIndex);
            if (QUEUE == QUEUE_INDEXED) {
                queue_writeVertex(base + lane, v);
            } else {
                shPosition[firstLane + lane] = v.posClip;
                shAttributes[firstLane + lane] = v.attributes;
            }
        }
        if (QUEUE == QUEUE_EXPANDED) lanes_barrier();
        uint place = queue_trianglePlace(batch.firstTriangle + cStart / 3u);
        if (WRITE) warp_assemble(triangles, place, lane, firstLane, mapStart, base);
        if (NATIVE) lanes_barrier(); // a virtual subgroup's next iteration begins with one
        cStart += 3u * triangles;
    }
}
