// The vertex shader: the vertex's position and what the rasterizer interpolates. It writes
// nothing, so that a pass may run it again (include/refetch.glsl).
#ifndef VERTEX_GLSL
#define VERTEX_GLSL

#include "include/scene.glsl"
#include "include/exact.glsl"
#include "include/light.glsl"
#include "include/shown.glsl"

struct ShadedVertex {
    vec4 posClip;
    uvec2 attributes; // x: counts[] index (counts) or batch (batches); y: RGB8 colour, A8 light;
                      // with VIEW_SHOWN what shown_store returns;
                      // without a view the normal in world space, unit length, three times snorm16;
                      // with CULL until cull:shade x: vertex of the draw; y: draw, or batch (batches)
};

// Values shared by all vertices of a batch.
struct BatchInput {
    uint number; // of the draw
    Draw draw;
    mat4 clip; // model to clip space
    vec3 lightDirection;
};

// Reads the batch's values while control flow is still uniform: CPU drivers then load each word
// once for all lanes. With SOLE they are in a uniform block, for which GPUs need no registers.
BatchInput shade_begin(uint drawIndex) {
    if (!SOLE) return BatchInput(drawIndex, draws[drawIndex], clips[drawIndex], camera.lightDirection.xyz);
    BatchInput sole;
    sole.number = 0u;
    sole.draw.normalRows = camera.normalRows;
    sole.draw.color = camera.color;
    sole.draw.vertexOffset = camera.vertexOffset;
    sole.draw.countOffset = camera.countOffset;
    sole.draw.flags = camera.flags;
    sole.clip = camera.clip;
    sole.lightDirection = camera.lightDirection.xyz;
    return sole;
}

vec3 shade_position(uint vertex) { return vec3(positions[3u * vertex], positions[3u * vertex + 1u], positions[3u * vertex + 2u]); }
vec3 shade_normal(uint vertex) { return vec3(normals[3u * vertex], normals[3u * vertex + 1u], normals[3u * vertex + 2u]); }

// The normal in world space.
vec3 shade_normalWorld(BatchInput batchInput, vec3 normalObject) {
    return vec3(exact_dot(batchInput.draw.normalRows[0].xyz, normalObject),
                exact_dot(batchInput.draw.normalRows[1].xyz, normalObject),
                exact_dot(batchInput.draw.normalRows[2].xyz, normalObject));
}

uvec2 shade_packNormal(vec3 normalWorld) {
    vec3 unit = exact_unit(normalWorld);
    return uvec2(exact_packSnorm16(unit.x) | exact_packSnorm16(unit.y) << 16, exact_packSnorm16(unit.z));
}

// The extra work: a chain that the compiler cannot shorten. Its result is added to the
// output, where it is too small to change a bit of an ordinary position.
float shade_load(float seed) {
    float x = seed;
    for (uint i = 0u; i < LOAD / 4u; i++) x = fma(x, 0.999, 0.001);
    return x * 1e-37;
}

#ifdef SUBDIVIDED
#include "include/loop.glsl"
// The pools have the even vertices of the refined mesh and, after them, the vertices of the
// coarse mesh.
LoopVertex shade_stored(uint vertex) { return LoopVertex(shade_position(vertex), shade_normal(vertex)); }
LoopVertex loop_coarse(uint vertex) { return shade_stored(push.arguments.x + vertex); }
uvec4 loop_edge(uint edge) { return refined_edge(edge); }
const bool SHADE_NORMAL_SHOWN = true;
#else
#include "include/custom.glsl"
const bool SHADE_NORMAL_SHOWN = OUTPUTS == OUTPUTS_NORMAL;
#endif

// The clip-space position of vertex id of the batch's draw. shown is the vertex shader's
// other output: with SHADE_NORMAL_SHOWN the normal in model space.
vec4 shade_run(BatchInput batchInput, uint id, out vec4 shown) {
#ifdef SUBDIVIDED
    LoopVertex v;
    if (id < push.arguments.x) v = shade_stored(id);
    else v = loop_odd(id - push.arguments.x);
    shown = vec4(v.normal, 0.0);
    return exact_transform(batchInput.clip, vec4(v.position, 1.0));
#else
    uint vertex = batchInput.draw.vertexOffset + id;
    shown = vec4(0.0);
    if (UNSHADED && (batchInput.draw.flags & DRAW_UNSHADED) != 0u) return exact_transform(batchInput.clip, vec4(shade_position(vertex), 1.0));
    return custom_vertex(batchInput.number, vertex, id, batchInput.clip, shown);
#endif
}

// The values that the rasterizer interpolates. With CULL, shade_load's result is added here instead
// of to the position.
uvec2 shade_attributes(BatchInput batchInput, uint id, uint batchIndex, vec4 posClip, vec4 shown) {
    Draw draw = batchInput.draw;
    float load = CULL && LOAD > 0u ? shade_load(posClip.x) : 0.0;
    if (VIEW == VIEW_NONE && OUTPUTS == OUTPUTS_NONE) return uvec2(CULL ? exact_packSnorm16(load) : 0u, 0u);
    if (VIEW == VIEW_NONE && OUTPUTS == OUTPUTS_SHOWN) { // all outputs, so that no compiler removes the work for them
        return uvec2(exact_packSnorm16(shown.x + load) | exact_packSnorm16(shown.y) << 16, exact_packSnorm16(shown.z) | exact_packSnorm16(shown.w) << 16);
    }
    if (VIEW == VIEW_VARYING) {
        return shown_store(shown.rgb, (draw.flags & DRAW_DIMMED) != 0u);
    }
    vec3 normalObject = shown.xyz;
    if (!SHADE_NORMAL_SHOWN) normalObject = shade_normal(draw.vertexOffset + id);
    vec3 normalWorld = shade_normalWorld(batchInput, normalObject);
    if (CULL && LOAD > 0u) normalWorld.x += load;
    if (VIEW == VIEW_NONE) return shade_packNormal(normalWorld);
    if (VIEW == VIEW_NORMALS) return shown_store(exact_unit(normalWorld), (draw.flags & DRAW_DIMMED) != 0u);
    return uvec2(VIEW == VIEW_BATCHES ? push.batchNumber + batchIndex : draw.countOffset + id,
                 light_packUnorm8(draw.color.r) | light_packUnorm8(draw.color.g) << 8 | light_packUnorm8(draw.color.b) << 16 |
                     light_packUnorm8(light_stored(draw.flags, light_head(batchInput.lightDirection, normalWorld))) << 24);
}

#endif
