// The texture of a triangle of the stream at a pixel, and whether the pixel is dropped, for passes without varyings.
#ifndef TEXTURED_GLSL
#define TEXTURED_GLSL

#include "include/setup.glsl"
#include "include/exact.glsl"
#include "include/weights.glsl"

// Whether pixels within a triangle may be dropped.
const bool DROPS = MASKED || DISTANCED;

// A triangle's corners in clip space, if the pass has them at hand.
struct TexturedPlace {
    bool known;
    vec4 p0, p1, p2;
};
TexturedPlace textured_unknown() { return TexturedPlace(false, vec4(0.0), vec4(0.0), vec4(0.0)); }

#if defined(OWN_VERTEX) || defined(SUBDIVIDED)
// Meshes that are subdivided while they are drawn, and other renderers, have no textures and drop no pixels here.
struct Textured { uint material; };
Textured textured_find(uint triangle, bool masked) { return Textured(0u); }
Textured textured_dropping(uint triangle, TexturedPlace place) { return Textured(0u); }
bool textured_drops(Textured t, ivec2 pixel) { return false; }
vec3 textured_color(Textured t, Weights w) { return vec3(0.0); }
#else
#include "include/texture.glsl"
#include "include/distances.glsl"

#ifndef FUSED
layout(binding = BINDING_INDICES, std430) readonly buffer Indices { uint indices[]; };
layout(binding = BINDING_BATCHES, std430) readonly buffer Batches { Batch batches[]; };
layout(binding = BINDING_DRAWS, std430) readonly buffer Draws { Draw draws[]; };
#include "include/find.glsl"
#endif

// A triangle's texture, and what drops its pixels.
struct Textured {
    uint material; // 1 + its index; 0: no texture
    uint draw;
    uvec3 ids;
    vec2 t0, t1, t2; // the corners' texture coordinates
    // Of textured_dropping:
    bool culled;
    ivec2 origin; // a pixel
    vec3 first, right, down; // u, v and 1 there, times the sum of the corners' weights; their growth per pixel
    uvec3 corners; // indices of the corners' first distances in distances[]
    vec4 p0, p1, p2;
};

// Finds a triangle's texture. With masked, a texture without an alpha test counts as none.
Textured textured_find(uint triangle, bool masked) {
    Textured t;
#ifdef FUSED
    Refetched found = refetch_find(triangle);
    t.ids = found.ids;
#else
    Found found = find_triangle(triangle);
    t.ids = uvec3(indices[found.firstIndex], indices[found.firstIndex + 1u], indices[found.firstIndex + 2u]);
#endif
    t.draw = found.draw;
    t.material = draws[t.draw].material;
    if (t.material == 0u) return t;
    Material m = materials[t.material - 1u];
    if (masked && m.cutoff == 0u) t.material = 0u;
    if (t.material == 0u) return t;
    uvec3 vertices = draws[t.draw].vertexOffset + t.ids;
    t.t0 = texture_vertex(m, vertices.x);
    t.t1 = texture_vertex(m, vertices.y);
    t.t2 = texture_vertex(m, vertices.z);
    return t;
}

// The pixel from which a triangle's planes are measured, near its first corner, so that little is lost to rounding. For a
// corner behind the eye it is the middle of the picture.
ivec2 textured_origin(vec4 corner) {
    vec2 halfSize = 0.5 * vec2(push.width, push.height);
    precise vec2 at = halfSize;
    if (corner.w >= SMALLEST_W) at = corner.xy * setup_reciprocal(corner.w) * halfSize + halfSize;
    return ivec2(floor(clamp(at, vec2(0.0), 2.0 * halfSize - 1.0)));
}

// Finds what drops a triangle's pixels.
Textured textured_dropping(uint triangle, TexturedPlace place) {
    Textured t = textured_find(triangle, true);
    t.culled = false;
    if (DISTANCED) {
        t.corners = distances_corners(draws[t.draw], t.ids);
        t.culled = distances_cull(t.corners);
    }
    if (t.material == 0u && CLIP_DISTANCES == 0u) return t;
    if (!place.known) {
#ifdef FUSED
        refetch_positions(shade_begin(t.draw), t.ids, place.p0, place.p1, place.p2);
#else
        raster_positions(triangle, place.p0, place.p1, place.p2);
#endif
    }
    t.p0 = place.p0;
    t.p1 = place.p1;
    t.p2 = place.p2;
    if (t.material == 0u) return t;
    t.origin = textured_origin(t.p0);
    Weights w = weights_at(t.p0, t.p1, t.p2, uvec2(t.origin));
    vec3 us = vec3(t.t0.x, t.t1.x, t.t2.x);
    vec3 vs = vec3(t.t0.y, t.t1.y, t.t2.y);
    t.first = vec3(exact_dot(w.corners, us), exact_dot(w.corners, vs), exact_dot(w.corners, vec3(1.0)));
    t.right = vec3(exact_dot(w.perX, us), exact_dot(w.perX, vs), exact_dot(w.perX, vec3(1.0)));
    t.down = vec3(exact_dot(w.perY, us), exact_dot(w.perY, vs), exact_dot(w.perY, vec3(1.0)));
    return t;
}

// The texture's value at the centre of a pixel whose coordinates are uv, of the level that suits the pixel. `values` are u, v and 1
// there, times the sum of weights, and right and down how they grow per pixel. The sum's sign may be wrong.
uvec4 textured_filtered(Material m, vec3 values, vec3 right, vec3 down) {
    float inverse = setup_reciprocal(abs(values.z));
    precise vec2 uv = values.xy * (values.z < 0.0 ? -inverse : inverse);
    uv = vec2(texture_bounded(uv.x), texture_bounded(uv.y));
    precise vec2 dx = (right.xy - uv * right.z) * inverse;
    precise vec2 dy = (down.xy - uv * down.z) * inverse;
    return texture_sample(m, uv, texture_level(m, dx, dy));
}

// Whether a pixel is dropped: because its triangle is culled by distances, because some clip distance,
// interpolated to its centre, is negative, or by the alpha test.
bool textured_drops(Textured t, ivec2 pixel) {
    if (t.culled) return true;
    if (CLIP_DISTANCES > 0u) {
        Weights w = weights_at(t.p0, t.p1, t.p2, uvec2(pixel));
        for (uint n = 0u; n < CLIP_DISTANCES; n++) {
            if (exact_dot(w.corners, distances_load(t.corners, n)) < 0.0) return true;
        }
    }
    if (!MASKED || t.material == 0u) return false;
    Material m = materials[t.material - 1u];
    vec2 away = vec2(pixel - t.origin);
    precise vec3 values = t.first + away.x * t.right + away.y * t.down;
    return abs(values.z) >= WEIGHTS_LEAST && textured_filtered(m, values, t.right, t.down).a < m.cutoff;
}

// The texture's colour at a pixel where the corners weigh so much.
vec3 textured_color(Textured t, Weights w) {
    Material m = materials[t.material - 1u];
    vec3 us = vec3(t.t0.x, t.t1.x, t.t2.x);
    vec3 vs = vec3(t.t0.y, t.t1.y, t.t2.y);
    float sum = exact_dot(w.corners, vec3(1.0));
    if (sum < WEIGHTS_LEAST) return texture_color(m, texture_sample(m, t.t0, 0u));
    vec3 values = vec3(exact_dot(w.corners, us), exact_dot(w.corners, vs), sum);
    vec3 right = vec3(exact_dot(w.perX, us), exact_dot(w.perX, vs), exact_dot(w.perX, vec3(1.0)));
    vec3 down = vec3(exact_dot(w.perY, us), exact_dot(w.perY, vs), exact_dot(w.perY, vec3(1.0)));
    return texture_color(m, textured_filtered(m, values, right, down));
}
#endif

#endif
