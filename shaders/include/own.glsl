// A vertex shader of another renderer's own, in place of include/vertex.glsl. Its build
// defines OWN_VERTEX and has own/vertex.glsl in an include folder, with these hooks:
//
//     struct OwnVertex                         what shading a vertex yields
//     OwnVertex own_shade(uint draw, uint id)  shades vertex id of a draw: once per unique
//                                              vertex of a batch
//     void own_emit(uint place, OwnVertex v)   writes it to its place in a vertex queue, which
//                                              is a buffer of one's own; with MESH to the
//                                              outputs of that index
//     vec4 own_place(uint draw, uint id)       clip position alone, which is all that FUSED
//                                              asks for. Passes that draw ask again, so it
//                                              must not count or write
//     uint own_first(uint draw)                where counts[] has the draw's vertex 0
//
// draw is the draw of the batch (batches[]), id an element of indices[]. push.arguments, the
// bindings from BINDING_OWN on and all other descriptor sets are free for the hooks.
// docs/embedding.md has an example, and says what to bind and to dispatch.
#ifndef OWN_GLSL
#define OWN_GLSL

#include "include/stream.glsl"
#include "own/vertex.glsl"

struct BatchInput {
    uint draw;
};

BatchInput shade_begin(uint draw) { return BatchInput(draw); }

#endif
