// loop: one level of Loop's scheme, on two index streams: the corners of the coarse
// triangles make even vertices, and their edges make odd ones (LOOP_EDGES).
//
// Input   positions[] and tables of the coarse mesh (include/loop.glsl);
//         push.arguments.x: its vertices
// Output  finePositions[]: an even vertex at its number, an odd one at its edge's
//         number behind all vertices. Repeats write the same bits

#include "include/loop.glsl"

layout(binding = BINDING_POSITIONS, std430) readonly buffer Positions { float positions[]; };                 // coarse vertices * 3
layout(binding = BINDING_FINE_POSITIONS, std430) writeonly buffer FinePositions { float finePositions[]; }; // (coarse vertices + edges) * 3

#define Shaded LoopVertex

const bool FUNCTION_CORNERS = false;

LoopVertex loop_coarse(uint vertex) {
    return LoopVertex(vec3(positions[3u * vertex], positions[3u * vertex + 1u], positions[3u * vertex + 2u]), vec3(0.0));
}

LoopVertex function_shade(uint id) {
    if (LOOP_EDGES) return loop_odd(id);
    return loop_even(id);
}

void function_keep(uint id, LoopVertex s) {
    uint vertex = LOOP_EDGES ? push.arguments.x + id : id;
    for (uint k = 0u; k < 3u; k++) finePositions[3u * vertex + k] = s.position[k];
}

void function_corner(uint k, LoopVertex s) {}
