#version 450
#extension GL_GOOGLE_include_directive : require

// claim: a subgroup's ids claim the entries of a small table by plain stores; the
// last one to write an entry has it.
//
// Input   batches[push.batchCount], indices of each: triangles * 3
// Output  each vertex of a batch once, and a record per triangle (indexed) or 3
//         vertices per triangle (expanded). A batch fills the first of its own
//         places in the vertex queue, or others where these are too few.
// Source  ours; the paper has no such thing. See Knuth on quotienting: the number
//         of an entry and the rest that is stored there are together the whole id.
// Dispatch one subgroup of LANES lanes per batch; a lane has TRIANGLES triangles,
//         their 3 * TRIANGLES ids are its places. PLACES must not exceed 30.
//
// The table in its three uses, here with TABLE = 8, so that an entry's number is 3
// bits. An id is multiplied by an odd factor (mixed). Its top bits are the entry
// that it claims, all others are the rest.
//
//   1. Claims, written by all lanes at once    2. Slots, written by the winners
//
//      entry  what is stored                      entry  what is stored
//        0    -                                     0    -
//        1    rest of id 7 | lane 2, place 0        1    0   slot of id 7
//        2    rest of id 4 | lane 0, place 1        2    1   slot of id 4
//        3    -                                     3    -
//
//      Each lane reads its entries back:          Who has won reads the slot.
//      my id, my lane: it won, I own it
//      my id, another lane: it won
//      another id: it lost, and claims            3. Ids by slot, once all rounds
//      again next round, mixed once more             are done: what is shaded
//
//                                                 slot   0  1  2  3  4 ..
//                                                 id     7  4  9  1  5 ..
//
// There is no probing, no atomic, nothing to clear, and no barrier but the
// subgroup's. An entry is only read by those that have just written it, so what an
// earlier round left there is never seen. A round places at least one id per entry
// that is claimed. geometry/reuse/claim_rounds.go has these rounds in Go.

#include "include/lanes.glsl"
#include "include/group.glsl"

const uint TRIANGLES = (BATCH / 3u + LANES - 1u) / LANES; // of a lane, at most
const uint PLACES = 3u * TRIANGLES;                       // of a lane
const uint AGAIN = 2654435769u;                           // the factor that mixes what lost once more
// Slots whose ids are listed at once. TABLE is 2 * LANES or more.
const uint WINDOW = QUEUE == QUEUE_INDEXED ? TABLE : 2u * LANES;

#define EMIT_VERTICES WINDOW
#include "include/emit.glsl"

shared uint shTable[TABLE * SUBGROUPS];

uint claim_mixed[PLACES];      // the lane's ids, mixed
uint claim_records[TRIANGLES]; // its triangles: three slots of 10 bits each

// An odd number's inverse, modulo 2^32.
uint claim_inverse(uint odd) {
    uint inverse = odd;
    for (uint i = 0u; i < 4u; i++) inverse *= 2u - odd * inverse; // doubles the bits that are right, 3 at first
    return inverse;
}

// The table's place of a number below TABLE.
uint claim_at(uint i) { return lanes_subgroup() * TABLE + i; }

// The entry that an id claims, and what it stores there: its rest, and who stores it.
uint claim_entry(uint mixed) { return claim_at(mixed >> (32u - uint(findMSB(TABLE)))); }
uint claim_word(uint mixed, uint place) { return mixed << uint(findMSB(TABLE)) | place * LANES + lanes_lane(); }

bool claim_has(uint places, uint k) { return (places >> k & 1u) != 0u; }

// The slot that a record has for place k.
uint claim_slot(uint k) { return claim_records[k / 3u] >> 10u * (k % 3u) & 1023u; }

// Loads the lane's ids, mixes them and returns the places that have one. All loads
// are under way before the first is needed. Lanes without a triangle load the
// batch's last: the subgroup has its ids anyway.
uint claim_load(Batch batch) {
    uint lane = lanes_lane();
    uint triangles = batch.indexCount / 3u;
    uint pending = 0u;
    for (uint t = 0u; t < TRIANGLES; t++) {
        uint i = batch.firstIndex + 3u * min(lane + t * LANES, max(triangles, 1u) - 1u);
        for (uint c = 0u; c < 3u; c++) claim_mixed[3u * t + c] = (indices[i + c] << 1) * push.multiplier;
        if (lane + t * LANES < triangles) pending |= 7u << 3u * t;
        claim_records[t] = 0u;
    }
    return pending;
}

// First use: the pending places claim their entries. Says which of them won: the
// entry has their id, whoever wrote it; and which own theirs: they wrote it.
void claim_contend(uint pending, out uint won, out uint owns) {
    for (uint k = 0u; k < PLACES; k++) {
        if (claim_has(pending, k)) shTable[claim_entry(claim_mixed[k])] = claim_word(claim_mixed[k], k);
    }
    lanes_barrier();
    won = 0u;
    owns = 0u;
    for (uint k = 0u; k < PLACES; k++) {
        uint difference = shTable[claim_entry(claim_mixed[k])] ^ claim_word(claim_mixed[k], k);
        if (difference < 2u * TABLE) won |= 1u << k;
        if (difference == 0u) owns |= 1u << k;
    }
    won &= pending;
    owns &= pending;
}

// The sum of the values of the lanes below, and of all.
uint claim_sumBelow(uint value, out uint total) {
    uint below = 0u;
    total = 0u;
    for (uint bit = 0u; (PLACES >> bit) > 0u; bit++) {
        uvec2 mask = lanes_ballot((value >> bit & 1u) != 0u);
        below += lanes_countBelow(mask, lanes_lane()) << bit;
        total += lanes_count(mask) << bit;
    }
    return below;
}

// Second use: the owners number their ids from count on, which grows by them, and
// all that won read their slots.
void claim_number(uint won, uint owns, inout uint count) {
    uint total;
    uint slot = count + claim_sumBelow(uint(bitCount(owns)), total);
    count += total;
    lanes_barrier();
    for (uint k = 0u; k < PLACES; k++) {
        if (claim_has(owns, k)) shTable[claim_entry(claim_mixed[k])] = slot++;
    }
    lanes_barrier();
    for (uint k = 0u; k < PLACES; k++) {
        if (claim_has(won, k)) claim_records[k / 3u] |= shTable[claim_entry(claim_mixed[k])] << 10u * (k % 3u);
    }
}

// Third use: the places listed name the ids of the slots from window on. inverse
// undoes the mixing.
void claim_list(uint listed, uint window, uint inverse) {
    lanes_barrier();
    for (uint k = 0u; k < PLACES; k++) {
        uint at = claim_slot(k) - window;
        if (claim_has(listed, k) && at < WINDOW) shTable[claim_at(at)] = claim_mixed[k] * inverse >> 1;
    }
    lanes_barrier();
}

uint emit_id(uint i) { return shTable[claim_at(i)]; }

// Where the batch's vertices go: to its own places where they are enough.
uint claim_allocate(uint place, uint triangles, uint count) {
    uint first = queue_fixedPlace(place);
    if (QUEUE == QUEUE_INDEXED && first + count > queue_fixedPlace(place + triangles)) {
        lanes_barrier();
        if (lanes_lane() == 0u) shTable[claim_at(0u)] = queue_spill(count);
        lanes_barrier();
        first = shTable[claim_at(0u)];
    }
    return first;
}

// Writes the lane's corners whose vertices are among those of the window; expanded.
void claim_assemble(uint place, uint triangles, uint window) {
    for (uint t = 0u; t < TRIANGLES; t++) {
        uint triangle = lanes_lane() + t * LANES;
        if (triangle >= triangles || !queue_cornersFit(place + triangle)) continue;
        for (uint c = 0u; c < 3u; c++) {
            uint at = claim_slot(3u * t + c) - window;
            if (at < WINDOW) queue_writeVertex(3u * (place + triangle) + c, emit_held(at));
        }
    }
}

void main() {
    uint batchIndex;
    Batch batch = group_batch(batchIndex);
    uint triangles = batch.indexCount / 3u;
    lanes_start();

    uint pending = claim_load(batch); // a bit per place whose id has no slot yet
    uint inverse = claim_inverse(push.multiplier);
    uint listed = 0u; // a bit per place whose id this lane lists for shading
    uint count = 0u;  // slots taken
    for (uint round = 0u; round < BATCH; round++) {
        uint won, owns;
        claim_contend(pending, won, owns);
        claim_number(won, owns, count);
        pending &= ~won;
        listed |= owns;
        if (lanes_ballot(pending != 0u) == uvec2(0u)) break;
        lanes_barrier();
        for (uint k = 0u; k < PLACES; k++) claim_mixed[k] *= AGAIN;
        inverse *= claim_inverse(AGAIN);
    }

    uint place = queue_trianglePlace(batch.firstTriangle);
    uint first = claim_allocate(place, triangles, count);
    BatchInput batchInput = shade_begin(batch.draw);
    for (uint window = 0u; window < count; window += WINDOW) {
        claim_list(listed, window, inverse);
        emit_vertices(batchInput, batchIndex, min(count - window, WINDOW), first + window);
        if (WRITE && QUEUE == QUEUE_EXPANDED) claim_assemble(place, triangles, window);
    }
    if (!WRITE || QUEUE == QUEUE_EXPANDED) return;
    for (uint t = 0u; t < TRIANGLES; t++) {
        uint triangle = lanes_lane() + t * LANES;
        if (triangle < triangles) queue_writeRecord(place + triangle, uvec2(claim_records[t], first));
    }
}
