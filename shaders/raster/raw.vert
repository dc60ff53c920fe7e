#version 450
#extension GL_GOOGLE_include_directive : require

// raster:raw: shades a vertex of an indexed draw for raster/view.frag. The graphics
// pipeline does the whole frame, so the vertex reuse is the device's.
//
// Input   position and normal, fetched from the vertex pools; gl_VertexIndex =
//         index + the draw's vertexOffset; gl_InstanceIndex: the draw
// Output  as raster/queue.vert: clip position; light and times shaded; the draw's
//         colour (flat)
// Source  not in the paper
// Dispatch vkCmdDrawIndexedIndirect, a command per run of instances

#include "include/layout.glsl"
#include "include/light.glsl"

layout(binding = BINDING_DRAWS, std430) readonly buffer Draws { Draw draws[]; };
layout(binding = BINDING_CAMERAS, std140) uniform Cameras { Camera camera; };
layout(binding = BINDING_CLIPS, std430) readonly buffer Clips { mat4 clips[]; };   // per draw: model to clip space
layout(binding = BINDING_COUNTS, std430) readonly buffer Counts { uint counts[]; }; // times shaded, one per (draw, vertex) pair

layout(location = 0) in vec3 posObject;    // vertex buffers: float3 per vertex
layout(location = 1) in vec3 normalObject; // unit length

layout(location = 0) out vec2 lightAndTimes; // light 0..1; times shaded, at most 6
layout(location = 1) flat out vec3 color;    // linear RGB, not for the counts view

// Rounded to whole steps of a stored channel, as in the vertex queue.
float raw_stored(float x) { return float(light_packUnorm8(x)) / 255.0; }

void main() {
    uint i = uint(gl_InstanceIndex);
    gl_Position = exact_transform(clips[i], vec4(posObject, 1.0));
    vec3 normalWorld = vec3(exact_dot(draws[i].normalRows[0].xyz, normalObject),
                            exact_dot(draws[i].normalRows[1].xyz, normalObject),
                            exact_dot(draws[i].normalRows[2].xyz, normalObject));
    lightAndTimes = vec2(raw_stored(light_head(camera.lightDirection.xyz, normalWorld)), 0.0);
    if (VIEW == VIEW_COUNTS) lightAndTimes.y = float(min(counts[draws[i].countOffset + uint(gl_VertexIndex) - draws[i].vertexOffset], 6u));
    color = vec3(raw_stored(draws[i].color.r), raw_stored(draws[i].color.g), raw_stored(draws[i].color.b));
}
