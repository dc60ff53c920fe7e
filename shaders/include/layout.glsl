// Structs shared by stages and by Go, which gets them by reflection: this file
// is the one place where their layout is stated.
#ifndef LAYOUT_GLSL
#define LAYOUT_GLSL

#include "include/interface.glsl"

// Part of the index stream that one subgroup takes; within one draw.
struct Batch {
    uint firstIndex;    // into indices[]
    uint indexCount;    // a multiple of 3
    uint draw;          // into draws[]
    uint firstTriangle; // place of its first triangle in the whole stream
};

struct Draw {
    mat4 transform;      // model to world
    vec4 normalRows[3];  // rows of the matrix that takes normals to world space; w unused
    vec4 color;          // linear RGBA, 0..1
    uint indexCount;     // from here to firstInstance: a VkDrawIndexedIndirectCommand
    uint instanceCount;  // of a run of draws that differ in transform and colour alone: at the first, else 0
    uint firstIndex;     // into indices[]
    uint vertexOffset;   // into positions[] and normals[], in vertices
    uint firstInstance;  // into draws[]: this one
    uint countOffset;    // into counts[]
    uint flags;          // DRAW_*
    uint reserved0;
};

const uint DRAW_ONE_SIDED = 1u; // only its front faces are meant to be seen
const uint DRAW_MIRRORED = 2u;  // the transform turns counter-clockwise into clockwise

// What changes from frame to frame.
struct Camera {
    mat4 viewProj;       // world to clip; Vulkan's clip space, z from 0 to w
    vec4 lightDirection; // world space, unit length; w unused
};

// What a chunk leaves in the queues. All zero before its geometry runs.
struct QueueState {
    uint vertexCount;    // vertices allocated, past the capacity too: then the need
    uint triangleCount;  // triangles that did not fit: the need; 0 where all fit
    uint overflowBits;   // OVERFLOW_*
    uint cooperated;     // indices that phash's second tier placed; statistics, where COUNT
    uint drawVertexCount;   // VkDrawIndirectCommand, written by queue/finish
    uint drawInstanceCount;
    uint drawFirstVertex;
    uint drawFirstInstance;
};

struct ChunkPush {
    uint chunk;            // into queueStates[]
    uint firstBatch;       // into batches[]
    uint batchCount;
    uint firstTriangle;    // place of the chunk's first triangle in the stream
    uint triangleCount;    // triangles of the chunk
    uint triangleCapacity; // of the triangle queue
    uint vertexCapacity;   // of the vertex queue
    uint multiplier;       // odd: mixes ids, of a strategy that has them mixed for the scene
    uint batchNumber;      // in the stream, of batches[0]
    uint vertexPlaces;     // sixteenths of a place in the vertex queue that a triangle has as its own
};

// Of a direct draw.
struct DirectPush {
    uint draw; // into draws[]
};

const uint OVERFLOW_VERTICES = 1u;
const uint OVERFLOW_TRIANGLES = 2u;

const uint QUEUE_INDEXED = 0u;  // unique vertices once, a record a triangle
const uint QUEUE_EXPANDED = 1u; // three vertices a triangle, no records

const uint VIEW_COUNTS = 0u;  // how often each vertex was shaded
const uint VIEW_BATCHES = 1u; // which batch shaded it
const uint VIEW_SHADED = 2u;  // the draws' colours under a headlight
const uint VIEW_NONE = 3u;    // no picture: clip positions, and normals of a vertex shader that has them

const uint VERTEX_TRANSFORM = 0u; // to clip space, no more
const uint VERTEX_SKIN = 1u;      // include/skin.glsl
const uint VERTEX_DISPLACE = 2u;  // include/displace.glsl

#endif
