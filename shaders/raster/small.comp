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
    uvec3 v = raster_vertices(triangle);
    Triangle t;
    if (!setup_load(vertexPositions[v.x], vertexPositions[v.y], vertexPositions[v.z], t)) return;
    SmallEdges e = setup_smallEdges(t.a.sub, t.b.sub, t.c.sub, t.boxMin);
    DepthPlane plane = depth_planeSmall(uvec3(t.a.z, t.b.z, t.c.z), e.value.x + e.value.y + e.value.z);
    for (int y = t.boxMin.y; y <= t.boxMax.y; y++) {
        ivec3 value = e.value;
        for (int x = t.boxMin.x; x <= t.boxMax.x; x++) {
            if (all(greaterThanEqual(value, e.bias))) {
                visible_write(uvec2(x, y), depth_atSmall(plane, value.y, value.z), triangle);
            }
            value += e.stepX;
        }
        e.value += e.stepY;
    }
}
