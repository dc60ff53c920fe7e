// claim for shade functions, which need no queue slots.
#include "include/claim_held.glsl"

uint claim_allocate(uint place, uint triangles, uint count) { return 0u; }
