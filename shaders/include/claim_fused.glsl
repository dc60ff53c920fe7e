// The part of geometry/claim.comp for passes that draw triangles at once: results are held where the
// table was until lanes draw the triangles that may show something. NVIDIA's driver gives Vulkan's
// workgroups 48 KB of a multiprocessor's shared memory, so that less of it means more subgroups at a time.
#ifndef CLAIM_FUSED_GLSL
#define CLAIM_FUSED_GLSL

#extension GL_KHR_shader_subgroup_shuffle : require

const uint HELD = PLACES * LANES < CLAIM_HELD * LANES / 32u ? PLACES * LANES : CLAIM_HELD * LANES / 32u; // results held
const bool HELD_DEPTHS = !NATIVE && !SIFT; // beside x and y; native lanes have depths in registers
const uint HELD_WORDS = (HELD_DEPTHS ? 3u : 2u) * HELD;
const uint WINDOW = 2u * LANES - 1u; // of ids whose results are not held; listed triangles are as many at most
const uint LIST = TABLE < HELD_WORDS ? HELD_WORDS : TABLE; // results are stored where the table was
const uint SURVIVORS = LIST + WINDOW; // one bit per slot that surviving triangles use
const uint ROOM = SURVIVORS + (SINK_CULLS ? (PLACES * LANES + 31u) / 32u : 0u);
#include "include/claim_table.glsl"

layout(binding = BINDING_SPILLED, std430) coherent buffer Spilled { PlacedVertex spilled[]; }; // results that are not held

// Depths of this lane's slots, by slot / LANES: separate variables, since NVIDIA's compiler puts an array into memory.
uint claim_depth0, claim_depth1, claim_depth2, claim_depth3;
bool claim_spills; // whether the batch has results that are not held

// Ids of results that are held are listed where their y will be: the lane that reads an id overwrites it.
uint claim_window(uint window) { return window == 0u ? HELD : WINDOW; }
uint claim_listOf(uint window) { return window == 0u ? HELD : LIST; }

// The buffer index of the batch's first spilled result.
uint claim_allocate(uint place, uint triangles, uint count) {
    claim_spills = count > HELD;
    if (!WRITE || !claim_spills) return 0u;
    uint first = 0u;
    if (lanes_lane() == 0u) first = sink_allocate(count - HELD);
    return claim_broadcast(first);
}

// Holds the result of a slot, or spills it.
void claim_keep(uint first, uint slot, uint id, PlacedVertex v) {
    if (!WRITE) return;
    if (slot < HELD) {
        shTable[claim_at(slot)] = uint(v.x);
        shTable[claim_at(HELD + slot)] = uint(v.y);
        if (HELD_DEPTHS) shTable[claim_at(2u * HELD + slot)] = v.z;
        uint round = slot / LANES;
        if (round == 0u) claim_depth0 = v.z;
        if (round == 1u) claim_depth1 = v.z;
        if (round == 2u) claim_depth2 = v.z;
        if (round == 3u) claim_depth3 = v.z;
    } else if (first + slot - HELD < push.vertexCapacity) {
        spilled[first + slot - HELD] = v;
    }
}

// The result of a slot; z is its depth if a lane has it.
PlacedVertex claim_held(uint first, uint slot, uint z) {
    uint at = claim_at(min(slot, HELD - 1u)); // loads of three corners wait for no branch
    PlacedVertex v = PlacedVertex(int(shTable[at]), int(shTable[at + HELD]), HELD_DEPTHS ? shTable[at + 2u * HELD] : z);
    if (claim_spills && slot >= HELD) {
        v = placed_nowhere(PLACED_DROPS); // the host plans again
        if (first + slot - HELD < push.vertexCapacity) v = spilled[first + slot - HELD];
    }
    return v;
}

// The depth of a slot, if a lane has it. All lanes call it together.
uint claim_depth(uint slot) {
    if (HELD_DEPTHS || SIFT) return 0u;
    uint z0 = subgroupShuffle(claim_depth0, slot % LANES);
    uint z1 = subgroupShuffle(claim_depth1, slot % LANES);
    uint z2 = subgroupShuffle(claim_depth2, slot % LANES);
    uint z3 = subgroupShuffle(claim_depth3, slot % LANES);
    bool odd = (slot & LANES) != 0u;
    return (slot & 2u * LANES) != 0u ? (odd ? z3 : z2) : odd ? z1 : z0;
}

bool claim_shows(uint first, uint record) {
    uvec3 slots = record_slots(record);
    return fused_shows(claim_held(first, slots.x, 0u), claim_held(first, slots.y, 0u), claim_held(first, slots.z, 0u));
}

// Draws a triangle if this lane has one. All lanes call it together.
void claim_put(bool drawn, uint first, uint triangle, uint record) {
    uvec3 slots = record_slots(record);
    uvec3 z = uvec3(claim_depth(slots.x), claim_depth(slots.y), claim_depth(slots.z));
    if (drawn) fused_put(triangle, claim_held(first, slots.x, z.x), claim_held(first, slots.y, z.y), claim_held(first, slots.z, z.z), 0u);
}

// Tests a triangle, and marks its slots if it survives.
bool claim_survives(BatchInput batchInput, uint first, uint record) {
    uvec3 slots = record_slots(record);
    if (!fused_survives(batchInput, claim_held(first, slots.x, 0u), claim_held(first, slots.y, 0u), claim_held(first, slots.z, 0u))) return false;
    for (uint c = 0u; c < 3u; c++) atomicOr(shTable[claim_at(SURVIVORS + slots[c] / 32u)], 1u << (slots[c] & 31u));
    return true;
}

// The record of a triangle of any lane. claim_draw must have reached it: it rotates claim_records[] left by one each round,
// `turned` times so far. All lanes call it together.
uint claim_recordOf(uint triangle, uint turned) {
    uint record = 0u;
    [[unroll]] for (uint t = 0u; t < TRIANGLES; t++) {
        uint other = subgroupShuffle(claim_records[t], triangle % LANES);
        if (triangle / LANES + TRIANGLES - turned == t) record = other;
    }
    return record;
}

// Draws the batch's triangles. Native lanes list those that may show something, and draw as
// soon as each has one; with SIFT nothing is drawn here.
void claim_draw(BatchInput batchInput, uint place, uint triangles, uint first) {
    if (claim_spills) {
        memoryBarrierBuffer();
        lanes_barrier();
    }
    if (SIFT) {
        [[unroll]] for (uint t = 0u; t < TRIANGLES; t++) claim_put(claim_triangle(t) < triangles, first, place + claim_triangle(t), claim_records[t]);
        return;
    }
    if (SINK_CULLS) {
        for (uint i = lanes_lane(); SURVIVORS + i < ROOM; i += LANES) shTable[claim_at(SURVIVORS + i)] = 0u;
        lanes_barrier();
    }
    uint listed = 0u;
    [[dont_unroll]] for (uint t = 0u; t <= TRIANGLES; t++) {
        uint triangle = claim_triangle(t);
        bool drawn = false;
        uint record = claim_records[0];
        if (t < TRIANGLES) {
            drawn = triangle < triangles;
            [[unroll]] for (uint next = 1u; next < TRIANGLES; next++) claim_records[next - 1u] = claim_records[next];
            claim_records[TRIANGLES - 1u] = record;
            if (SINK_CULLS) {
                drawn = drawn && claim_survives(batchInput, first, record);
            } else if (NATIVE) {
                bool shows = claim_shows(first, record); // lanes without a triangle do not wait for others
                drawn = drawn && shows;
            }
        }
        if (NATIVE) {
            uvec2 mask = lanes_ballot(drawn);
            if (drawn) shTable[claim_at(LIST + listed + lanes_countBelow(mask, lanes_lane()))] = triangle;
            listed += lanes_count(mask);
            if (listed == 0u || listed < LANES && t < TRIANGLES) continue;
            lanes_barrier();
            uint draws = min(listed, LANES);
            listed -= draws;
            drawn = lanes_lane() < draws;
            triangle = drawn ? shTable[claim_at(LIST + listed + lanes_lane())] : 0u;
            lanes_barrier();
            record = claim_recordOf(triangle, min(t + 1u, TRIANGLES));
        }
        claim_put(drawn, first, place + triangle, record);
    }
}

// Shades the ids that surviving triangles use.
void claim_survivors(BatchInput batchInput, uint listed, uint inverse, uint count) {
    if (!SINK_CULLS) return;
    for (uint window = 0u; window < count; window += WINDOW) {
        claim_list(listed, window, WINDOW, LIST, inverse);
        for (uint i = lanes_lane(); i < min(count - window, WINDOW); i += LANES) {
            uint slot = window + i;
            if ((shTable[claim_at(SURVIVORS + slot / 32u)] >> (slot & 31u) & 1u) != 0u) fused_shade(batchInput, shTable[claim_at(LIST + i)]);
        }
    }
}

void claim_take(uint place, uint triangles, uint window) { lanes_barrier(); } // no corner takes a result before all are held

void claim_end(BatchInput batchInput, uint place, uint triangles, uint first, uint count, uint listed, uint inverse) {
    claim_draw(batchInput, place, triangles, first);
    claim_survivors(batchInput, listed, inverse, count);
}

#endif
