// Loop's scheme: what a vertex of the refined mesh is in terms of the coarse one. Even
// vertices are those of the coarse mesh, moved; odd vertices are those of its edges.
//
// Input   vertices and edges of the coarse mesh: loop_coarse and loop_edge, which the
//         shader that includes this file defines
// Output  a vertex of the refined mesh. Sums run in the order of the reference,
//         apps/subdivide/loop.go, so that both have the same bits
// Source  C. Loop, Smooth Subdivision Surfaces Based on Triangles, 1987; paper,
//         section 6.1
#ifndef LOOP_GLSL
#define LOOP_GLSL

const uint LOOP_NO_VERTEX = 0xffffffffu;

// The attributes that the scheme averages. Users without normals leave them zero.
struct LoopVertex {
    vec3 position;
    vec3 normal;
};

LoopVertex loop_coarse(uint vertex); // of the coarse mesh
uvec4 loop_edge(uint edge);          // its two vertices, and the third vertices of its two triangles; z and w are LOOP_NO_VERTEX if it is sharp

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

// The vertex of an edge.
LoopVertex loop_odd(uint edge) {
    uvec4 of = loop_edge(edge);
    LoopVertex near = loop_sum(loop_coarse(of.x), loop_coarse(of.y));
    if (of.w == LOOP_NO_VERTEX) return loop_scaled(near, 0.5);
    LoopVertex far = loop_sum(loop_coarse(of.z), loop_coarse(of.w));
    return loop_sum(loop_scaled(near, 0.375), loop_scaled(far, 0.125));
}

#endif
