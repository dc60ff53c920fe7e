#version 450
#extension GL_GOOGLE_include_directive : require

// claim: a subgroup's ids claim entries of a small table by plain stores, the
// last one to write an entry has it.
//
// Input   batches[push.batchCount], indices of each: triangles * 3
// Output  each vertex of a batch once, and a record a triangle (indexed) or 3
//         vertices a triangle (expanded). A batch has as many places in the
//         vertex queue as it has indices, and fills the first of them.
// Source  ours; the paper has no such thing. An entry holds the rest of the id,
//         which together with the entry's number is the whole of it (quotienting,
//         as Knuth has it for open addressing), and who wrote it: one word says
//         whether an id has won, and which lane is to shade it. So there is no
//         probing, no atomic, nothing to clear, and no barrier but the subgroup's.
//         Ids that lost claim again, elsewhere: each round places one id an entry.
// Dispatch one subgroup of LANES lanes a batch; a lane has TRIANGLES triangles

#include "include/lanes.glsl"
#include "include/queue.glsl"

layout(constant_id = 7) const uint BATCH = 384u; // indices a batch at most; PLACES must not exceed 30
layout(constant_id = 9) const uint TABLE = 256u; // entries, a power of two; 2 * LANES or more, PLACES * LANES / 2 or more

const uint TRIANGLES = (BATCH / 3u + LANES - 1u) / LANES; // a lane's, at most
const uint PLACES = 3u * TRIANGLES;                       // a lane's ids
const uint ID_BITS = 31u;                                 // the table's word has room for no more
const uint WINDOW = QUEUE == QUEUE_INDEXED ? TABLE : 2u * LANES; // slots whose ids are listed at once
const uint EXPANDED_WINDOW = QUEUE == QUEUE_EXPANDED ? WINDOW * SUBGROUPS : 1u;

shared uint shTable[TABLE * SUBGROUPS];      // an id's rest and its claimant; a slot; at last the ids of a window
shared vec4 shPosition[EXPANDED_WINDOW];     // shaded vertices of a window, for assembly
shared uvec2 shAttributes[EXPANDED_WINDOW];

uint claim_ids[PLACES];        // a lane's, triangle by triangle
uint claim_records[TRIANGLES]; // three slots of 10 bits each
uint claim_shades = 0u;        // bit k: this lane has claim_ids[k] shaded
uint claim_count = 0u;         // slots taken

// The id's bits, mixed; no two ids become one. The first round, without a
// multiplier, takes the lowest bits for the entry: neighbours, which a batch is
// full of, then never collide.
uint claim_mix(uint id, uint multiplier) {
    uint restBits = ID_BITS - uint(findMSB(TABLE));
    return multiplier == 0u ? (id & (TABLE - 1u)) << restBits | id >> (ID_BITS - restBits) : id * multiplier & 0x7fffffffu;
}

uint claim_entry(uint mixed) { return lanes_subgroup() * TABLE + (mixed >> (ID_BITS - uint(findMSB(TABLE)))); }

uint claim_word(uint mixed, uint k) { return mixed << (uint(findMSB(TABLE)) + 1u) | (k * LANES + lanes_lane()); }

// The sum of the values of the lanes below, and of all. Four bits and a fifth
// are what PLACES needs.
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

// Places what it can of the ids whose bits are set, and returns those of the rest.
uint claim_round(uint pending, uint multiplier) {
    for (uint k = 0u; k < PLACES; k++) {
        uint mixed = claim_mix(claim_ids[k], multiplier);
        if ((pending >> k & 1u) != 0u) shTable[claim_entry(mixed)] = claim_word(mixed, k);
    }
    lanes_barrier();
    uint won = 0u, shades = 0u;
    for (uint k = 0u; k < PLACES; k++) {
        uint mixed = claim_mix(claim_ids[k], multiplier);
        uint difference = shTable[claim_entry(mixed)] ^ claim_word(mixed, k);
        if (difference < 2u * TABLE) won |= 1u << k; // the same id, whoever wrote it
        if (difference == 0u) shades |= 1u << k;
    }
    won &= pending;
    shades &= pending;
    uint total;
    uint slot = claim_count + claim_sumBelow(uint(bitCount(shades)), total);
    lanes_barrier();
    for (uint k = 0u; k < PLACES; k++) {
        if ((shades >> k & 1u) != 0u) shTable[claim_entry(claim_mix(claim_ids[k], multiplier))] = slot++;
    }
    lanes_barrier();
    for (uint k = 0u; k < PLACES; k++) {
        if ((won >> k & 1u) != 0u) claim_records[k / 3u] |= shTable[claim_entry(claim_mix(claim_ids[k], multiplier))] << 10u * (k % 3u);
    }
    claim_count += total;
    claim_shades |= shades;
    return pending & ~won;
}

uint claim_slot(uint k) { return claim_records[k / 3u] >> 10u * (k % 3u) & 1023u; }

// Lists the ids of the slots from window on in the table.
void claim_list(uint window) {
    lanes_barrier();
    for (uint k = 0u; k < PLACES; k++) {
        uint at = claim_slot(k) - window;
        if ((claim_shades >> k & 1u) != 0u && at < WINDOW) shTable[lanes_subgroup() * TABLE + at] = claim_ids[k];
    }
    lanes_barrier();
}

// Writes the corners whose vertices lie in the window.
void claim_expand(uint window, uint place, uint triangleCount) {
    lanes_barrier();
    for (uint k = 0u; k < PLACES; k++) {
        uint t = lanes_lane() + k / 3u * LANES;
        uint at = claim_slot(k) - window;
        if (t >= triangleCount || at >= WINDOW) continue;
        at += lanes_subgroup() * WINDOW;
        queue_writeCorner(place + t, k % 3u, ShadedVertex(shPosition[at], shAttributes[at]));
    }
}

void main() {
    uint lane = lanes_lane();
    uint batchNumber = lanes_dispatchSubgroup();
    uint batchIndex = push.firstBatch + min(batchNumber, push.batchCount - 1u);
    Batch batch = batches[batchIndex];
    uint triangleCount = batchNumber < push.batchCount ? batch.indexCount / 3u : 0u;
    lanes_start();

    // All loads are under way before the first is needed.
    uint pending = 0u;
    for (uint k = 0u; k < TRIANGLES; k++) {
        uint i = batch.firstIndex + 3u * min(lane + k * LANES, max(batch.indexCount / 3u, 1u) - 1u);
        for (uint c = 0u; c < 3u; c++) claim_ids[3u * k + c] = indices[i + c];
        if (lane + k * LANES < triangleCount) pending |= 7u << 3u * k;
        claim_records[k] = 0u;
    }
    pending = claim_round(pending, 0u);
    uint multiplier = 2654435769u;
    while (lanes_ballot(pending != 0u) != uvec2(0u)) {
        lanes_barrier();
        pending = claim_round(pending, multiplier);
        multiplier *= 2654435769u;
    }

    uint place = queue_trianglePlace(batch.firstTriangle);
    BatchInput batchInput = shade_begin(batch.draw);
    for (uint window = 0u; window < claim_count; window += WINDOW) {
        claim_list(window);
        for (uint at = lane; at < min(claim_count - window, WINDOW); at += LANES) {
            ShadedVertex v = shade_vertex(batchInput, shTable[lanes_subgroup() * TABLE + at], batchIndex);
            if (QUEUE == QUEUE_INDEXED) {
                queue_writeVertex(3u * place + window + at, v);
            } else {
                shPosition[lanes_subgroup() * WINDOW + at] = v.posClip;
                shAttributes[lanes_subgroup() * WINDOW + at] = v.attributes;
            }
        }
        if (WRITE && QUEUE == QUEUE_EXPANDED) claim_expand(window, place, triangleCount);
    }
    if (!WRITE || QUEUE == QUEUE_EXPANDED) return;
    for (uint k = 0u; k < TRIANGLES; k++) {
        uint t = lane + k * LANES;
        if (t < triangleCount) queue_writeTriangle(place + t, 3u * place, uvec3(claim_slot(3u * k), claim_slot(3u * k + 1u), claim_slot(3u * k + 2u)));
    }
}
