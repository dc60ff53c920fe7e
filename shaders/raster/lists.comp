#version 450
#extension GL_GOOGLE_include_directive : require

// raster:lists: turns the counts of a chunk's lists into the dispatches that
// draw them.
//
// Input   rasterLists[].count
// Output  its groups* members, a VkDispatchIndirectCommand
// Dispatch one invocation a class

#include "include/raster.glsl"

layout(local_size_x = RASTER_CLASSES) in;
layout(constant_id = 9) const uint MAX_GROUPS = 65535u; // of the device, in one dimension
layout(set = 0, binding = 6, std430) buffer RasterLists { RasterList rasterLists[]; };

void main() {
    uint sizeClass = gl_LocalInvocationID.x;
    uint list = RASTER_CLASSES * push.chunk + sizeClass;
    uint count = rasterLists[list].count;
    uvec2 tiles = (uvec2(push.width, push.height) + (RASTER_TILE - 1u)) / RASTER_TILE;
    uint groups = count;
    if (sizeClass == LIST_SMALL) groups = (count + RASTER_WORKGROUP - 1u) / RASTER_WORKGROUP;
    if (sizeClass == LIST_LARGE || sizeClass == LIST_CLIPPED) {
        groups = (count + RASTER_SEGMENT - 1u) / RASTER_SEGMENT * (tiles.x * tiles.y);
    }
    uint wide = min(groups, MAX_GROUPS);
    rasterLists[list].groupsX = wide;
    rasterLists[list].groupsY = wide > 0u ? (groups + wide - 1u) / wide : 0u;
    rasterLists[list].groupsZ = 1u;
}
