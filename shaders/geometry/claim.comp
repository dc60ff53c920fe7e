#version 450
#extension GL_GOOGLE_include_directive : require

// claim: a subgroup's ids claim entries of a small table by plain stores, the
// last one to write an entry has it.
//
// Input   batches[push.batchCount], indices of each: triangles * 3
// Output  each vertex of a batch once, and a record a triangle (indexed) or 3
//         vertices a triangle (expanded). A batch fills the first of its own
//         places in the vertex queue, or others where these are too few.
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
const uint AGAIN = 2654435769u;                           // mixes ids that lost, once more
const uint WINDOW = QUEUE == QUEUE_INDEXED ? TABLE : 2u * LANES; // slots whose ids are listed at once
const uint EXPANDED_WINDOW = QUEUE == QUEUE_EXPANDED ? WINDOW * SUBGROUPS : 1u;

shared uint shTable[TABLE * SUBGROUPS];      // an id's rest and its claimant; a slot; at last the ids of a window
shared vec4 shPosition[EXPANDED_WINDOW];     // shaded vertices of a window, for assembly
shared uvec2 shAttributes[EXPANDED_WINDOW];

// An odd number's inverse, modulo 2^32.
uint claim_inverse(uint odd) {
    uint inverse = odd;
    for (uint i = 0u; i < 4u; i++) inverse *= 2u - odd * inverse; // doubles the bits that are right, 3 at first
    return inverse;
}

// An id is mixed by an odd factor, which is undone by its inverse; the top bits
// are the number of an entry. Any factor will do, a good one makes few ids lose.
uint claim_entry(uint mixed) { return lanes_subgroup() * TABLE + (mixed >> (32u - uint(findMSB(TABLE)))); }

// The bits that are not in the entry's number, and a place.
uint claim_word(uint mixed, uint place) { return mixed << uint(findMSB(TABLE)) | place; }

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

void main() {
    uint lane = lanes_lane();
    uint batchNumber = lanes_dispatchSubgroup();
    uint batchIndex = push.firstBatch + min(batchNumber, push.batchCount - 1u);
    Batch batch = batches[batchIndex];
    uint triangleCount = batchNumber < push.batchCount ? batch.indexCount / 3u : 0u;
    lanes_start();

    // All loads are under way before the first is needed. Lanes without a triangle
    // take the batch's last: its ids are there anyway.
    uint mixed[PLACES];       // ids
    uint records[TRIANGLES];  // three slots of 10 bits each
    uint pending = 0u;        // bit k: mixed[k] has no slot yet
    for (uint t = 0u; t < TRIANGLES; t++) {
        uint i = batch.firstIndex + 3u * min(lane + t * LANES, max(batch.indexCount / 3u, 1u) - 1u);
        for (uint c = 0u; c < 3u; c++) mixed[3u * t + c] = (indices[i + c] << 1) * push.multiplier;
        if (lane + t * LANES < triangleCount) pending |= 7u << 3u * t;
        records[t] = 0u;
    }
    uint inverse = claim_inverse(push.multiplier);
    uint shades = 0u; // bit k: this lane lists mixed[k] for shading
    uint count = 0u;  // slots taken
    for (uint round = 0u; round < BATCH; round++) {
        for (uint k = 0u; k < PLACES; k++) {
            if ((pending >> k & 1u) != 0u) shTable[claim_entry(mixed[k])] = claim_word(mixed[k], k * LANES + lane);
        }
        lanes_barrier();
        uint won = 0u, owns = 0u;
        for (uint k = 0u; k < PLACES; k++) {
            uint difference = shTable[claim_entry(mixed[k])] ^ claim_word(mixed[k], k * LANES + lane);
            if (difference < 2u * TABLE) won |= 1u << k; // the same id, whoever wrote it
            if (difference == 0u) owns |= 1u << k;
        }
        won &= pending;
        owns &= pending;
        uint total;
        uint slot = count + claim_sumBelow(uint(bitCount(owns)), total);
        count += total;
        lanes_barrier();
        for (uint k = 0u; k < PLACES; k++) {
            if ((owns >> k & 1u) != 0u) shTable[claim_entry(mixed[k])] = slot++;
        }
        lanes_barrier();
        for (uint k = 0u; k < PLACES; k++) {
            if ((won >> k & 1u) != 0u) records[k / 3u] |= shTable[claim_entry(mixed[k])] << 10u * (k % 3u);
        }
        pending &= ~won;
        shades |= owns;
        if (lanes_ballot(pending != 0u) == uvec2(0u)) break;
        lanes_barrier();
        for (uint k = 0u; k < PLACES; k++) mixed[k] *= AGAIN;
        inverse *= claim_inverse(AGAIN);
    }

    uint place = queue_trianglePlace(batch.firstTriangle);
    uint first = queue_fixedPlace(place); // of the batch's vertices
    if (QUEUE == QUEUE_INDEXED && first + count > queue_fixedPlace(place + triangleCount)) {
        lanes_barrier();
        if (lane == 0u) shTable[lanes_subgroup() * TABLE] = queue_spill(count);
        lanes_barrier();
        first = shTable[lanes_subgroup() * TABLE];
    }
    BatchInput batchInput = shade_begin(batch.draw);
    for (uint window = 0u; window < count; window += WINDOW) {
        lanes_barrier();
        for (uint k = 0u; k < PLACES; k++) {
            uint at = (records[k / 3u] >> 10u * (k % 3u) & 1023u) - window;
            if ((shades >> k & 1u) != 0u && at < WINDOW) shTable[lanes_subgroup() * TABLE + at] = mixed[k] * inverse >> 1;
        }
        lanes_barrier();
        for (uint at = lane; at < min(count - window, WINDOW); at += LANES) {
            ShadedVertex v = shade_vertex(batchInput, shTable[lanes_subgroup() * TABLE + at], batchIndex);
            if (QUEUE == QUEUE_INDEXED) {
                queue_writeVertex(first + window + at, v);
            } else {
                shPosition[lanes_subgroup() * WINDOW + at] = v.posClip;
                shAttributes[lanes_subgroup() * WINDOW + at] = v.attributes;
            }
        }
        if (!WRITE || QUEUE == QUEUE_INDEXED) continue;
        lanes_barrier();
        for (uint t = 0u; t < TRIANGLES; t++) {
            uint triangle = lane + t * LANES;
            if (triangle >= triangleCount || !queue_cornersFit(place + triangle)) continue;
            for (uint c = 0u; c < 3u; c++) {
                uint at = (records[t] >> 10u * c & 1023u) - window;
                if (at >= WINDOW) continue;
                at += lanes_subgroup() * WINDOW;
                queue_writeVertex(3u * (place + triangle) + c, ShadedVertex(shPosition[at], shAttributes[at]));
            }
        }
    }
    if (!WRITE || QUEUE == QUEUE_EXPANDED) return;
    for (uint t = 0u; t < TRIANGLES; t++) {
        if (lane + t * LANES < triangleCount) queue_writeRecord(place + lane + t * LANES, uvec2(records[t], first));
    }
}
