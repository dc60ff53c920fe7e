// Marks of the vertices whose triangles survived. A mark names the pass that
// made it, so that none has to be cleared within a frame.
#ifndef MARKS_GLSL
#define MARKS_GLSL

layout(constant_id = 32) const uint PHASE = 0u;    // 0: the chunk is counted ahead of the drawing; 1: it is drawn
layout(constant_id = 33) const bool TALLY = false; // keep cullCounts[]

uint marks_epoch(uint chunk) { return 2u * chunk + 1u + PHASE; }

#endif
