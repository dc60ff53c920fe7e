#version 450
#extension GL_GOOGLE_include_directive : require

// raster:medium and, with LARGE, raster:large: draws triangles of some hundred or some thousand
// pixels. A workgroup draws RASTER_MEDIUM_TRIANGLES, each by a row of its invocations; RASTER_PIECES workgroups
// share a large triangle. Every invocation of a row sets up the triangle, since all lanes of a subgroup do so
// in the time of one. Then the workgroups take turns at the blocks along the longer side of its box.
//
// Input   rasterTriangles[] of the class, the queues
// Output  the visibility buffer
// Dispatch indirect; with LARGE the workgroups of each triangle one after the other

#include "include/visible.glsl"
#ifdef LARGE
const uint MEDIUM_CLASS = LIST_LARGE;
const uint MEDIUM_LANES = RASTER_WORKGROUP;
const uint MEDIUM_TRIANGLES = 1u;
const uint MEDIUM_PIECES = RASTER_PIECES; // workgroups of a triangle
#else
const uint MEDIUM_CLASS = LIST_MEDIUM;
const uint MEDIUM_LANES = RASTER_MEDIUM_LANES;
const uint MEDIUM_TRIANGLES = RASTER_MEDIUM_TRIANGLES;
const uint MEDIUM_PIECES = 1u;
#endif

layout(local_size_x = MEDIUM_LANES, local_size_y = MEDIUM_TRIANGLES) in;
layout(binding = BINDING_RASTER_LISTS, std430) readonly buffer RasterLists { RasterList rasterLists[]; };

const ivec2 BLOCK = ivec2(8, int(MEDIUM_LANES) / 8); // pixels that the lanes process at once

void main() {
    uint i = dispatch_workgroup() / MEDIUM_PIECES * MEDIUM_TRIANGLES + gl_LocalInvocationID.y;
    if (i >= raster_length(rasterLists[RASTER_LISTS * push.chunk + MEDIUM_CLASS].count)) return;
    uint triangle = rasterTriangles[raster_place(MEDIUM_CLASS, i)];
    vec4 p0, p1, p2;
    raster_positions(triangle, p0, p1, p2);
    Triangle t;
    if (!setup_load(p0, p1, p2, t)) return;
    ivec2 size = t.boxMax - t.boxMin;
    ivec2 along = size.x > size.y ? ivec2(1, 0) : ivec2(0, 1); // the longer side
    ivec2 lane = ivec2(gl_LocalInvocationID.x % uint(BLOCK.x), gl_LocalInvocationID.x / uint(BLOCK.x));
    ivec2 first = t.boxMin + lane + BLOCK * along * int(dispatch_workgroup() % MEDIUM_PIECES);
    ivec2 block = BLOCK * (1 + along * int(MEDIUM_PIECES - 1u));
    uvec3 z = uvec3(t.a.z, t.b.z, t.c.z);
#ifndef LARGE // few large triangles are small enough
    if (setup_isSmall(t)) {
        SmallEdges small = setup_smallEdges(t.a.sub, t.b.sub, t.c.sub, first);
        visible_drawBlocks(small, depth_planeSmall(z, small.value.x + small.value.y + small.value.z), first, t.boxMax, block, triangle, TexturedPlace(true, p0, p1, p2));
        return;
    }
#endif
    Edges e = setup_edges(t.a.sub, t.b.sub, t.c.sub, first);
    visible_drawBlocks(e, depth_plane(z, e.value.x + e.value.y + e.value.z), first, t.boxMax, block, triangle, TexturedPlace(true, p0, p1, p2));
}
