#version 450
#extension GL_GOOGLE_include_directive : require

// raster:small: draws triangles whose boxes have few pixels, a lane each. Their edge
// functions fit 32 bits.
//
// Input   rasterTriangles[] of the class, the queues
// Output  the visibility buffer
// Dispatch indirect, one invocation per triangle

#include "include/visible.glsl"

layout(local_size_x = RASTER_WORKGROUP) in;
layout(binding = BINDING_RASTER_LISTS, std430) readonly buffer RasterLists { RasterList rasterLists[]; };

void main() {
    uint i = RASTER_WORKGROUP * dispatch_workgroup() + gl_LocalInvocationID.x;
    if (i >= rasterLists[RASTER_LISTS * push.chunk + LIST_SMALL].count) return;
    uint triangle = rasterTriangles[raster_place(LIST_SMALL, i)];
    vec4 p0, p1, p2;
    raster_positions(triangle, p0, p1, p2);
    Triangle t;
    if (!setup_load(p0, p1, p2, t)) return;
    visible_drawSmall(t.a.sub, t.b.sub, t.c.sub, uvec3(t.a.z, t.b.z, t.c.z), t.boxMin, t.boxMax, 1, triangle, TexturedPlace(true, p0, p1, p2));
}
