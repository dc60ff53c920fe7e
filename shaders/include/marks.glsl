// Marks of the vertices whose triangles survive culling. A mark tells the chunk and
// the phase that it was made in, so that none has to be cleared within a frame.
#ifndef MARKS_GLSL
#define MARKS_GLSL

#include "include/interface.glsl"

uint marks_epoch(uint chunk) { return 2u * chunk + 1u + PHASE; }

#endif
