// What ids are shaded with, and where the results go: the vertex shader and the queues
// of rendering; where FUSED is defined, the vertex shader and the rasterizer; where
// FUNCTION is defined, the shade function that it names. Where OWN_VERTEX is defined,
// the vertex shader is another renderer's own (include/own.glsl).
#ifndef SINK_GLSL
#define SINK_GLSL

// All files below have, for the strategies:
//
//     struct Shaded                       what shading an id yields
//     BatchInput shade_begin(draw)        what all ids of a batch share
//     Shaded shade_id(input, id, batch)   shades an id, and counts that; if SINK_CULLS, only places it
//     SINK_QUEUED                         results have places in a queue
//     SINK_HELD                           results are held until their corners take them
//     SINK_DRAWN                          those of a batch are held until its triangles take them
//     SINK_CULLS                          triangles of drawn results are tested, and ids of those that survive shaded
//     sink_keep(place, id, result)        takes a result, for its place if SINK_QUEUED
//     sink_corner(triangle, c, result)    takes the result of a triangle's corner, if SINK_HELD
//     sink_triangle(triangle, a, b, c)    takes the results of a triangle's corners, if SINK_DRAWN
//     sink_shows(a, b, c)                 whether a triangle of these results has to be taken
//     sink_survives(input, a, b, c)       the same if SINK_CULLS, asked once of every triangle
//     sink_shade(input, id)               shades an id that was placed, if SINK_CULLS
//     sink_alone(triangle, c, id, result) takes a result of which no other corner knows
//     sink_record(triangle, base, slots)  takes where a triangle's results are, if SINK_QUEUED
//     queue_*                             places in the queue, if SINK_QUEUED
#ifdef FUNCTION
#include "include/function.glsl"
#elif defined(FUSED)
#include "include/fused.glsl"
#else
#include "include/queue.glsl"
#endif

// Shades the corners of a triangle, each for itself alone, from place k of the stream on.
void sink_shadeTriangle(BatchInput batchInput, uint batchIndex, uint place, uint k) {
    Shaded s[3];
    uint ids[3];
    for (uint corner = 0u; corner < 3u; corner++) {
        ids[corner] = stream_index(k + corner);
        s[corner] = shade_id(batchInput, ids[corner], batchIndex);
        if (!SINK_DRAWN) sink_alone(place, corner, ids[corner], s[corner]);
    }
    if (SINK_CULLS) {
        if (!sink_survives(batchInput, s[0], s[1], s[2])) return;
        for (uint corner = 0u; corner < 3u; corner++) sink_shade(batchInput, ids[corner]);
    }
    if (SINK_DRAWN) sink_triangle(place, s[0], s[1], s[2]);
}

#endif
