#version 450
#extension GL_GOOGLE_include_directive : require

// raster:medium: draws triangles of some hundred pixels, a workgroup each. Every lane
// sets up the triangle, since all lanes of a subgroup do so in the time of one. Then
// they walk over its box side by side.
//
// Input   rasterTriangles[] of the class, the queues
// Output  the visibility buffer
// Dispatch indirect, one workgroup per triangle

#include "include/visible.glsl"

layout(local_size_x = RASTER_MEDIUM_LANES) in;
layout(binding = BINDING_RASTER_LISTS, std430) readonly buffer RasterLists { RasterList rasterLists[]; };

const ivec2 BLOCK = ivec2(8, int(RASTER_MEDIUM_LANES) / 8); // pixels that the lanes process at once

void main() {
    uint i = dispatch_workgroup();
    if (i >= raster_length(rasterLists[RASTER_LISTS * push.chunk + LIST_MEDIUM].count)) return;
    uint triangle = rasterTriangles[raster_place(LIST_MEDIUM, i)];
    vec4 p0, p1, p2;
    raster_positions(triangle, p0, p1, p2);
    Triangle t;
    if (!setup_load(p0, p1, p2, t)) return;
    ivec2 first = t.boxMin + ivec2(gl_LocalInvocationID.x % uint(BLOCK.x), gl_LocalInvocationID.x / uint(BLOCK.x));
    Edges e = setup_edges(t.a.sub, t.b.sub, t.c.sub, first);
    DepthPlane plane = depth_plane(uvec3(t.a.z, t.b.z, t.c.z), e.value.x + e.value.y + e.value.z);
    visible_drawBlocks(e, plane, first, t.boxMax, BLOCK, triangle);
}
