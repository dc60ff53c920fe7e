// The scene's buffers, as the geometry stage reads them.
#ifndef SCENE_GLSL
#define SCENE_GLSL

#include "include/stream.glsl"

#ifdef OWN_VERTEX
#error OWN_VERTEX: this pass reads the scene, which only our own vertex shader has
#endif

layout(binding = BINDING_POSITIONS, std430) readonly buffer Positions { float positions[]; }; // vertices * 3, model space
layout(binding = BINDING_NORMALS, std430) readonly buffer Normals { float normals[]; }; // vertices * 3, model space
layout(binding = BINDING_DRAWS, std430) readonly buffer Draws { Draw draws[]; };
layout(binding = BINDING_CAMERAS, std140) uniform Cameras { Camera camera; }; // uniform, so that GPUs do not keep it in registers
layout(binding = BINDING_CLIPS, std430) readonly buffer Clips { mat4 clips[]; }; // per draw: model to clip space

#endif
