#version 450
#extension GL_GOOGLE_include_directive : require

// raster:resolve: colours the pixels that show a triangle of the chunk as the view says. In the
// first chunk all other pixels get the background; in later chunks only tiles that the chunk drew
// to are processed.
//
// Input   the visibility buffer, the queues, counts[]; texels[] with TEXTURED
// Output  pictureColor[]: a word per pixel, row by row; with LEAN, zeros in the visibility buffer for the next frame, unless this frame keeps it
// Dispatch one invocation per pixel; neighbouring workgroups process a tile

#include "include/visible.glsl"
#include "include/color.glsl"
#include "include/view.glsl"
#include "include/light.glsl"
#include "include/shown.glsl"
#include "include/weights.glsl"

layout(local_size_x = RASTER_RESOLVE_LANES) in;

#ifndef FUSED
layout(binding = BINDING_VERTEX_ATTRIBUTES, std430) readonly buffer VertexAttributes { uvec2 vertexAttributes[]; };
layout(binding = BINDING_CAMERAS, std140) uniform Cameras { Camera camera; };
#endif
layout(binding = BINDING_RASTER_LISTS, std430) readonly buffer RasterLists { RasterList rasterLists[]; };
layout(binding = BINDING_COUNTS, std430) readonly buffer Counts { uint counts[]; };
layout(binding = BINDING_PICTURE_COLOR, std430) writeonly buffer PictureColor { uint pictureColor[]; }; // RGBA8

// Whether the visibility buffer is reset for the next frame: not if this frame keeps it, nor if the
// lists' triangles are still to be drawn (Plan.Short).
bool resolve_leaves() {
    RasterList state = rasterLists[RASTER_LISTS * push.chunk + RASTER_CLASSES];
    return LEAN && camera.lightDirection.w == 0.0 && (state.groupsX == 0u || state.groupsY != 0u);
}

struct ResolveCorner {
    vec4 posClip;
    uvec2 attributes;
};

// The corners of a triangle of the chunk, shaded again if there is no vertex queue.
void resolve_corners(uint triangle, out ResolveCorner c0, out ResolveCorner c1, out ResolveCorner c2) {
#ifdef FUSED
    Refetched r = refetch_find(triangle);
    BatchInput batchInput = shade_begin(r.draw);
    c1 = c2 = ResolveCorner(vec4(0.0), uvec2(0u));
    for (uint corner = 0u; corner < 3u; corner++, r.ids = r.ids.yzx) {
        c0 = c1;
        c1 = c2;
        refetch_vertex(batchInput, r.ids.x, r.batchIndex, c2.posClip, c2.attributes);
    }
#else
    uvec3 v = raster_vertices(triangle);
    c0 = ResolveCorner(vertexPositions[v.x], vertexAttributes[v.x]);
    c1 = ResolveCorner(vertexPositions[v.y], vertexAttributes[v.y]);
    c2 = ResolveCorner(vertexPositions[v.z], vertexAttributes[v.z]);
#endif
}

// The colour of a pixel of a view with VIEW_SHOWN.
vec3 resolve_shown(uvec2 a0, uvec2 a1, uvec2 a2, vec3 weights, float sum) {
    vec3 v0 = shown_load(a0);
    if (SHOWN_FLAT) return shown_color(v0);
    vec3 v1 = shown_load(a1);
    vec3 v2 = shown_load(a2);
    precise vec3 mixed = vec3(exact_dot(weights, vec3(v0.r, v1.r, v2.r)), exact_dot(weights, vec3(v0.g, v1.g, v2.g)), exact_dot(weights, vec3(v0.b, v1.b, v2.b))) * setup_reciprocal(sum);
    return shown_color(mixed);
}

// Whether a line along one of the triangle's edges covers the pixel. A triangle that reaches behind the eye counts as high.
bool resolve_onLine(Weights at) {
    precise vec3 perPixel = at.perX * at.perX + at.perY * at.perY;
    precise vec3 distances = at.corners * at.corners;
    precise float area = exact_dot(at.corners, at.w); // times the product of the corners' w
    precise vec3 least = vec3(VIEW_LINE_HEIGHT * VIEW_LINE_HEIGHT) * (at.w * at.w * perPixel);
    precise float squared = area * area;
    return view_onLine(distances, perPixel, any(lessThanEqual(at.w, vec3(0.0))) || all(lessThanEqual(least, vec3(squared))));
}

// The light at weights whose sum is given, of the corners' stored lights: a step of view_pixel's. Products decide which
// one, since devices divide differently.
float resolve_light(uvec3 stored, vec3 weights, float sum) {
    bool dimmed = float(stored.x) < 255.0 * VIEW_DIMMED_BELOW;
    precise float steps = exact_dot(vec3(stored), weights) * (dimmed ? 5.0 * 63.0 / 255.0 : 63.0 / 255.0);
    float step = floor(steps / sum + 0.5);
    precise float above = (step + 0.5) * sum;
    precise float below = (step - 0.5) * sum;
    if (above <= steps) step++;
    if (below > steps) step--;
    return step * (dimmed ? 1.0 / (5.0 * 63.0) : 1.0 / 63.0);
}

void resolve_pixel(uvec2 at) {
    uint pixel = at.y * push.width + at.x;
    uint depth, triangle;
    visible_read(pixel, depth, triangle);
    if (depth == FAR_DEPTH) {
        if (FIRST) pictureColor[pixel] = BACKGROUND;
        return;
    }
#ifdef NARROW
    visibleBefore[pixel] = FAR_DEPTH - depth;
#else
    if (resolve_leaves()) visible[pixel] = uint64_t(0);
#endif
    if (triangle >= push.triangleCount) return;
    ResolveCorner c0, c1, c2;
    resolve_corners(triangle, c0, c1, c2);
    Weights place = weights_at(c0.posClip, c1.posClip, c2.posClip, at);
    vec3 weights = weights_inside(place);
    float sum = exact_dot(weights, vec3(1.0));
    if (sum < WEIGHTS_LEAST) {
        weights = vec3(1.0, 0.0, 0.0);
        sum = 1.0;
    }
    uvec2 a0 = c0.attributes;
    uvec2 a1 = c1.attributes;
    uvec2 a2 = c2.attributes;
    vec3 base = exact_unpackColor(a0.y);
    uint shows = 1u;
    if (TEXTURED && VIEW == VIEW_SHADED) {
        Textured textured = textured_find(triangle, false);
        if (textured.material > 0u) base = textured_color(textured, place);
    }
    if (VIEW == VIEW_BATCHES) base = color_hash(a0.x);
    if (VIEW == VIEW_COUNTS) {
        uint nearest = view_nearest(weights);
        uvec3 times = SMOOTH ? uvec3(counts[a0.x], counts[a1.x], counts[a2.x]) : uvec3(counts[nearest == 0u ? a0.x : nearest == 1u ? a1.x : a2.x]);
        shows = clamp(times[nearest], 1u, 6u);
        precise vec3 shares = weights;
        if (SMOOTH) shares *= setup_reciprocal(sum);
        base = view_counted(times, shares, nearest);
    }
    float light = resolve_light(uvec3(a0.y, a1.y, a2.y) >> 24, weights, sum);
    if (VIEW_SHOWN) {
        base = resolve_shown(a0, a1, a2, weights, sum);
        light = shown_dimmed(a0) ? LIGHT_DIMMED : 1.0;
    }
    bool line = EDGES > 0u && resolve_onLine(place);
    pictureColor[pixel] = packUnorm4x8(view_pixel(base, light, line, shows));
}

void main() {
    const uint parts = RASTER_TILE * RASTER_TILE / RASTER_RESOLVE_LANES; // workgroups per tile
    uint tilesAcross = raster_tiles(RASTER_TILE).x;
    uint tile = dispatch_workgroup() / parts;
    uint i = RASTER_RESOLVE_LANES * (dispatch_workgroup() % parts) + gl_LocalInvocationID.x;
    uvec2 at = RASTER_TILE * uvec2(tile % tilesAcross, tile / tilesAcross) + uvec2(i % RASTER_TILE, i / RASTER_TILE);
    if (any(greaterThanEqual(at, uvec2(push.width, push.height)))) return;
    if (FIRST || tileMarks[tile] == push.chunk + 1u) resolve_pixel(at);
}
