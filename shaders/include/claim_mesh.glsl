// claim for a mesh shader, which outputs a vertex per slot.
#include "include/claim_held.glsl"

uint claim_allocate(uint place, uint triangles, uint count) {
    sink_begin(place, triangles, 0u, count);
    emit_clear();
    return 0u;
}
