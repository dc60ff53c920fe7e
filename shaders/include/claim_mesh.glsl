// claim for a mesh shader, which puts out as many vertices as there are slots.
#include "include/claim_held.glsl"

uint claim_allocate(uint place, uint triangles, uint count) {
    sink_begin(place, triangles, 0u, count);
    return 0u;
}

// Puts out the lane's triangles.
void claim_end(BatchInput batchInput, uint place, uint triangles, uint first, uint count, uint listed, uint inverse) {
    if (!SINK_QUEUED) return;
    [[unroll]] for (uint t = 0u; t < TRIANGLES; t++) {
        uint triangle = claim_triangle(t);
        if (triangle < triangles) mesh_triangle(place + triangle, record_slots(claim_records[t]));
    }
}
