// Loop's scheme: what a vertex of the refined mesh is in terms of the coarse one. Even
// vertices are those of the coarse mesh, moved; odd vertices are those of its edges.
//
// Input   tables of the coarse mesh (geometry/apps/subdivide), and a value per vertex
//         of it: loop_value, which the shader that includes this file defines
// Output  the value of a refined vertex. Sums run in the order of the reference,
//         geometry/apps/subdivide/loop.go, so that both have the same bits
// Source  C. Loop, Smooth Subdivision Surfaces Based on Triangles, 1987; paper,
//         section 6.1
#ifndef LOOP_GLSL
#define LOOP_GLSL

#include "include/interface.glsl"

const uint LOOP_NO_VERTEX = 0xffffffffu;

layout(binding = BINDING_EDGE_ENDS, std430) readonly buffer EdgeEnds { uvec2 edgeEnds[]; };                // by edge: its vertices
layout(binding = BINDING_EDGE_OPPOSITES, std430) readonly buffer EdgeOpposites { uvec2 edgeOpposites[]; }; // by edge: the third vertices of its triangles; LOOP_NO_VERTEX where it is sharp
layout(binding = BINDING_RING_OFFSETS, std430) readonly buffer RingOffsets { uint ringOffsets[]; };        // vertices + 1: place of its first neighbour << 2 | LOOP_SMOOTH, ..
layout(binding = BINDING_RINGS, std430) readonly buffer Rings { uint rings[]; };                           // edges * 2: each vertex's neighbours
layout(binding = BINDING_RING_WEIGHTS, std430) readonly buffer RingWeights { vec2 ringWeights[]; };        // by valence: of the vertex, of each neighbour

// The kinds of coarse vertices.
const uint LOOP_SMOOTH = 0u; // no sharp edge
const uint LOOP_CURVE = 1u;  // two sharp edges; their ends come first in the ring
const uint LOOP_FIXED = 2u;  // stays

// The value of a coarse vertex: which one, where there are several.
vec3 loop_value(uint vertex, uint which);

vec3 loop_even(uint vertex, uint which) {
    uint word = ringOffsets[vertex];
    uint kind = word & 3u, first = word >> 2, end = ringOffsets[vertex + 1u] >> 2;
    vec3 own = loop_value(vertex, which);
    if (kind == LOOP_FIXED) return own;
    precise vec3 sum = loop_value(rings[first], which);
    if (kind == LOOP_CURVE) {
        sum = sum + loop_value(rings[first + 1u], which);
        precise vec3 curve = own * 0.75 + sum * 0.125;
        return curve;
    }
    for (uint k = first + 1u; k < end; k++) sum = sum + loop_value(rings[k], which);
    vec2 weight = ringWeights[end - first];
    precise vec3 moved = own * weight.x + sum * weight.y;
    return moved;
}

vec3 loop_odd(uint edge, uint which) {
    uvec2 ends = edgeEnds[edge], opposites = edgeOpposites[edge];
    precise vec3 near = loop_value(ends.x, which) + loop_value(ends.y, which);
    if (opposites.x == LOOP_NO_VERTEX) {
        precise vec3 middle = near * 0.5;
        return middle;
    }
    precise vec3 far = loop_value(opposites.x, which) + loop_value(opposites.y, which);
    precise vec3 made = near * 0.375 + far * 0.125;
    return made;
}

// The value of a refined vertex. vertices is how many the coarse mesh has.
vec3 loop_vertex(uint id, uint vertices, uint which) {
    if (id < vertices) return loop_even(id, which);
    return loop_odd(id - vertices, which);
}

#endif
