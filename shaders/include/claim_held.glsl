// The part of claim for sinks that hold results for the corners only until the next window, or not at all.
#ifndef CLAIM_HELD_GLSL
#define CLAIM_HELD_GLSL

const uint WINDOW = SINK_CULLS ? PLACES * LANES : SINK_HELD ? 2u * LANES : TABLE; // all, until triangles are tested
const uint LIST = 0u; // over the table
const uint ROOM = TABLE < WINDOW ? WINDOW : TABLE;
#include "include/claim_table.glsl"
#define EMIT_VERTICES WINDOW
#include "include/emit.glsl"
#include "include/record.glsl"

uint claim_window(uint window) { return WINDOW; }
uint claim_listOf(uint window) { return LIST; }

uint emit_id(uint i) { return shTable[claim_at(i)]; }

void claim_keep(uint first, uint slot, uint id, Shaded s) { sink_vertex(first + slot, slot % WINDOW, id, s); }

// The lane's corners whose slots are in the window take their results.
void claim_take(uint place, uint triangles, uint window) {
    if (!SINK_HELD) return;
    lanes_barrier();
    if (!WRITE || SINK_CULLS) return;
    [[unroll]] for (uint t = 0u; t < TRIANGLES; t++) {
        uint triangle = claim_triangle(t);
        if (triangle >= triangles) continue;
        [[unroll]] for (uint c = 0u; c < 3u; c++) {
            uint at = claim_slot(3u * t + c) - window;
            if (at < WINDOW) sink_corner(place + triangle, c, emit_held(at));
        }
    }
}

// Outputs the lane's triangles, if corners have not taken everything.
void claim_end(BatchInput batchInput, uint place, uint triangles, uint first, uint count, uint listed, uint inverse) {
    if (!SINK_QUEUED && !SINK_CULLS) return;
    [[unroll]] for (uint t = 0u; t < TRIANGLES; t++) {
        uint triangle = claim_triangle(t);
        if (triangle < triangles) sink_triangle(batchInput, place + triangle, first, record_slots(claim_records[t]));
    }
    sink_end(batchInput, count);
}

#endif
