// What geometry/claim.comp does once its ids have slots: they are listed for shading,
// get places in the vertex queue, and results go to the corners or are drawn.
#ifndef CLAIM_GLSL
#define CLAIM_GLSL

// Third use: the listed places write the ids numbered from window on. inverse undoes
// the mixing.
void claim_list(uint listed, uint window, uint inverse) {
    lanes_barrier();
    uint next = claim_first;
    for (uint k = 0u; k < PLACES; k++) {
        uint at = claim_slot(k);
        if (claim_entries && claim_has(listed, k)) at = at < TABLE ? next++ : at - TABLE + claim_count;
        at -= window;
        if (claim_has(listed, k) && at < WINDOW) shTable[claim_at(at)] = claim_mixed[k] * inverse >> 1;
    }
    lanes_barrier();
}

// The slot of the i-th id of the list, where results are held.
uint claim_heldAt(uint i, uint id) {
    if (!claim_entries) return i;
    return i < claim_count ? claim_top((id << 1) * push.multiplier) : i - claim_count + TABLE;
}

uint emit_id(uint i) { return shTable[claim_at(i)]; }

// The place of the batch's first vertex in the queue: its own where it has enough.
uint claim_allocate(uint place, uint triangles, uint count) {
    uint first = queue_fixedPlace(place);
    if (SINK_QUEUED && first + count > queue_fixedPlace(place + triangles)) {
        lanes_barrier();
        if (lanes_lane() == 0u) shTable[claim_at(0u)] = queue_spill(count);
        lanes_barrier();
        first = shTable[claim_at(0u)];
    }
    return first;
}

// Has the lane's corners whose slots are in the window take their results.
void claim_assemble(uint place, uint triangles, uint window) {
    for (uint t = 0u; t < TRIANGLES; t++) {
        uint triangle = lanes_lane() + t * LANES;
        if (triangle >= triangles) continue;
        for (uint c = 0u; c < 3u; c++) {
            uint at = claim_slot(3u * t + c) - window;
            if (at < WINDOW) sink_corner(place + triangle, c, emit_held(at));
        }
    }
}

uvec3 claim_slots(uint record) { return uvec3(record, record >> 10, record >> 20) & 1023u; }

const uint RECORDS = TRIANGLES * LANES; // where the table has the records of listed triangles
const uint LISTED = NATIVE ? TABLE / 2u : 0u; // triangles that the table has room for

// Draws the batch's triangles. Native lanes list those that show something first, so
// that all lanes draw: their numbers in the table, their records behind.
void claim_draw(uint place, uint triangles) {
    uint count = 0u;
    for (uint t = 0u; t < TRIANGLES; t++) {
        uint triangle = lanes_lane() + t * LANES;
        uvec3 slots = claim_slots(claim_records[t]);
        bool drawn = triangle < triangles;
        if (LISTED < RECORDS) {
            if (drawn) emit_triangle(place + triangle, 0u, slots);
            continue;
        }
        drawn = drawn && emit_shows(slots);
        uvec2 mask = lanes_ballot(drawn);
        uint at = claim_at(count + lanes_countBelow(mask, lanes_lane()));
        if (drawn) {
            shTable[at] = triangle;
            shTable[at + RECORDS] = claim_records[t];
        }
        count += lanes_count(mask);
    }
    lanes_barrier();
    for (uint i = lanes_lane(); i < count; i += LANES) {
        emit_triangle(place + shTable[claim_at(i)], 0u, claim_slots(shTable[claim_at(i) + RECORDS]));
    }
}

#endif
