// What geometry/claim.comp does once its ids have slots, for each sink (include/sink.glsl):
//
//     WINDOW      slots whose ids are listed at once
//     LIST, ROOM  where a subgroup's words list them, and how many words it has. TABLE must not be
//                 less than 2 * LANES, nor than half of PLACES * LANES
//     uint claim_allocate(place, triangles, count)  the first of the batch's places for count results
//     void claim_keep(first, slot, id, result)      keeps or holds the result of a slot
//     void claim_take(place, triangles, window)     has corners take the results of a window
//     void claim_end(batchInput, place, triangles, first, count, listed, inverse)
//                                                   puts out the lane's triangles
#ifndef CLAIM_GLSL
#define CLAIM_GLSL

#ifdef FUNCTION
#include "include/claim_results.glsl"
#elif defined(FUSED)
#include "include/claim_fused.glsl"
#elif defined(MESH)
#include "include/claim_mesh.glsl"
#else
#include "include/claim_queue.glsl"
#endif

#endif
