// The texture of a triangle of the stream at a pixel, and whether the pixel is dropped, for passes without varyings.
#ifndef TEXTURED_GLSL
#define TEXTURED_GLSL

#include "include/setup.glsl"
#include "include/exact.glsl"
#include "include/weights.glsl"

// Whether pixels within a triangle may be dropped.
const bool DROPS = MASKED || DISTANCED;

#if defined(OWN_VERTEX) || defined(SUBDIVIDED)
// Meshes that are subdivided while they are drawn, and other renderers, have no textures and drop no pixels here.
struct Textured { uint material; };
Textured textured_find(uint triangle) { return Textured(0u); }
bool textured_drops(Textured t, uvec2 pixel) { return false; }
vec3 textured_color(Textured t, uvec2 pixel) { return vec3(0.0); }
#else
#include "include/texture.glsl"
#include "include/distances.glsl"

#ifndef FUSED
layout(binding = BINDING_INDICES, std430) readonly buffer Indices { uint indices[]; };
layout(binding = BINDING_BATCHES, std430) readonly buffer Batches { Batch batches[]; };
layout(binding = BINDING_DRAWS, std430) readonly buffer Draws { Draw draws[]; };
#endif

// A triangle's corners in clip space and in texture coordinates.
struct Textured {
    uint material; // 1 + its index; 0: no texture
    uvec3 corners; // indices of the corners' first distances in distances[]
    bool culled;
    vec4 p0, p1, p2;
    vec2 t0, t1, t2;
};

#ifndef FUSED
#include "include/find.glsl"
#endif

Textured textured_find(uint triangle) {
    Textured t;
#ifdef FUSED
    Refetched found = refetch_find(triangle);
    uvec3 ids = found.ids;
#else
    Found found = find_triangle(triangle);
    uvec3 ids = uvec3(indices[found.firstIndex], indices[found.firstIndex + 1u], indices[found.firstIndex + 2u]);
#endif
    t.material = draws[found.draw].material;
    if (t.material == 0u && !DISTANCED) return t;
#ifdef FUSED
    refetch_positions(shade_begin(found.draw), ids, t.p0, t.p1, t.p2);
#else
    raster_positions(triangle, t.p0, t.p1, t.p2);
#endif
    t.corners = distances_corners(draws[found.draw], ids);
    t.culled = distances_cull(t.corners);
    if (t.material == 0u) return t;
    Material m = materials[t.material - 1u];
    uvec3 vertices = draws[found.draw].vertexOffset + ids;
    t.t0 = texture_vertex(m, vertices.x);
    t.t1 = texture_vertex(m, vertices.y);
    t.t2 = texture_vertex(m, vertices.z);
    return t;
}

// Interpolates a triangle's texture coordinates at a pixel's centre, and samples the level that
// suits the pixel.
uvec4 textured_sample(Textured t, Material m, uvec2 pixel) {
    Weights w = weights_at(t.p0, t.p1, t.p2, pixel);
    float sum = exact_dot(w.corners, vec3(1.0));
    if (sum < WEIGHTS_LEAST) return texture_sample(m, t.t0, 0u);
    float inverse = setup_reciprocal(sum);
    vec3 us = vec3(t.t0.x, t.t1.x, t.t2.x);
    vec3 vs = vec3(t.t0.y, t.t1.y, t.t2.y);
    precise vec2 uv = vec2(exact_dot(w.corners, us), exact_dot(w.corners, vs)) * inverse;
    uv = vec2(texture_bounded(uv.x), texture_bounded(uv.y));
    precise vec2 dx = (vec2(exact_dot(w.perX, us), exact_dot(w.perX, vs)) - uv * exact_dot(w.perX, vec3(1.0))) * inverse;
    precise vec2 dy = (vec2(exact_dot(w.perY, us), exact_dot(w.perY, vs)) - uv * exact_dot(w.perY, vec3(1.0))) * inverse;
    return texture_sample(m, uv, texture_level(m, dx, dy));
}

// Whether a pixel is dropped: because its triangle is culled by distances, because some clip distance,
// interpolated to its centre, is negative, or by the alpha test.
bool textured_drops(Textured t, uvec2 pixel) {
    if (t.culled) return true;
    if (CLIP_DISTANCES > 0u) {
        Weights w = weights_at(t.p0, t.p1, t.p2, pixel);
        for (uint n = 0u; n < CLIP_DISTANCES; n++) {
            if (exact_dot(w.corners, distances_load(t.corners, n)) < 0.0) return true;
        }
    }
    if (!MASKED || t.material == 0u) return false;
    Material m = materials[t.material - 1u];
    return m.cutoff > 0u && textured_sample(t, m, pixel).a < m.cutoff;
}

// The texture's colour at a pixel.
vec3 textured_color(Textured t, uvec2 pixel) {
    Material m = materials[t.material - 1u];
    return texture_color(m, textured_sample(t, m, pixel));
}
#endif

#endif
