#version 450
#extension GL_GOOGLE_include_directive : require

// raster:resolve: colours the pixels that show a triangle of the chunk as the view
// says. In the first chunk all other pixels get the background. Tiles that the chunk
// did not draw to are left alone.
//
// Input   the visibility buffer, the queues, counts[]
// Output  pictureColor[], pictureDepth[]: a word per pixel, row by row
// Dispatch one invocation per pixel; a tile's are in neighbouring workgroups

#include "include/visible.glsl"
#include "include/color.glsl"

layout(local_size_x = RASTER_RESOLVE_LANES) in;

#ifndef FUSED
layout(binding = BINDING_VERTEX_ATTRIBUTES, std430) readonly buffer VertexAttributes { uvec2 vertexAttributes[]; };
#endif
layout(binding = BINDING_COUNTS, std430) readonly buffer Counts { uint counts[]; };
layout(binding = BINDING_PICTURE_COLOR, std430) writeonly buffer PictureColor { uint pictureColor[]; }; // RGBA8
layout(binding = BINDING_PICTURE_DEPTH, std430) writeonly buffer PictureDepth { float pictureDepth[]; };

// Perspective-correct weights of the corners, which sum to about 1, from the snapped
// corners' edge functions.
vec3 resolve_weights(Triangle t, ivec2 pixel) {
    Edges e = setup_edges(t.a.sub, t.b.sub, t.c.sub, pixel);
    vec3 w = vec3(e.value) * vec3(t.a.inverseW, t.b.inverseW, t.c.inverseW);
    w /= w.x + w.y + w.z;
    return t.swapped ? w.xzy : w;
}

// The same for a triangle that was clipped, from its corners before clipping. Its
// homogeneous edge functions give the weights above but for rounding and the snap.
vec3 resolve_weightsClipped(vec4 p0, vec4 p1, vec4 p2, ivec2 pixel) {
    vec3 at = vec3((2.0 * vec2(pixel) + 1.0) / vec2(push.width, push.height) - 1.0, 1.0);
    vec3 biggest = max(max(abs(p0.xyw), abs(p1.xyw)), abs(p2.xyw));
    float scale = 1.0 / max(max(biggest.x, biggest.y), max(biggest.z, 1e-30));
    vec3 q0 = p0.xyw * scale;
    vec3 q1 = p1.xyw * scale;
    vec3 q2 = p2.xyw * scale;
    vec3 w = vec3(dot(cross(q1, q2), at), dot(cross(q2, q0), at), dot(cross(q0, q1), at));
    float sum = w.x + w.y + w.z;
    if (sum == 0.0) return vec3(1.0, 0.0, 0.0);
    w = clamp(w / sum, 0.0, 1.0);
    return w / (w.x + w.y + w.z);
}

struct ResolveCorner {
    vec4 posClip;
    uvec2 attributes;
};

// The corners of a triangle of the chunk. Without a vertex queue they are shaded again.
void resolve_corners(uint triangle, out ResolveCorner c0, out ResolveCorner c1, out ResolveCorner c2) {
#ifdef FUSED
    Refetched r = refetch_find(triangle);
    BatchInput batchInput = shade_begin(r.draw);
    refetch_vertex(batchInput, r.ids.x, r.batchIndex, c0.posClip, c0.attributes);
    refetch_vertex(batchInput, r.ids.y, r.batchIndex, c1.posClip, c1.attributes);
    refetch_vertex(batchInput, r.ids.z, r.batchIndex, c2.posClip, c2.attributes);
#else
    uvec3 v = raster_vertices(triangle);
    c0 = ResolveCorner(vertexPositions[v.x], vertexAttributes[v.x]);
    c1 = ResolveCorner(vertexPositions[v.y], vertexAttributes[v.y]);
    c2 = ResolveCorner(vertexPositions[v.z], vertexAttributes[v.z]);
#endif
}

void resolve_pixel(uvec2 at) {
    uint pixel = at.y * push.width + at.x;
    uint depth, triangle;
    visible_read(pixel, depth, triangle);
    if (depth == FAR_DEPTH) {
        if (FIRST) {
            pictureColor[pixel] = BACKGROUND;
            pictureDepth[pixel] = 1.0;
        }
        return;
    }
#ifdef NARROW
    visibleBefore[pixel] = FAR_DEPTH - depth;
#endif
    if (triangle >= push.triangleCount) return;
    pictureDepth[pixel] = depth_float(depth);
    ResolveCorner c0, c1, c2;
    resolve_corners(triangle, c0, c1, c2);
    vec3 weights;
    if (setup_inside(c0.posClip) && setup_inside(c1.posClip) && setup_inside(c2.posClip)) {
        Triangle t;
        setup_load(c0.posClip, c1.posClip, c2.posClip, t);
        weights = resolve_weights(t, ivec2(at));
    } else {
        weights = resolve_weightsClipped(c0.posClip, c1.posClip, c2.posClip, ivec2(at));
    }
    uvec2 a0 = c0.attributes;
    uvec2 a1 = c1.attributes;
    uvec2 a2 = c2.attributes;
    vec3 base = unpackUnorm4x8(a0.y).rgb;
    if (VIEW == VIEW_BATCHES) base = color_hash(a0.x);
    if (VIEW == VIEW_COUNTS) {
        vec3 times = vec3(min(uvec3(counts[a0.x], counts[a1.x], counts[a2.x]), uvec3(6u)));
        uint scale[6] = uint[6](HEAT_1, HEAT_2, HEAT_3, HEAT_4, HEAT_5, HEAT_6);
        float rounded = dot(times, weights) + 0.5;
        base = unpackUnorm4x8(scale[int(clamp(rounded, 1.0, 6.0)) - 1]).rgb;
    }
    vec3 lights = vec3(a0.y >> 24, a1.y >> 24, a2.y >> 24) / 255.0;
    float light = floor(dot(lights, weights) * 63.0 + 0.5) * (1.0 / 63.0);
    pictureColor[pixel] = packUnorm4x8(vec4(floor(base * light * 255.0 + 0.5) / 255.0, 1.0));
}

void main() {
    const uint parts = RASTER_TILE * RASTER_TILE / RASTER_RESOLVE_LANES; // workgroups per tile
    uint tilesAcross = raster_tiles().x;
    uint tile = dispatch_workgroup() / parts;
    uint i = RASTER_RESOLVE_LANES * (dispatch_workgroup() % parts) + gl_LocalInvocationID.x;
    uvec2 at = RASTER_TILE * uvec2(tile % tilesAcross, tile / tilesAcross) + uvec2(i % RASTER_TILE, i / RASTER_TILE);
    if (any(greaterThanEqual(at, uvec2(push.width, push.height)))) return;
    if (FIRST || tileMarks[tile] == push.chunk + 1u) resolve_pixel(at);
}
