// An index stream in batches: the input of every strategy.
#ifndef STREAM_GLSL
#define STREAM_GLSL

#include "include/layout.glsl"

layout(binding = BINDING_INDICES, std430) readonly buffer Indices { uint indices[]; }; // triangles * 3, relative to the draw
layout(binding = BINDING_BATCHES, std430) readonly buffer Batches { Batch batches[]; };

layout(push_constant) uniform Push { ChunkPush push; };

// The id at position i of the stream.
#ifdef SUBDIVIDED
#include "include/refined.glsl"
#else
uint stream_index(uint i) { return indices[i]; }
#endif

#endif
