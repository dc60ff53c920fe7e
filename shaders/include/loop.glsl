// Loop's scheme: what a vertex of the refined mesh is in terms of the coarse one. Even
// vertices are those of the coarse mesh, moved; odd vertices are those of its edges.
//
// Input   tables of the coarse mesh (geometry/apps/subdivide), and its vertices:
//         loop_coarse, which the shader that includes this file defines
// Output  a vertex of the refined mesh. Sums run in the order of the reference,
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

// What the scheme weighs of vertices. Who needs no normals leaves them zero.
struct LoopVertex {
    vec3 position;
    vec3 normal;
};

LoopVertex loop_coarse(uint vertex); // of the coarse mesh

LoopVertex loop_sum(LoopVertex a, LoopVertex b) {
    precise LoopVertex sum;
    sum.position = a.position + b.position;
    sum.normal = a.normal + b.normal;
    return sum;
}

LoopVertex loop_scaled(LoopVertex a, float by) {
    precise LoopVertex scaled;
    scaled.position = a.position * by;
    scaled.normal = a.normal * by;
    return scaled;
}

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

LoopVertex loop_odd(uint edge) {
    uvec2 ends = edgeEnds[edge], opposites = edgeOpposites[edge];
    LoopVertex near = loop_sum(loop_coarse(ends.x), loop_coarse(ends.y));
    if (opposites.x == LOOP_NO_VERTEX) return loop_scaled(near, 0.5);
    LoopVertex far = loop_sum(loop_coarse(opposites.x), loop_coarse(opposites.y));
    return loop_sum(loop_scaled(near, 0.375), loop_scaled(far, 0.125));
}

// A refined vertex. vertices is how many the coarse mesh has.
LoopVertex loop_vertex(uint id, uint vertices) {
    if (id < vertices) return loop_even(id);
    return loop_odd(id - vertices);
}

#endif
