// Marks of the vertices whose triangles survived. A mark names the pass that
// made it, so that none has to be cleared within a frame.
#ifndef MARKS_GLSL
#define MARKS_GLSL


uint marks_epoch(uint chunk) { return 2u * chunk + 1u + PHASE; }

#endif
