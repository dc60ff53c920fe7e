// A matrix times a point.
#ifndef TRANSFORM_GLSL
#define TRANSFORM_GLSL

// Sums are spelled out and precise, so that every strategy and the CPU compute
// the same bits: a strategy must not change a pixel.
vec4 transform_point(mat4 m, vec4 p) {
    precise vec4 q;
    q.x = ((m[0].x * p.x + m[1].x * p.y) + m[2].x * p.z) + m[3].x * p.w;
    q.y = ((m[0].y * p.x + m[1].y * p.y) + m[2].y * p.z) + m[3].y * p.w;
    q.z = ((m[0].z * p.x + m[1].z * p.y) + m[2].z * p.z) + m[3].z * p.w;
    q.w = ((m[0].w * p.x + m[1].w * p.y) + m[2].w * p.z) + m[3].w * p.w;
    return q;
}

#endif
