#version 450
#extension GL_GOOGLE_include_directive : require

// carry: static batches, the vertices of the last iterations stay addressable.
//
// Input   batches[push.batchCount], indices of each: triangles * 3
// Output  each vertex shaded once while it is held, and a record a triangle
//         (indexed) or 3 vertices a triangle (expanded). A batch has as many
//         places in the vertex queue as it has indices, and fills the first of
//         them: slots are then known without counting first, and no batch waits
//         for an atomic.
// Source  warp with carry-over, which the paper does not have. Voting would ask
//         every index about KEEP * LANES ids; a table in shared memory is
//         cheaper, native or not. Expired ids stay in it until it is half full.
// Dispatch one subgroup of LANES lanes a batch; a lane takes a triangle a round

#include "include/lanes.glsl"
#include "include/queue.glsl"

layout(constant_id = 13) const uint KEEP = 4u; // iterations before the present one that stay addressable, 1..4

const uint ROUND = 3u * LANES;  // indices read at once
const uint HELD = 8u * LANES;   // at least KEEP iterations, the one that fills and a round
const uint TABLE = 2u * HELD;   // entries
const uint SLOTS = 1024u;       // 10 bits a slot
const uint NO_ID = 0xffffffffu;
const uint NEW = 0x80000000u;   // above every slot
const uint EXPANDED_HELD = QUEUE == QUEUE_EXPANDED ? HELD * SUBGROUPS : 1u;

shared uint shUnique[HELD * SUBGROUPS];  // ids, by slot modulo HELD
shared uint shKey[TABLE * SUBGROUPS];    // an id, or NO_ID
shared uint shSlot[TABLE * SUBGROUPS];   // its slot + 1, or 0; while it is sought, NEW + ROUND - 1 - the first place that brings it
shared vec4 shPosition[EXPANDED_HELD];   // shaded vertices, as shUnique, for assembly
shared uvec2 shAttributes[EXPANDED_HELD];

uint carry_held(uint slot) { return lanes_subgroup() * HELD + (slot & (HELD - 1u)); }

// The triangle's indices, or NO_ID past the batch's end.
uvec3 carry_read(Batch batch, uint triangle) {
    uint i = batch.firstIndex + 3u * triangle;
    return 3u * triangle < batch.indexCount ? uvec3(indices[i], indices[i + 1u], indices[i + 2u]) : uvec3(NO_ID);
}

// Entry of an id, by multiplicative hashing and linear probing. A round leaves
// more than a quarter of the table empty, so a place is found.
uint carry_insert(uint id) {
    uint first = lanes_subgroup() * TABLE;
    uint place = id * 2654435769u >> 16;
    uint entry = first;
    for (uint probe = 0u; probe < TABLE; probe++) {
        entry = first + (place + probe & (TABLE - 1u));
        uint held = shKey[entry];
        if (held == NO_ID) held = atomicCompSwap(shKey[entry], NO_ID, id);
        if (held == NO_ID || held == id) break;
    }
    return entry;
}

// Empties the table but for the slots from window to count.
void carry_rebuild(uint window, uint count, uint lane) {
    for (uint i = lane; i < TABLE; i += LANES) {
        shKey[lanes_subgroup() * TABLE + i] = NO_ID;
        shSlot[lanes_subgroup() * TABLE + i] = 0u;
    }
    lanes_barrier();
    for (uint slot = window + lane; slot < count; slot += LANES) {
        shSlot[carry_insert(shUnique[carry_held(slot)])] = slot + 1u;
    }
    lanes_barrier();
}

// Finds the slots of a round: those of the ids held from window on, and for the
// new ids the next ones, in the order of places: first corners in the order of
// lanes, then second, then third. count grows by the new ids.
uvec3 carry_findSlots(uvec3 ids, uint lane, uint window, inout uint count) {
    uvec3 entry, slot;
    bvec3 isSought = bvec3(false);
    for (uint c = 0u; c < 3u; c++) {
        if (ids[c] == NO_ID) continue;
        entry[c] = carry_insert(ids[c]);
        uint held = shSlot[entry[c]];
        slot[c] = held - 1u;
        isSought[c] = held <= window || held >= NEW;
        if (isSought[c]) atomicMax(shSlot[entry[c]], NEW + ROUND - 1u - (c * LANES + lane));
    }
    lanes_barrier();
    uvec3 place = uvec3(ROUND);
    for (uint c = 0u; c < 3u; c++) {
        if (isSought[c]) place[c] = NEW + ROUND - 1u - shSlot[entry[c]];
    }
    uvec2 newMask0 = lanes_ballot(place.x == lane);
    uvec2 newMask1 = lanes_ballot(place.y == LANES + lane);
    uvec2 newMask2 = lanes_ballot(place.z == 2u * LANES + lane);
    uint start1 = count + lanes_count(newMask0);
    uint start2 = start1 + lanes_count(newMask1);
    for (uint c = 0u; c < 3u; c++) {
        if (!isSought[c]) continue;
        uint corner = place[c] / LANES, first = place[c] % LANES;
        uvec2 newMask = corner == 0u ? newMask0 : corner == 1u ? newMask1 : newMask2;
        slot[c] = (corner == 0u ? count : corner == 1u ? start1 : start2) + lanes_countBelow(newMask, first);
        if (corner == c && first == lane) {
            shSlot[entry[c]] = slot[c] + 1u;
            shUnique[carry_held(slot[c])] = ids[c];
        }
    }
    count = start2 + lanes_count(newMask2);
    lanes_barrier();
    return slot;
}

ShadedVertex carry_shaded(uint slot) { return ShadedVertex(shPosition[carry_held(slot)], shAttributes[carry_held(slot)]); }

// Writes a lane's triangle; base is where the vertex of slot 0 goes.
void carry_assemble(uint place, uint base, uvec3 slots) {
    if (QUEUE == QUEUE_INDEXED) {
        queue_writeTriangle(place, base, slots);
    } else {
        queue_writeCorner(place, 0u, carry_shaded(slots.x));
        queue_writeCorner(place, 1u, carry_shaded(slots.y));
        queue_writeCorner(place, 2u, carry_shaded(slots.z));
    }
}

void main() {
    uint lane = lanes_lane();
    uint batchNumber = lanes_dispatchSubgroup();
    uint batchIndex = push.firstBatch + min(batchNumber, push.batchCount - 1u);
    Batch batch = batches[batchIndex];
    if (batchNumber >= push.batchCount) batch.indexCount = 0u;
    BatchInput batchInput = shade_begin(batch.draw);
    uint triangles = batch.indexCount / 3u;
    uint place = queue_trianglePlace(batch.firstTriangle);

    lanes_start();
    uint base = 3u * place;
    uint count = 0u;    // slots taken
    uint shaded = 0u;   // of them
    uint used = TABLE;  // entries of the table, at most
    uvec3 nextIds = carry_read(batch, lane);
    for (uint tStart = 0u; tStart < triangles; tStart += LANES) {
        uvec3 ids = nextIds;
        nextIds = carry_read(batch, tStart + LANES + lane);
        uint window = (max(count / LANES, KEEP) - KEEP) * LANES;
        if (used > HELD) {
            carry_rebuild(window, count, lane);
            used = count - window;
        }
        uint before = count;
        uvec3 slots = carry_findSlots(ids, lane, window, count);
        used += count - before;

        // Full iterations are shaded; what remains waits for the next, except
        // where it is needed at once or there is none.
        bool isLast = tStart + LANES >= triangles || count + ROUND > SLOTS;
        uint ready = isLast || QUEUE == QUEUE_EXPANDED ? count : count - count % LANES;
        for (uint slot = shaded + lane; slot < ready; slot += LANES) {
            ShadedVertex v = shade_vertex(batchInput, shUnique[carry_held(slot)], batchIndex);
            if (QUEUE == QUEUE_INDEXED) {
                queue_writeVertex(base + slot, v);
            } else {
                shPosition[carry_held(slot)] = v.posClip;
                shAttributes[carry_held(slot)] = v.attributes;
            }
        }
        shaded = ready;
        if (QUEUE == QUEUE_EXPANDED) lanes_barrier();
        if (WRITE && tStart + lane < triangles) carry_assemble(place + tStart + lane, base, slots);
        if (isLast) { // the next round, if there is one, knows nothing of this one
            base += count;
            count = 0u;
            shaded = 0u;
            used = TABLE;
        }
    }
}
