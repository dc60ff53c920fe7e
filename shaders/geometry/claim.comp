#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

// claim: a subgroup's ids claim the entries of a small table by plain stores; the
// last one to write an entry has it.
//
// Input   batches[push.batchCount], indices of each: triangles * 3
// Output  each vertex of a batch once, and a record per triangle (indexed) or 3
//         vertices per triangle (expanded). A batch fills the first of its own
//         places in the vertex queue, or others where these are too few.
// Source  ours; the paper has no such thing. Storing only the rest of an id, since
//         the entry's number tells the other bits, is Knuth's quotienting
// Dispatch one subgroup of LANES lanes per batch. A lane has TRIANGLES triangles,
//         their 3 * TRIANGLES ids are its places. PLACES must not exceed 30
//
// An id is multiplied by an odd factor (mixed). The product's top bits are the number
// of the entry that it claims, all other bits are the rest. Of a table's entries:
//
//              1. claims, per round              2. slots       3. ids, at last
//         0  |                               |  |        |      | id 4 |
//         1  | rest of id 7, lane 2, place 0 |  | slot 2 |      | id 9 |
//         2  | rest of id 4, lane 0, place 1 |  | slot 0 |      | id 7 |
//         3  | rest of id 9, lane 1, place 0 |  | slot 1 |      |      |
//
// 1. All lanes write the rests of their ids, with their lane and place, to the entries that
//    the ids claim. Then each reads its entries back. Its own word: its id won the entry, and
//    the lane owns it. Its id by another lane: the id won. Another id: the id lost.
// 2. The owners number their ids, lane by lane, and write the slots to their entries.
//    All places whose ids won read them. Ids that lost are multiplied once more, and
//    claim again in the next round.
// 3. When all ids have slots, the owners list them: the table tells what to shade.
//
// There is no probing, no atomic and nothing to clear: an entry is only used by those
// that have just written it. The only barriers are the subgroup's. A round places one
// id per entry that is claimed, so it ends. geometry/reuse/claim_rounds.go does the
// same in Go.

#include "include/lanes.glsl"
#include "include/group.glsl"
#include "include/sink.glsl"

const uint TRIANGLES = (BATCH / 3u + LANES - 1u) / LANES; // of a lane, at most
const uint PLACES = 3u * TRIANGLES;                       // of a lane
const uint AGAIN = 2654435769u;                           // factor for ids that have lost

uint claim_mixed[PLACES];      // the lane's ids, mixed
uint claim_records[TRIANGLES]; // its triangles: include/record.glsl

bool claim_has(uint places, uint k) { return (places >> k & 1u) != 0u; }

// The slot that a record has for place k.
uint claim_slot(uint k) { return claim_records[k / 3u] >> 10u * (k % 3u) & 1023u; }

// The triangle of the batch that is number t of this lane.
uint claim_triangle(uint t) { return lanes_lane() + t * LANES; }

#include "include/claim.glsl"

// The inverse of an odd number, modulo 2^32.
uint claim_inverse(uint odd) {
    uint inverse = odd;
    for (uint i = 0u; i < 4u; i++) inverse *= 2u - odd * inverse; // doubles the number of correct bits, 3 at first
    return inverse;
}

// The entry that an id claims, and what a place of this lane stores there. Ids are doubled
// before they are mixed, so that the low bits have space for 2 * TABLE places.
uint claim_top(uint mixed) { return mixed >> (32u - uint(findMSB(TABLE))); }
uint claim_entry(uint mixed) { return claim_at(claim_top(mixed)); }
uint claim_word(uint mixed, uint place) { return mixed << uint(findMSB(TABLE)) | place * LANES + lanes_lane(); }

// Loads and mixes the lane's ids. All loads are in flight before the first result is needed.
// Lanes without a triangle load the batch's last, which the subgroup reads anyway.
void claim_load(Batch batch) {
    uint triangles = batch.indexCount / 3u;
    [[unroll]] for (uint t = 0u; t < TRIANGLES; t++) {
        uint i = batch.firstIndex + 3u * min(claim_triangle(t), max(triangles, 1u) - 1u);
        [[unroll]] for (uint c = 0u; c < 3u; c++) claim_mixed[3u * t + c] = stream_index(i + c) * (2u * push.multiplier);
        claim_records[t] = 0u;
    }
}

// First use: the pending places claim their entries. Returns those whose id is in the entry
// (won), and among them those that wrote it (owns).
void claim_contend(uint pending, out uint won, out uint owns) {
    [[unroll]] for (uint k = 0u; k < PLACES; k++) {
        if (claim_has(pending, k)) shTable[claim_entry(claim_mixed[k])] = claim_word(claim_mixed[k], k);
    }
    lanes_barrier();
    won = 0u;
    owns = 0u;
    [[unroll]] for (uint k = 0u; k < PLACES; k++) {
        uint difference = shTable[claim_entry(claim_mixed[k])] ^ claim_word(claim_mixed[k], k);
        if (difference < 2u * TABLE) won |= 1u << k;
        if (difference == 0u) owns |= 1u << k;
    }
    won &= pending;
    owns &= pending;
}

// Second use: the owners number their ids from count on, which increases by the number of owners.
void claim_number(uint owns, inout uint count) {
    uint total;
    uint slot = count + lanes_sumBelow(uint(bitCount(owns)), PLACES, total);
    count += total;
    lanes_barrier();
    [[unroll]] for (uint k = 0u; k < PLACES; k++) {
        if (claim_has(owns, k)) shTable[claim_entry(claim_mixed[k])] = slot++;
    }
    lanes_barrier();
}

// The places that won read their slots.
void claim_read(uint won) {
    [[unroll]] for (uint k = 0u; k < PLACES; k++) {
        if (claim_has(won, k)) claim_records[k / 3u] |= shTable[claim_entry(claim_mixed[k])] << 10u * (k % 3u);
    }
}

// The first round, in which all places claim: those of lanes without a triangle have ids that others have too. Most
// batches need no other round, and without a test of each place a round costs less. Returns the places that lost.
uint claim_begin(bool some, out uint owns, inout uint count) {
    [[unroll]] for (uint k = 0u; k < PLACES; k++) {
        if (some) shTable[claim_entry(claim_mixed[k])] = claim_word(claim_mixed[k], k);
    }
    lanes_barrier();
    uint lost = 0u;
    owns = 0u;
    [[unroll]] for (uint k = 0u; k < PLACES; k++) {
        uint difference = shTable[claim_entry(claim_mixed[k])] ^ claim_word(claim_mixed[k], k);
        if (difference >= 2u * TABLE) lost |= 1u << k;
        if (difference == 0u) owns |= 1u << k;
    }
    if (!some) lost = owns = 0u;
    claim_number(owns, count);
    if (lanes_ballot(lost != 0u) != uvec2(0u)) {
        claim_read(~lost);
        return lost;
    }
    [[unroll]] for (uint k = 0u; some && k < PLACES; k++) claim_records[k / 3u] |= shTable[claim_entry(claim_mixed[k])] << 10u * (k % 3u);
    return 0u;
}

#ifdef OWN_VERTEX
// Whether the sizes fit: a lane's masks have a bit per place, records hold all slots, the table's words hold all places, and a
// workgroup has the right lanes.
bool claim_fits() {
#ifdef MESH
    if (BATCH > OWN_BATCH) return false;
#endif
    return PLACES <= 30u && BATCH <= 1023u && PLACES * LANES <= 2u * TABLE && (TABLE & TABLE - 1u) == 0u && (NATIVE || WORKGROUP == LANES);
}
#endif

void main() {
    uint batchIndex;
    Batch batch = group_batch(batchIndex);
    uint triangles = batch.indexCount / 3u;
    lanes_start();
#ifdef OWN_VERTEX
    if (!claim_fits()) {
        sink_refuse();
        return;
    }
#endif

    claim_load(batch);
    uint inverse = claim_inverse(push.multiplier);
    uint count = 0u;  // slots taken
    uint listed;      // a bit per place whose id this lane lists for shading
    uint pending = claim_begin(triangles > 0u, listed, count); // a bit per place whose id has no slot yet
    [[dont_unroll]] for (uint round = 1u; lanes_ballot(pending != 0u) != uvec2(0u) && round < 2u * BATCH; round++) {
        lanes_barrier();
        [[unroll]] for (uint k = 0u; k < PLACES; k++) claim_mixed[k] *= AGAIN;
        inverse *= claim_inverse(AGAIN);
        uint won, owns;
        claim_contend(pending, won, owns);
        claim_number(owns, count);
        claim_read(won);
        pending &= ~won;
        listed |= owns;
    }

    uint place = sink_place(batch.firstTriangle);
    uint first = claim_allocate(place, triangles, count);
    BatchInput batchInput = shade_begin(batch.draw);
    for (uint window = 0u, size; window < count; window += size) {
        size = claim_window(window);
        uint list = claim_listOf(window);
        claim_list(listed, window, size, list, inverse);
        // emit_vertices would do the same, but makes claim up to 12 % slower on an H200.
        for (uint i = lanes_lane(); i < min(count - window, size); i += LANES) {
            uint id = shTable[claim_at(list + i)];
            claim_keep(first, window + i, id, shade_id(batchInput, id, batchIndex));
        }
        claim_take(place, triangles, window);
    }
    if (WRITE) claim_end(batchInput, place, triangles, first, count, listed, inverse);
}
