// The part of geometry/claim.comp for passes that draw triangles at once: results are held in the
// table's words until lanes draw the triangles that may show something.
#ifndef CLAIM_FUSED_GLSL
#define CLAIM_FUSED_GLSL

const uint HELD = PLACES * LANES < CLAIM_HELD * LANES / 32u ? PLACES * LANES : CLAIM_HELD * LANES / 32u; // results held
const uint WINDOW = 4u * LANES;
const uint HELD_WORDS = SIFT ? 2u : 3u; // of a result
const uint LIST = TABLE < HELD_WORDS * HELD ? HELD_WORDS * HELD : TABLE; // results are stored where the table was
const uint SURVIVORS = LIST + WINDOW; // one bit per slot that surviving triangles use
const uint ROOM = SURVIVORS + (SINK_CULLS ? (PLACES * LANES + 31u) / 32u : 0u);
#include "include/claim_table.glsl"

layout(binding = BINDING_SPILLED, std430) coherent buffer Spilled { PlacedVertex spilled[]; }; // results that are not held

// The buffer index of the batch's first spilled result.
uint claim_allocate(uint place, uint triangles, uint count) {
    if (!WRITE || count <= HELD) return 0u;
    uint first = 0u;
    if (lanes_lane() == 0u) first = sink_allocate(count - HELD);
    return claim_broadcast(first);
}

// Holds the result of a slot.
void claim_keep(uint first, uint slot, uint id, PlacedVertex v) {
    if (!WRITE) return;
    if (slot < HELD) {
        uint at = claim_at(HELD_WORDS * slot);
        shTable[at] = uint(v.x);
        shTable[at + 1u] = uint(v.y);
        if (!SIFT) shTable[at + 2u] = v.z;
    } else if (first + slot - HELD < push.vertexCapacity) {
        spilled[first + slot - HELD] = v;
    }
}

PlacedVertex claim_held(uint first, uint slot) {
    if (slot < HELD) {
        uint at = claim_at(HELD_WORDS * slot);
        return PlacedVertex(int(shTable[at]), int(shTable[at + 1u]), SIFT ? 0u : shTable[at + 2u]);
    }
    if (first + slot - HELD < push.vertexCapacity) return spilled[first + slot - HELD];
    return placed_nowhere(PLACED_DROPS); // the host plans again
}

bool claim_shows(uint first, uint record) {
    uvec3 slots = record_slots(record);
    return fused_shows(claim_held(first, slots.x), claim_held(first, slots.y), claim_held(first, slots.z));
}

void claim_put(uint first, uint triangle, uint record) {
    uvec3 slots = record_slots(record);
    fused_put(triangle, claim_held(first, slots.x), claim_held(first, slots.y), claim_held(first, slots.z), 0u);
}

// Tests a triangle, if triangles are culled, and marks the slots of one that survives.
bool claim_survives(BatchInput batchInput, uint first, uint record) {
    if (!SINK_CULLS) return true;
    uvec3 slots = record_slots(record);
    if (!fused_survives(batchInput, claim_held(first, slots.x), claim_held(first, slots.y), claim_held(first, slots.z))) return false;
    for (uint c = 0u; c < 3u; c++) atomicOr(shTable[claim_at(SURVIVORS + slots[c] / 32u)], 1u << (slots[c] & 31u));
    return true;
}

// Draws the batch's triangles. Native lanes list those that may show something, and draw as
// soon as each has one; with SIFT nothing is drawn here.
void claim_draw(BatchInput batchInput, uint place, uint triangles, uint first, uint count) {
    if (count > HELD) {
        memoryBarrierBuffer();
        lanes_barrier();
    }
    if (SIFT) {
        [[unroll]] for (uint t = 0u; t < TRIANGLES; t++) {
            if (claim_triangle(t) < triangles) claim_put(first, place + claim_triangle(t), claim_records[t]);
        }
        return;
    }
    uint records[TRIANGLES];
    if (SINK_CULLS) {
        [[unroll]] for (uint t = 0u; t < TRIANGLES; t++) records[t] = claim_records[t];
        for (uint i = lanes_lane(); SURVIVORS + i < ROOM; i += LANES) shTable[claim_at(SURVIVORS + i)] = 0u;
        lanes_barrier();
    }
    uint listed = 0u;
    [[dont_unroll]] for (uint t = 0u; t <= TRIANGLES; t++) {
        uint triangle = claim_triangle(t);
        bool drawn = triangle < triangles && t < TRIANGLES;
        uint record = claim_records[0];
        [[unroll]] for (uint next = 1u; next < TRIANGLES; next++) claim_records[next - 1u] = claim_records[next];
        if (!NATIVE) {
            if (drawn && claim_survives(batchInput, first, record)) claim_put(first, place + triangle, record);
            continue;
        }
        drawn = drawn && (SINK_CULLS ? claim_survives(batchInput, first, record) : claim_shows(first, record));
        uvec2 mask = lanes_ballot(drawn);
        uint at = claim_at(LIST + listed + lanes_countBelow(mask, lanes_lane()));
        if (drawn) {
            shTable[at] = triangle;
            shTable[at + 2u * LANES] = record;
        }
        listed += lanes_count(mask);
        if (listed < LANES && t < TRIANGLES) continue;
        lanes_barrier();
        uint draws = min(listed, LANES);
        listed -= draws;
        at = claim_at(LIST + listed + lanes_lane());
        if (lanes_lane() < draws) claim_put(first, place + shTable[at], shTable[at + 2u * LANES]);
        lanes_barrier();
    }
    [[unroll]] for (uint t = 0u; SINK_CULLS && t < TRIANGLES; t++) claim_records[t] = records[t];
}

// Shades the ids that surviving triangles use.
void claim_survivors(BatchInput batchInput, uint listed, uint inverse, uint count) {
    if (!SINK_CULLS) return;
    for (uint window = 0u; window < count; window += WINDOW) {
        claim_list(listed, window, inverse);
        for (uint i = lanes_lane(); i < min(count - window, WINDOW); i += LANES) {
            uint slot = window + i;
            if ((shTable[claim_at(SURVIVORS + slot / 32u)] >> (slot & 31u) & 1u) != 0u) fused_shade(batchInput, shTable[claim_at(LIST + i)]);
        }
    }
}

void claim_take(uint place, uint triangles, uint window) { lanes_barrier(); } // no corner takes a result before all are held

void claim_end(BatchInput batchInput, uint place, uint triangles, uint first, uint count, uint listed, uint inverse) {
    claim_draw(batchInput, place, triangles, first, count);
    claim_survivors(batchInput, listed, inverse, count);
}

#endif
