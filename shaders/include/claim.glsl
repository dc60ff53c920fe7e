// What geometry/claim.comp does once its ids have slots: they are listed for shading,
// and get places in the vertex queue. Where triangles are drawn at once, see
// include/claim_drawn.glsl.
#ifndef CLAIM_GLSL
#define CLAIM_GLSL

// Third use: the listed places write the ids numbered from window on. inverse undoes
// the mixing.
void claim_list(uint listed, uint window, uint inverse) {
    lanes_barrier();
    [[unroll]] for (uint k = 0u; k < PLACES; k++) {
        uint at = claim_slot(k) - window;
        if (claim_has(listed, k) && at < WINDOW) shTable[claim_at(LIST + at)] = claim_mixed[k] * inverse >> 1;
    }
    lanes_barrier();
}

// Lane 0's value.
uint claim_broadcast(uint value) {
    lanes_barrier();
    if (lanes_lane() == 0u) shTable[claim_at(LIST)] = value;
    lanes_barrier();
    return shTable[claim_at(LIST)];
}

#ifndef FUSED
uint emit_id(uint i) { return shTable[claim_at(i)]; }

// The place of the batch's first vertex in the queue: its own where it has enough.
uint claim_allocate(uint place, uint triangles, uint count) {
    uint first = queue_fixedPlace(place);
    if (SINK_QUEUED && first + count > queue_fixedPlace(place + triangles)) {
        uint spilled = 0u;
        if (lanes_lane() == 0u) spilled = queue_spill(count);
        return claim_broadcast(spilled);
    }
    return first;
}

// Holds the result of a slot for the corners, until the next window.
void claim_hold(uint first, uint slot, Shaded s) { shHeld[lanes_subgroup() * WINDOW + slot % WINDOW] = s; }

// Has the lane's corners whose slots are in the window take their results.
void claim_assemble(uint place, uint triangles, uint window) {
    [[unroll]] for (uint t = 0u; t < TRIANGLES; t++) {
        uint triangle = claim_triangle(t);
        if (triangle >= triangles) continue;
        [[unroll]] for (uint c = 0u; c < 3u; c++) {
            uint at = claim_slot(3u * t + c) - window;
            if (at < WINDOW) sink_corner(place + triangle, c, emit_held(at));
        }
    }
}

// Writes the records of the lane's triangles.
void claim_record(uint place, uint triangles, uint first) {
    if (!SINK_QUEUED) return;
    [[unroll]] for (uint t = 0u; t < TRIANGLES; t++) {
        uint triangle = claim_triangle(t);
        if (triangle < triangles) sink_packed(place + triangle, uvec2(claim_records[t], first));
    }
}

void claim_draw(BatchInput batchInput, uint place, uint triangles, uint first, uint count) {}
void claim_survivors(BatchInput batchInput, uint listed, uint inverse, uint count) {}
#endif

#endif
