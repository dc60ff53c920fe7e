// loop: one level of Loop's scheme, on two index streams: the corners of the coarse
// triangles make even vertices, and their edges make odd ones (LOOP_EDGES).
//
// Input   positions[] and tables of the coarse mesh; push.arguments.x: its vertices
// Output  finePositions[]: an even vertex at its number, an odd one at its edge's
//         number behind all vertices. Repeats write the same bits

#include "include/loop.glsl"

layout(binding = BINDING_POSITIONS, std430) readonly buffer Positions { float positions[]; };              // vertices * 3
layout(binding = BINDING_EDGE_ENDS, std430) readonly buffer EdgeEnds { uvec2 edgeEnds[]; };                // by edge: its vertices
layout(binding = BINDING_EDGE_OPPOSITES, std430) readonly buffer EdgeOpposites { uvec2 edgeOpposites[]; }; // by edge: the third vertices of its triangles, or LOOP_NO_VERTEX
layout(binding = BINDING_RING_OFFSETS, std430) readonly buffer RingOffsets { uint ringOffsets[]; };        // by vertex, and one more: where its ring begins << 2 | its kind
layout(binding = BINDING_RINGS, std430) readonly buffer Rings { uint rings[]; };                           // edges * 2: each vertex's neighbours
layout(binding = BINDING_RING_WEIGHTS, std430) readonly buffer RingWeights { vec2 ringWeights[]; };        // by valence: weight of the vertex, of each neighbour
layout(binding = BINDING_FINE_POSITIONS, std430) writeonly buffer FinePositions { float finePositions[]; }; // (vertices + edges) * 3

// The kinds of vertices.
const uint LOOP_SMOOTH = 0u; // no sharp edge
const uint LOOP_CURVE = 1u;  // two sharp edges, whose ends come first in the ring
const uint LOOP_FIXED = 2u;  // does not move

#define Shaded LoopVertex

const bool FUNCTION_CORNERS = false;

LoopVertex loop_coarse(uint vertex) {
    return LoopVertex(vec3(positions[3u * vertex], positions[3u * vertex + 1u], positions[3u * vertex + 2u]), vec3(0.0));
}

uvec4 loop_edge(uint edge) { return uvec4(edgeEnds[edge], edgeOpposites[edge]); }

LoopVertex loop_even(uint vertex) {
    uint word = ringOffsets[vertex];
    uint kind = word & 3u, first = word >> 2, end = ringOffsets[vertex + 1u] >> 2;
    LoopVertex own = loop_coarse(vertex);
    if (kind == LOOP_FIXED) return own;
    vec2 weight = kind == LOOP_CURVE ? vec2(0.75, 0.125) : ringWeights[end - first];
    if (kind == LOOP_CURVE) end = first + 2u;
    LoopVertex sum = loop_coarse(rings[first]);
    for (uint k = first + 1u; k < end; k++) sum = loop_sum(sum, loop_coarse(rings[k]));
    return loop_sum(loop_scaled(own, weight.x), loop_scaled(sum, weight.y));
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
