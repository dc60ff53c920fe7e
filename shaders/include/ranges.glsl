// Finds the draw of a triangle of the stream.
#ifndef RANGES_GLSL
#define RANGES_GLSL

#include "include/batching.glsl"

layout(binding = BINDING_DRAW_RANGES, std430) readonly buffer DrawRanges { DrawRange drawRanges[]; }; // draws + 1

uint ranges_lastDraw() { return uint(drawRanges.length()) - 2u; }

// The draw of a triangle, known to be among first..last, by binary search. Draws
// without triangles are never found.
uint ranges_draw(uint triangle, uint first, uint last) {
    while (first < last) {
        uint middle = (first + last + 1u) / 2u;
        if (drawRanges[middle].firstTriangle <= triangle) {
            first = middle;
        } else {
            last = middle - 1u;
        }
    }
    return first;
}

// Where a triangle's first index is in the pool.
uint ranges_firstIndex(uint triangle, uint draw) {
    return drawRanges[draw].firstIndex + 3u * (triangle - drawRanges[draw].firstTriangle);
}

#endif
