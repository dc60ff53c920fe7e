// The scene as the geometry stage reads it.
#ifndef SCENE_GLSL
#define SCENE_GLSL

#include "include/layout.glsl"

layout(set = 0, binding = 0, std430) readonly buffer Positions { float positions[]; }; // vertices * 3, model space
layout(set = 0, binding = 1, std430) readonly buffer Normals { float normals[]; };     // vertices * 3, model space
layout(set = 0, binding = 2, std430) readonly buffer Indices { uint indices[]; };      // triangles * 3, relative to the draw
layout(set = 0, binding = 3, std430) readonly buffer Draws { Draw draws[]; };
layout(set = 0, binding = 4, std430) readonly buffer Batches { Batch batches[]; };
layout(set = 0, binding = 5, std140) uniform Cameras { Camera camera; }; // uniform: GPUs then hold it in no registers

layout(set = 0, binding = 22, std430) readonly buffer Clips { mat4 clips[]; }; // a draw each: model to clip space

layout(push_constant) uniform Push { ChunkPush push; };

#endif
