// Marks of the vertices whose triangles survive culling. A mark encodes the chunk and the
// phase in which it was made, so that none has to be cleared within a frame.
#ifndef MARKS_GLSL
#define MARKS_GLSL

#include "include/interface.glsl"

#ifdef OWN_VERTEX
#error OWN_VERTEX: shaders of other renderers are not culled
#endif

uint marks_epoch(uint chunk) { return 2u * chunk + 1u + PHASE; }

#endif
