// The vertex shader that a strategy runs once a unique vertex.
#ifndef SHADE_GLSL
#define SHADE_GLSL

#include "include/scene.glsl"

layout(constant_id = 3) const uint VIEW = VIEW_COUNTS;
layout(constant_id = 4) const bool COUNT = true; // keep shading counts
layout(constant_id = 10) const uint LOAD = 0u;   // extra work: LOAD / 4 dependent multiply-adds, about LOAD cycles

layout(set = 0, binding = 6, std430) buffer Counts { uint counts[]; }; // times shaded, one a (draw, vertex) pair

struct ShadedVertex {
    vec4 posClip;
    uvec2 attributes; // x: counts[] index (counts) or batch (batches); y: RGB8 colour, A8 light
};

// What all vertices of a batch share.
struct BatchInput {
    Draw draw;
    mat4 viewProj;
    vec3 lightDirection;
};

// Reads it once, where control flow is still uniform: CPU drivers then load each
// word once for all lanes.
BatchInput shade_begin(uint drawIndex) {
    return BatchInput(draws[drawIndex], camera.viewProj, camera.lightDirection.xyz);
}

// Sums are spelled out and precise, so that every strategy and the CPU compute
// the same bits: a strategy must not change a pixel.
vec4 shade_transform(mat4 m, vec4 p) {
    precise vec4 q;
    q.x = ((m[0].x * p.x + m[1].x * p.y) + m[2].x * p.z) + m[3].x * p.w;
    q.y = ((m[0].y * p.x + m[1].y * p.y) + m[2].y * p.z) + m[3].y * p.w;
    q.z = ((m[0].z * p.x + m[1].z * p.y) + m[2].z * p.z) + m[3].z * p.w;
    q.w = ((m[0].w * p.x + m[1].w * p.y) + m[2].w * p.z) + m[3].w * p.w;
    return q;
}

float shade_dot(vec3 a, vec3 b) {
    precise float d = (a.x * b.x + a.y * b.y) + a.z * b.z;
    return d;
}

// Headlight, two-sided, 0.25..1.
float shade_light(BatchInput batchInput, uint vertex) {
    vec3 normalObject = vec3(normals[3u * vertex], normals[3u * vertex + 1u], normals[3u * vertex + 2u]);
    vec3 normalWorld = vec3(shade_dot(batchInput.draw.normalRows[0].xyz, normalObject),
                            shade_dot(batchInput.draw.normalRows[1].xyz, normalObject),
                            shade_dot(batchInput.draw.normalRows[2].xyz, normalObject));
    float lengthSquared = max(shade_dot(normalWorld, normalWorld), 1e-30);
    float facing = abs(shade_dot(normalWorld, batchInput.lightDirection)) / sqrt(lengthSquared);
    return 0.25 + 0.75 * min(facing, 1.0);
}

// The load: a chain that the compiler cannot shorten, and whose result reaches
// the output, where it is too small to change a bit of an ordinary position.
float shade_load(float seed) {
    float x = seed;
    for (uint i = 0u; i < LOAD / 4u; i++) x = fma(x, 0.999, 0.001);
    return x * 1e-37;
}

uint shade_packUnorm8(float x) { return uint(clamp(x, 0.0, 1.0) * 255.0 + 0.5); }

// Shades vertex id of the batch's draw.
ShadedVertex shade_vertex(BatchInput batchInput, uint id, uint batchIndex) {
    Draw draw = batchInput.draw;
    if (COUNT) atomicAdd(counts[draw.countOffset + id], 1u);
    uint vertex = draw.vertexOffset + id;
    vec4 posObject = vec4(positions[3u * vertex], positions[3u * vertex + 1u], positions[3u * vertex + 2u], 1.0);
    ShadedVertex v;
    v.attributes = uvec2(0u);
    v.posClip = shade_transform(batchInput.viewProj, shade_transform(draw.transform, posObject));
    if (LOAD > 0u) v.posClip.w += shade_load(posObject.x);
    if (VIEW == VIEW_NONE) return v;
    v.attributes.x = VIEW == VIEW_BATCHES ? batchIndex : draw.countOffset + id;
    v.attributes.y = shade_packUnorm8(draw.color.r) | shade_packUnorm8(draw.color.g) << 8 |
                    shade_packUnorm8(draw.color.b) << 16 | shade_packUnorm8(shade_light(batchInput, vertex)) << 24;
    return v;
}

#endif
