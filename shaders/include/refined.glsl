// The index stream of a mesh that is subdivided while it is drawn, and never stored:
// indices[] are those of the coarse mesh. Its triangle t becomes triangles 4t to 4t+3: one at
// each corner, and one between these.
//
// Input   indices[], triangleEdges[], edgeCorners[]; push.arguments.x: vertices of the
//         coarse mesh
// Output  ids: those below that number are coarse vertices, the others edges
#ifndef REFINED_GLSL
#define REFINED_GLSL

layout(binding = BINDING_TRIANGLE_EDGES, std430) readonly buffer TriangleEdges { uint triangleEdges[]; }; // triangles * 3: from corner 0 to 1, 1 to 2, 2 to 0
layout(binding = BINDING_EDGE_CORNERS, std430) readonly buffer EdgeCorners { uvec2 edgeCorners[]; };      // by edge: the corner where it begins in each of its two triangles; y is REFINED_NONE if it is sharp

const uint REFINED_NONE = 0xffffffffu;

// (i0, e0, e2) (i1, e1, e0) (i2, e2, e1) (e0, e1, e2)
uint stream_index(uint i) {
    uint first = i / 12u * 3u; // of the coarse triangle
    uint part = i % 12u / 3u, corner = i % 3u;
    if (part < 3u && corner == 0u) return indices[first + part];
    uint edge = part == 3u ? corner : (part + (corner == 1u ? 0u : 2u)) % 3u;
    return push.arguments.x + triangleEdges[first + edge];
}

// The corner after one in its triangle.
uint refined_next(uint corner) { return corner % 3u == 2u ? corner - 2u : corner + 1u; }

// The two vertices of an edge, and the third vertices of its two triangles; w is
// REFINED_NONE if the edge is sharp.
uvec4 refined_edge(uint edge) {
    uvec2 corners = edgeCorners[edge];
    uint second = refined_next(corners.x);
    uvec4 of = uvec4(indices[corners.x], indices[second], indices[refined_next(second)], REFINED_NONE);
    if (corners.y != REFINED_NONE) of.w = indices[refined_next(refined_next(corners.y))];
    return of;
}

#endif
