#version 450
#extension GL_GOOGLE_include_directive : require

// batch:join follows every entry of a group's first tile through the group.
//
// Input   tileMaps[tiles * REACH]; push.triangleCount
// Output  groupMaps[groups * REACH], as batching_follow reads them
// Dispatch one workgroup per group, one invocation per entry

#include "include/batching.glsl"

layout(local_size_x = BATCHING_WORKGROUP) in;

layout(binding = BINDING_TILE_MAPS, std430) readonly buffer TileMaps { uint tileMaps[]; };
layout(binding = BINDING_GROUP_MAPS, std430) writeonly buffer GroupMaps { uint groupMaps[]; };

void main() {
    uint group = gl_WorkGroupID.x;
    uint end = min((group + 1u) * BATCHING_GROUP_TILES, batching_tiles());
    for (uint first = gl_LocalInvocationID.x; first < REACH; first += BATCHING_WORKGROUP) {
        uint entry = first;
        uint batchCount = 0u;
        for (uint tile = group * BATCHING_GROUP_TILES; tile < end; tile++) {
            uvec2 follows = batching_follow(tileMaps[tile * REACH + entry]);
            entry = follows.x;
            batchCount += follows.y;
        }
        groupMaps[group * REACH + first] = entry | batchCount << BATCHING_EXIT_BITS;
    }
}
