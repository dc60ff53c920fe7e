// The vertex shader that a strategy runs once a unique vertex.
#ifndef SHADE_GLSL
#define SHADE_GLSL

#include "include/scene.glsl"
#include "include/exact.glsl"
#include "include/light.glsl"
#include "include/skin.glsl"
#include "include/displace.glsl"

layout(constant_id = 3) const uint VIEW = VIEW_COUNTS;
layout(constant_id = 4) const bool COUNT = true; // keep shading counts
layout(constant_id = 10) const uint LOAD = 0u;   // extra work: LOAD / 4 dependent multiply-adds, about LOAD cycles
layout(constant_id = 20) const uint VERTEX_SHADER = VERTEX_TRANSFORM;
const bool HAS_ATTRIBUTES = VIEW != VIEW_NONE || VERTEX_SHADER != VERTEX_TRANSFORM;

layout(set = 0, binding = 6, std430) buffer Counts { uint counts[]; }; // times shaded, one a (draw, vertex) pair

struct ShadedVertex {
    vec4 posClip;
    uvec2 attributes; // x: counts[] index (counts) or batch (batches); y: RGB8 colour, A8 light;
                      // without a view the normal in world space, unit length, three times snorm16
};

// What all vertices of a batch share.
struct BatchInput {
    Draw draw;
    mat4 clip; // model to clip space
    vec3 lightDirection;
};

// Reads it once, where control flow is still uniform: CPU drivers then load each
// word once for all lanes.
BatchInput shade_begin(uint drawIndex) {
    return BatchInput(draws[drawIndex], clips[drawIndex], camera.lightDirection.xyz);
}

vec3 shade_normal(uint vertex) { return vec3(normals[3u * vertex], normals[3u * vertex + 1u], normals[3u * vertex + 2u]); }

// Of the normal that the vertex shader left; one that only transforms reads it
// here, no sooner than it is needed.
vec3 shade_normalWorld(BatchInput batchInput, uint vertex, vec3 normalObject) {
    if (VERTEX_SHADER == VERTEX_TRANSFORM) normalObject = shade_normal(vertex);
    return vec3(exact_dot(batchInput.draw.normalRows[0].xyz, normalObject),
                exact_dot(batchInput.draw.normalRows[1].xyz, normalObject),
                exact_dot(batchInput.draw.normalRows[2].xyz, normalObject));
}

uvec2 shade_packNormal(vec3 normalWorld) {
    vec3 unit = exact_unit(normalWorld);
    return uvec2(exact_packSnorm16(unit.x) | exact_packSnorm16(unit.y) << 16, exact_packSnorm16(unit.z));
}

// The load: a chain that the compiler cannot shorten, and whose result reaches
// the output, where it is too small to change a bit of an ordinary position.
float shade_load(float seed) {
    float x = seed;
    for (uint i = 0u; i < LOAD / 4u; i++) x = fma(x, 0.999, 0.001);
    return x * 1e-37;
}

// Shades vertex id of the batch's draw.
ShadedVertex shade_vertex(BatchInput batchInput, uint id, uint batchIndex) {
    Draw draw = batchInput.draw;
    if (COUNT) atomicAdd(counts[draw.countOffset + id], 1u);
    uint vertex = draw.vertexOffset + id;
    vec4 posObject = vec4(positions[3u * vertex], positions[3u * vertex + 1u], positions[3u * vertex + 2u], 1.0);
    vec3 normalObject;
    if (VERTEX_SHADER != VERTEX_TRANSFORM) normalObject = shade_normal(vertex);
    if (VERTEX_SHADER == VERTEX_SKIN) skin_pose(vertex, posObject, normalObject);
    if (VERTEX_SHADER == VERTEX_DISPLACE) displace_surface(posObject, normalObject);
    ShadedVertex v;
    v.attributes = uvec2(0u);
    v.posClip = exact_transform(batchInput.clip, posObject);
    if (LOAD > 0u) v.posClip.w += shade_load(posObject.x);
    if (!HAS_ATTRIBUTES) return v;
    if (VIEW == VIEW_NONE) {
        v.attributes = shade_packNormal(shade_normalWorld(batchInput, vertex, normalObject));
        return v;
    }
    v.attributes.x = VIEW == VIEW_BATCHES ? push.batchNumber + batchIndex : draw.countOffset + id;
    v.attributes.y = light_packUnorm8(draw.color.r) | light_packUnorm8(draw.color.g) << 8 |
                    light_packUnorm8(draw.color.b) << 16 |
                    light_packUnorm8(light_head(batchInput.lightDirection, shade_normalWorld(batchInput, vertex, normalObject))) << 24;
    return v;
}

#endif
