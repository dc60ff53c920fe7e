// The sink: the function that shades ids, and what receives its results and the triangles of a
// strategy. The build chooses the sink, for our own shaders in variants.txt:
//
//     without a define   sink_queue.glsl: the vertex shader; vertex and triangle queue
//     FUSED              sink_fused.glsl: the vertex shader; triangles are drawn at once
//     FUNCTION           sink_results.glsl: a shade function; results by id and by corner
//     MESH               sink_mesh.glsl: the vertex shader; a mesh shader's vertices and triangles
//
// Where OWN_VERTEX is defined, the vertex shader is another renderer's own (own.glsl).
//
// Every sink has, for all strategies:
//
//     struct Shaded                                what shading an id yields
//     BatchInput shade_begin(draw)                 what all ids of a batch share
//     Shaded shade_id(batchInput, id, batchIndex)  shades an id, and adds 1 to its count
//     void sink_begin(triangle, triangles, place, vertices)
//                                                  is called by the whole group before its first result, for mesh shaders only: the
//                                                  batch has `triangles` triangles, from `triangle` of the stream on, and at most
//                                                  `vertices` results, from place on
//     uint sink_place(triangle)                    the place of a triangle of the stream
//     void sink_cooperated(indices)                adds to a statistic of phash
//     void sink_refuse()                           with OWN_VERTEX: is called instead of all others if the strategy cannot take the
//                                                  constants. Our own host checks them (geometry/reuse/limits.go)
//
// for strategies that shade corners for themselves alone:
//
//     SINK_ALONE                                        corners that one invocation takes: 1 or 3
//     void sink_alone(batchInput, batchIndex, place, corner, k)
//                                                       takes SINK_ALONE corners of a triangle, from corner k of the stream on
//
// and for strategies that give the unique ids of a group slots (emit.glsl, claim.glsl), which
// hold results until corners take them (emit_hold, emit_held):
//
//     SINK_QUEUED, SINK_HELD, SINK_CULLS           results have places in a queue; are held; are used to cull triangles
//     uint sink_allocate(count)                    the first of so many places, if SINK_QUEUED
//     void sink_vertex(place, i, id, result)       keeps or holds the result of slot i
//     void sink_triangle(batchInput, place, base, slots)
//                                                  takes a triangle by the slots of its corners; the result of slot 0 is at base
//     void sink_end(batchInput, count)             is called by the whole group once it has put out its triangles
#ifndef SINK_GLSL
#define SINK_GLSL

#include "include/group.glsl"

#if defined(MESH) && defined(STRATEGY_NO_MESH)
#error MESH: this strategy does not know what a batch puts out before it has shaded it
#endif
#if defined(FUSED) && defined(STRATEGY_NO_FUSED)
#error FUSED: this strategy shades whole draws before it takes a triangle
#endif

// The chosen sink. It declares what strategies hold results in: see emit.glsl.
#ifdef FUNCTION
#include "include/sink_results.glsl"
#elif defined(FUSED)
#include "include/sink_fused.glsl"
#elif defined(MESH)
#include "include/sink_mesh.glsl"
#else
#include "include/sink_queue.glsl"
#endif
#ifndef MESH
#define sink_begin(triangle, triangles, place, vertices)
#endif

#endif
