// Shade functions other than the vertex shader, on index streams that need not be
// meshes. A pass defines FUNCTION as one of these numbers.
#ifndef FUNCTION_GLSL
#define FUNCTION_GLSL

#include "include/stream.glsl"

#define FUNCTION_LENGTH 1 // functions/length.glsl: an edge's length, the example
#define FUNCTION_LOOP 2
#define FUNCTION_ENVELOPE 3
#define FUNCTION_WALK 4
#define FUNCTION_OWN 5    // functions/own.glsl, which is not here: from an include folder of your own

// functions/NAME.glsl has what package apps calls a Pass in Go:
//
//     #define Shaded NAME_Result                what shading an id yields: a struct
//     const bool FUNCTION_CORNERS               whether corners take results
//     Shaded function_shade(uint id)            runs once per unique id of a batch
//     void function_keep(uint id, Shaded s)     writes what is kept by id: the same bits each time
//     void function_corner(uint k, Shaded s)    corner k of the stream takes its id's result
//
// It may read stream_index(k), and push.arguments, which are its own.
#if FUNCTION == FUNCTION_LENGTH
#include "functions/length.glsl"
#elif FUNCTION == FUNCTION_LOOP
#include "functions/loop.glsl"
#elif FUNCTION == FUNCTION_ENVELOPE
#include "functions/envelope.glsl"
#elif FUNCTION == FUNCTION_WALK
#include "functions/walk.glsl"
#elif FUNCTION == FUNCTION_OWN
#include "functions/own.glsl"
#else
#error FUNCTION is none of the numbers above
#endif

#endif
