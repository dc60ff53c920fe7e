// Structs shared by shaders and Go, which gets them by reflection: their layout is defined
// only here.
#ifndef LAYOUT_GLSL
#define LAYOUT_GLSL

#include "include/interface.glsl"

// The part of the index stream that one subgroup or workgroup processes; within one draw.
struct Batch {
    uint firstIndex;    // into indices[]
    uint indexCount;    // a multiple of 3
    uint draw;          // into draws[]
    uint firstTriangle; // stream position of its first triangle
};

// A batch whose vertices the host has listed.
struct Meshlet {
    uint firstWord;   // index into meshletWords[]
    uint vertexCount;
    uint firstVertex; // number of vertices of all earlier meshlets; if there are chunks, of those in its chunk
};

struct Draw {
    mat4 transform;      // model to world
    vec4 normalRows[3];  // rows of the matrix that takes normals to world space; w unused
    vec4 color;          // linear RGBA, 0..1
    uint indexCount;     // from here to firstInstance: a VkDrawIndexedIndirectCommand
    uint instanceCount;  // at the first draw of a run that differs only in transform and colour, the run's length; else 0
    uint firstIndex;     // into indices[]
    uint vertexOffset;   // into positions[] and normals[], in vertices
    uint firstInstance;  // index of this draw in draws[]
    uint countOffset;    // into counts[]
    uint flags;          // DRAW_*
    uint material;       // 1 + index into materials[]; 0: no texture
};

// A base colour texture as draws use it.
struct Material {
    vec4 toU;        // the texture coordinate u is the product of xyz with (u, v, 1) of the vertex; w unused
    vec4 toV;
    vec4 tint;       // multiplies the colours of texels, 0..255; w: 1 takes the nearest texel, 0 filters
    uint firstTexel; // index into texels[]; levels follow each other, each half as wide and high as the last
    uint width;      // of the largest level, texels
    uint height;
    uint levels;
    uint wrapU;      // WRAP_*
    uint wrapV;
    uint set;        // of texture coordinates, less than TEX_SETS
    uint cutoff;     // the alpha test drops texels of less alpha, in TEXTURE_ONE; 0: it drops none
};

const uint WRAP_REPEAT = 0u; // beyond its edges the texture repeats
const uint WRAP_MIRROR = 1u; // repeats, every other time mirrored
const uint WRAP_CLAMP = 2u;  // continues with the texels at its edges

const uint DRAW_ONE_SIDED = 1u; // only its front faces should be visible
const uint DRAW_HIDDEN = 4u;    // it is shaded and counted, but invisible
const uint DRAW_DIMMED = 8u;    // it is drawn dimly while other draws are highlighted
const uint DRAW_MIRRORED = 2u;  // its transform turns counter-clockwise triangles into clockwise ones
const uint DRAW_UNSHADED = 16u; // no program of the frame shades it: it is only transformed

// The data that changes from frame to frame.
struct Camera {
    mat4 viewProj;       // world to clip; Vulkan's clip space, z from 0 to w
    vec4 lightDirection; // world space, unit length; w: 1 if the frame keeps its visibility buffer, with LEAN, else 0
    // With SOLE: the values of clips[0] and draws[0].
    mat4 clip;
    vec4 normalRows[3];
    vec4 color;
    uint vertexOffset;
    uint countOffset;
    uint flags;
    uint atOnce;         // in place of FUSED_PIXELS: the most pixels in the box of a triangle that a lane draws at once
};

// The state of a chunk's queues after its geometry pass. All zero before.
struct QueueState {
    uint vertexCount;    // vertices allocated; if more than the capacity, those needed
    uint triangleCount;  // 0 if all triangles fit, else those needed
    uint overflowBits;   // OVERFLOW_*
    uint cooperated;     // indices that phash's second tier placed, if COUNT
    // VkDrawIndexedIndirectCommand, written by queue/finish. The first four words are also a
    // VkDrawIndirectCommand.
    uint drawVertexCount;
    uint drawInstanceCount;
    uint drawFirstVertex;
    uint drawVertexOffset;
    uint drawFirstInstance;
};

struct ChunkPush {
    uint chunk;            // into queueStates[]
    uint firstBatch;       // into batches[]
    uint batchCount;
    uint firstTriangle;    // stream position of the chunk's first triangle
    uint triangleCount;    // triangles of the chunk
    uint triangleCapacity; // of the triangle queue
    uint vertexCapacity;   // of the vertex queue
    uint multiplier;       // odd factor that mixes ids, chosen for the scene (claim)
    uint batchNumber;      // number in the stream of batches[0]
    uint vertexPlaces;     // slots in the vertex queue reserved per triangle, in 1/16 slot
    uint width;            // of the picture, in pixels, for passes that draw
    uint height;
    uvec4 arguments;       // a shade function's own arguments (include/function.glsl)
};

// Push constants of a direct draw.
struct DirectPush {
    uint draw; // into draws[]
};

const uint OVERFLOW_VERTICES = 1u;
const uint OVERFLOW_TRIANGLES = 2u;
const uint OVERFLOW_SIZES = 4u; // LANES, BATCH, TABLE or WORKGROUP is not what the strategy takes: nothing is shaded

const uint QUEUE_INDEXED = 0u;  // each unique vertex once, and a record per triangle
const uint QUEUE_EXPANDED = 1u; // three vertices per triangle, no records

const uint VIEW_COUNTS = 0u;  // how often each vertex was shaded
const uint VIEW_BATCHES = 1u; // which batch shaded it
const uint VIEW_SHADED = 2u;  // the draws' colours under a headlight
const uint VIEW_NORMALS = 3u; // the normal in world space
const uint VIEW_NONE = 4u;    // no picture: only clip positions, and normals if the vertex shader makes them
const uint VIEW_VARYING = 5u; // an output of a user's vertex shader

const uint OUTPUTS_NONE = 0u;   // the mesh's normal lights the vertex
const uint OUTPUTS_NORMAL = 1u; // the normal in model space, which lights it
const uint OUTPUTS_SHOWN = 2u;  // what VIEW_VARYING shows

// Whether vertices store the packed value of include/shown.glsl instead of other attributes.
#define VIEW_SHOWN (VIEW == VIEW_VARYING || VIEW == VIEW_NORMALS)

// Whether vertices have attributes that the picture or the vertex shader needs.
#define HAS_ATTRIBUTES (VIEW != VIEW_NONE || OUTPUTS != OUTPUTS_NONE || CULL)

#endif
