// Macros that contradict each other stop the compiler here: without an error such a shader would draw
// nothing, or the wrong thing. docs/embedding.md has every line that compiles.
#ifndef DEFINES_GLSL
#define DEFINES_GLSL

#if defined(FUSED) && defined(MESH) || defined(FUNCTION) && (defined(FUSED) || defined(MESH))
#error FUSED, MESH and FUNCTION are three sinks: define one of them
#endif
#if defined(OWN_VERTEX) && (defined(FUNCTION) || defined(SUBDIVIDED) || defined(VARYING) || defined(WITH_TEXTURES) || defined(NARROW))
#error OWN_VERTEX excludes FUNCTION, SUBDIVIDED, VARYING, WITH_TEXTURES and NARROW
#endif
#if defined(FUSED) && defined(NARROW)
#error FUSED needs 64-bit atomics, which NARROW does without
#endif
#if defined(OWN_VERTEX) && defined(MESH) != defined(OWN_BATCH) || defined(OWN_BATCH) && !defined(OWN_VERTEX)
#error MESH with OWN_VERTEX needs OWN_BATCH, the largest batch in indices; nothing else has it
#endif
#ifdef OWN_BATCH
#if OWN_BATCH > 255
#error OWN_BATCH is at most 255: a mesh shader has 256 vertices on every device, and a batch has as many as indices
#endif
#endif

#endif
