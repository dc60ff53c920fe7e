// claim for shade functions: by then all is kept or taken.
#include "include/claim_held.glsl"

uint claim_allocate(uint place, uint triangles, uint count) { return 0u; }
void claim_end(BatchInput batchInput, uint place, uint triangles, uint first, uint count, uint listed, uint inverse) {}
