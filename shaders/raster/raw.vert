#version 450
#extension GL_GOOGLE_include_directive : require

// raster:raw: shades a vertex of an indexed draw for raster/view.frag. The graphics
// pipeline does the whole frame, so the vertex reuse is the device's. With PULLED, for
// views that weigh a triangle's corners, the draw is not indexed: gl_VertexIndex is a
// place in indices[], and the vertex is fetched here. With FETCHED, for the user's vertex
// shaders, attributes are fetched here, too, but the draw stays indexed.
//
// Input   position and normal, fetched from the vertex pools; gl_VertexIndex =
//         index + the draw's vertexOffset; gl_InstanceIndex: the draw
// Output  as raster/queue.vert
// Source  not in the paper
// Dispatch vkCmdDrawIndexedIndirect, a command per run of instances; PULLED vkCmdDraw

#include "include/layout.glsl"
#include "include/light.glsl"
#include "include/corner.glsl"

layout(binding = BINDING_DRAWS, std430) readonly buffer Draws { Draw draws[]; };
layout(binding = BINDING_CAMERAS, std140) uniform Cameras { Camera camera; };
layout(binding = BINDING_CLIPS, std430) readonly buffer Clips { mat4 clips[]; };   // per draw: model to clip space

#if defined(PULLED) || defined(FETCHED)
layout(binding = BINDING_POSITIONS, std430) readonly buffer Positions { float positions[]; };
layout(binding = BINDING_NORMALS, std430) readonly buffer Normals { float normals[]; };
vec3 shade_position(uint vertex) { return vec3(positions[3u * vertex], positions[3u * vertex + 1u], positions[3u * vertex + 2u]); }
vec3 shade_normal(uint vertex) { return vec3(normals[3u * vertex], normals[3u * vertex + 1u], normals[3u * vertex + 2u]); }
#else
layout(location = 0) in vec3 posObject;    // vertex buffers: float3 per vertex
layout(location = 1) in vec3 normalObject; // unit length
#endif
#ifdef PULLED
layout(binding = BINDING_INDICES, std430) readonly buffer Indices { uint indices[]; };
layout(binding = BINDING_COUNTS, std430) readonly buffer Counts { uint counts[]; }; // times shaded, one per (draw, vertex) pair
#endif
#ifdef FETCHED
#include "include/custom.glsl"
out gl_PerVertex { vec4 gl_Position; }; // joining this module with a vertex shader adds its distances
#endif

// Rounded to whole steps of a stored channel, as in the vertex queue.
float raw_stored(float x) { return float(light_packUnorm8(x)) / 255.0; }

void main() {
    uint i = uint(gl_InstanceIndex);
#ifdef PULLED
    uint corner = uint(gl_VertexIndex) - draws[i].firstIndex;
    uint id = indices[gl_VertexIndex];
#else
    const uint corner = 0u;
#ifdef FETCHED
    uint id = uint(gl_VertexIndex) - draws[i].vertexOffset;
#endif
#endif
#if defined(PULLED) || defined(FETCHED)
    uint vertex = draws[i].vertexOffset + id;
    vec3 posObject = shade_position(vertex);
    vec3 normalObject = shade_normal(vertex);
#endif
#ifdef FETCHED
    vec4 shown = vec4(0.0);
    if (UNSHADED && (draws[i].flags & DRAW_UNSHADED) != 0u) gl_Position = exact_transform(clips[i], vec4(posObject, 1.0));
    else gl_Position = custom_vertex(i, vertex, id, clips[i], shown);
    shownValue = shown_load(shown_store(shown.rgb, false));
#else
    gl_Position = exact_transform(clips[i], vec4(posObject, 1.0));
#endif
    vec3 normalWorld = vec3(exact_dot(draws[i].normalRows[0].xyz, normalObject),
                            exact_dot(draws[i].normalRows[1].xyz, normalObject),
                            exact_dot(draws[i].normalRows[2].xyz, normalObject));
    float light = VIEW_SHOWN ? 1.0 : light_head(camera.lightDirection.xyz, normalWorld);
    lightAndWeights = vec3(raw_stored(light_stored(draws[i].flags, light)), corner_weights(corner));
    colorOrTimes = vec3(raw_stored(draws[i].color.r), raw_stored(draws[i].color.g), raw_stored(draws[i].color.b));
#ifdef VARYING
    if (VIEW == VIEW_NORMALS) shownValue = shown_load(shown_store(exact_unit(normalWorld), false));
    if (VIEW_SHOWN) colorOrTimes = shownValue;
#endif
#ifdef WITH_TEXTURES
    corner_texture(draws[i], vertex);
#endif
#ifdef PULLED
    if (VIEW == VIEW_COUNTS && corner % 3u == 0u) {
        uint first = draws[i].countOffset;
        colorOrTimes = corner_times(uvec3(counts[first + id], counts[first + indices[gl_VertexIndex + 1]], counts[first + indices[gl_VertexIndex + 2]]));
    }
#endif
}
