// Shared by the passes of the compute rasterizer: the queues, the lists of triangles
// by size, and how a triangle is found in either.
#ifndef RASTER_GLSL
#define RASTER_GLSL

#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

#include "include/layout.glsl"
#include "include/dispatch.glsl"

struct RasterPush {
    uint chunk;         // into queueStates[]; its lists are at RASTER_LISTS * chunk
    uint firstTriangle; // place of the chunk's first triangle in the stream
    uint triangleCount; // triangles of the chunk
    uint width;         // pixels
    uint height;
};

// The triangles of one class of a chunk. All zero before raster:setup.
struct RasterList {
    uint groupsX; // VkDispatchIndirectCommand, written by the last workgroup of raster:setup
    uint groupsY;
    uint groupsZ;
    uint count;   // triangles
};

const uint LIST_SMALL = 0u;   // a lane each
const uint LIST_MEDIUM = 1u;  // a workgroup each
const uint LIST_LARGE = 2u;   // by the tiles of the picture, each looking at all
const uint LIST_CLIPPED = 3u; // likewise; they may have to be clipped
const uint RASTER_CLASSES = 4u;
const uint RASTER_LISTS = 5u; // per chunk; in the last, count is the workgroups of raster:setup that are done

const uint RASTER_SMALL_PIXELS = 32u;    // in the box of a small triangle at most
const uint RASTER_MEDIUM_PIXELS = 4096u; // of a medium one
const uint RASTER_TILE = 32u;            // pixels per side of a tile
// Triangles that one workgroup draws into its tile. Few enough that workgroups share
// the work, and that Mesa's CPU driver, which ends an invocation after 65,535 rounds
// of its loops, draws them all.
const uint RASTER_SEGMENT = 256u;
const uint RASTER_WORKGROUP = 64u;      // invocations, of the passes that name no other
const uint RASTER_MEDIUM_LANES = 32u;
const uint RASTER_SETUP_LANES = 256u;   // few workgroups, since each counts in the lists
const uint RASTER_RESOLVE_LANES = 256u; // one pixel per invocation, row by row within a tile

layout(binding = BINDING_VERTEX_POSITIONS, std430) readonly buffer VertexPositions { vec4 vertexPositions[]; };
#ifndef TRIANGLES_ACCESS // a shader that changes the triangle queue defines it as nothing
#define TRIANGLES_ACCESS readonly
#endif
layout(binding = BINDING_TRIANGLES, std430) TRIANGLES_ACCESS buffer Triangles { uvec2 triangles[]; };
layout(binding = BINDING_CORNERS, std430) TRIANGLES_ACCESS buffer Corners { uint corners[]; };
// Two lists per half, one from each end, so that none can overflow: 2 * triangles.
layout(binding = BINDING_RASTER_TRIANGLES, std430) buffer RasterTriangles { uint rasterTriangles[]; };

layout(push_constant) uniform Push { RasterPush push; };

// Tiles of the picture, across and down.
uvec2 raster_tiles() { return (uvec2(push.width, push.height) + (RASTER_TILE - 1u)) / RASTER_TILE; }

// Where rasterTriangles[] has the i-th triangle of a class.
uint raster_place(uint sizeClass, uint i) {
    if (sizeClass == LIST_SMALL) return i;
    if (sizeClass == LIST_CLIPPED) return push.triangleCount - 1u - i;
    if (sizeClass == LIST_MEDIUM) return push.triangleCount + i;
    return 2u * push.triangleCount - 1u - i;
}

// The vertices of a triangle of the queue.
uvec3 raster_vertices(uint triangle) {
    uvec3 corner = 3u * triangle + uvec3(0u, 1u, 2u);
    if (QUEUE == QUEUE_EXPANDED) return corner;
    if (CORNERS) return uvec3(corners[corner.x], corners[corner.y], corners[corner.z]);
    uvec2 record = triangles[triangle];
    return record.y + (uvec3(record.x, record.x >> 10, record.x >> 20) & 1023u);
}

#endif
