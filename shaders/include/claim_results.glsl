// claim for shade functions: at the end everything has been kept or taken.
#include "include/claim_held.glsl"

uint claim_allocate(uint place, uint triangles, uint count) { return 0u; }
void claim_end(BatchInput batchInput, uint place, uint triangles, uint first, uint count, uint listed, uint inverse) {}
