// Shared by the passes of the compute rasterizer: the queues, the lists of triangles
// by size, and how a triangle is found in either.
#ifndef RASTER_GLSL
#define RASTER_GLSL

#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

#include "include/layout.glsl"
#include "include/dispatch.glsl"
#include "include/record.glsl"

struct RasterPush {
    uint chunk;         // index into queueStates[]; its lists are at RASTER_LISTS * chunk
    uint firstTriangle; // place of the chunk's first triangle in the stream
    uint triangleCount; // triangles of the chunk
    uint width;         // pixels
    uint height;
    uint firstBatch;    // the chunk's batches
    uint batchCount;
};

// The triangles of one class of a chunk. All zero before raster:setup or the fused pass fills it.
struct RasterList {
    uint groupsX; // VkDispatchIndirectCommand, written by the last workgroup of raster:setup, or by the fused pass
    uint groupsY;
    uint groupsZ;
    uint count;   // triangles
};

const uint LIST_SMALL = 0u;   // one lane each
const uint LIST_MEDIUM = 1u;  // RASTER_MEDIUM_LANES lanes each
const uint LIST_LARGE = 2u;   // several workgroups each
const uint LIST_TILED = 3u;   // drawn by the tiles of the picture, each of which tests all triangles
const uint LIST_CLIPPED = 4u; // as LIST_TILED, for triangles that may need clipping
const uint RASTER_CLASSES = 5u;
// Lists per chunk. In the last one `count` is the number of finished workgroups of raster:setup,
// groupsX is 1 if a list other than LIST_SMALL has triangles, and with LEAN groupsY is 1 if passes
// draw these before raster:resolve.
const uint RASTER_LISTS = 6u;

const uint RASTER_SMALL_PIXELS = 32u;    // most pixels in the box of a small triangle
const uint RASTER_MEDIUM_PIXELS = 4096u; // of a medium triangle
const uint RASTER_LARGE_PIXELS = 65536u; // of a large triangle
const uint SIFTED_SIDE = 4096u;          // most pixels per side of a picture whose triangles are sifted
const uint RASTER_TILE = 32u;            // pixels per side of a tile
// Triangles that one workgroup draws into its tile: few enough that workgroups share the work, and
// that Mesa's CPU driver, which ends an invocation after 65,535 loop iterations, draws them all.
const uint RASTER_SEGMENT = 256u;
const uint RASTER_CLIPPED_TILE = 64u;    // of a tile of raster:clipped, larger since each clips all
const uint RASTER_CLIPPED_LANES = 256u; // a triangle each, so that all are clipped at the same time
const uint RASTER_WORKGROUP = 64u;      // invocations, in passes that define no other number
const uint RASTER_MEDIUM_LANES = 32u;    // of a triangle
const uint RASTER_MEDIUM_TRIANGLES = 4u; // of a workgroup
const uint RASTER_PIECES = 8u;          // workgroups of a large triangle
const uint RASTER_SETUP_LANES = 256u;   // few workgroups, since each adds to the lists' counters
const uint RASTER_SIFTED_LANES = 256u;  // 32 triangles each
const uint RASTER_RESOLVE_LANES = 256u; // one pixel per invocation, row by row within a tile

#ifdef FUSED
// Without queues, push is a ChunkPush, which has the members of RasterPush.
#include "include/refetch.glsl"
#elif defined(OWN_VERTEX)
#error OWN_VERTEX without FUSED: this pass would draw from queues that only our own vertex shader fills
#else
layout(binding = BINDING_VERTEX_POSITIONS, std430) readonly buffer VertexPositions { vec4 vertexPositions[]; };
#ifndef TRIANGLES_ACCESS // a shader that changes the triangle queue defines this as empty
#define TRIANGLES_ACCESS readonly
#endif
layout(binding = BINDING_TRIANGLES, std430) TRIANGLES_ACCESS buffer Triangles { uvec2 triangles[]; };
layout(binding = BINDING_CORNERS, std430) TRIANGLES_ACCESS buffer Corners { uint corners[]; };

layout(push_constant) uniform Push { RasterPush push; };
#endif

// The lists of triangles, in three parts with room for all triangles of the chunk each. The first two
// parts hold two lists each, which grow from both ends; the last part holds one. So no list can overflow.
// With FUSED: four lists of push.triangleCapacity.
layout(binding = BINDING_RASTER_TRIANGLES, std430) buffer RasterTriangles { uint rasterTriangles[]; };

// Tiles of the picture, horizontally and vertically.
uvec2 raster_tiles(uint side) { return (uvec2(push.width, push.height) + (side - 1u)) / side; }

// The class of a triangle that needs no clipping and is not small, by the pixels in its box.
uint raster_class(uint pixels) {
    if (pixels <= RASTER_MEDIUM_PIXELS) return LIST_MEDIUM;
    return pixels <= RASTER_LARGE_PIXELS ? LIST_LARGE : LIST_TILED;
}

// The number of workgroups for the given number of triangles of a class.
uint raster_groups(uint sizeClass, uint count) {
    if (sizeClass == LIST_SMALL) return (count + RASTER_WORKGROUP - 1u) / RASTER_WORKGROUP;
    if (sizeClass == LIST_MEDIUM) return (count + RASTER_MEDIUM_TRIANGLES - 1u) / RASTER_MEDIUM_TRIANGLES;
    if (sizeClass == LIST_LARGE) return RASTER_PIECES * count;
    uvec2 tiles = raster_tiles(sizeClass == LIST_TILED ? RASTER_TILE : RASTER_CLIPPED_TILE);
    return (count + RASTER_SEGMENT - 1u) / RASTER_SEGMENT * (tiles.x * tiles.y);
}

#ifdef FUSED
// The position in rasterTriangles[] of the i-th triangle of a class.
uint raster_place(uint sizeClass, uint i) { return (sizeClass - LIST_MEDIUM) * push.triangleCapacity + i; }

// The length of a class's list: if the list overflowed, its capacity.
uint raster_length(uint count) { return min(count, push.triangleCapacity); }

// The corners of a triangle of the chunk, in clip space.
void raster_positions(uint triangle, out vec4 p0, out vec4 p1, out vec4 p2) {
    Refetched r = refetch_find(triangle);
    refetch_positions(shade_begin(r.draw), r.ids, p0, p1, p2);
}
#else
uint raster_place(uint sizeClass, uint i) {
    if (sizeClass == LIST_SMALL) return i;
    if (sizeClass == LIST_CLIPPED) return push.triangleCount - 1u - i;
    if (sizeClass == LIST_MEDIUM) return push.triangleCount + i;
    if (sizeClass == LIST_LARGE) return 2u * push.triangleCount - 1u - i;
    return 2u * push.triangleCount + i;
}

uint raster_length(uint count) { return count; }

// The vertices of a triangle of the queue.
uvec3 raster_vertices(uint triangle) {
    uvec3 corner = 3u * triangle + uvec3(0u, 1u, 2u);
    if (QUEUE == QUEUE_EXPANDED) return corner;
    if (CORNERS) return uvec3(corners[corner.x], corners[corner.y], corners[corner.z]);
    uvec2 record = triangles[triangle];
    return record.y + record_slots(record.x);
}

void raster_positions(uint triangle, out vec4 p0, out vec4 p1, out vec4 p2) {
    uvec3 v = raster_vertices(triangle);
    p0 = vertexPositions[v.x];
    p1 = vertexPositions[v.y];
    p2 = vertexPositions[v.z];
}
#endif

#endif
