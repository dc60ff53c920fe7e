// What ids are shaded with, and where the results go: the vertex shader and the queues
// of rendering, or, where FUNCTION is defined, the shade function that it names.
#ifndef SINK_GLSL
#define SINK_GLSL

// Both files below have, for the strategies:
//
//     struct Shaded                       what shading an id yields
//     BatchInput shade_begin(draw)        what all ids of a batch share
//     Shaded shade_id(input, id, batch)   shades an id, and counts that
//     SINK_QUEUED                         results have places in a queue
//     SINK_HELD                           results are held until their corners take them
//     sink_keep(place, id, result)        takes a result, for its place if SINK_QUEUED
//     sink_corner(triangle, c, result)    takes the result of a triangle's corner, if SINK_HELD
//     sink_alone(triangle, c, id, result) takes a result of which no other corner knows
//     sink_record(triangle, base, slots)  takes where a triangle's results are, if SINK_QUEUED
//     queue_*                             places in the queue, if SINK_QUEUED
#ifdef FUNCTION
#include "include/function.glsl"
#else
#include "include/queue.glsl"
#endif

#endif
