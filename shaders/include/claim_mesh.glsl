// claim for a mesh shader, which puts out as many vertices as there are slots.
#include "include/claim_held.glsl"

uint claim_allocate(uint place, uint triangles, uint count) {
    sink_begin(place, triangles, 0u, count);
    emit_clear();
    return 0u;
}
