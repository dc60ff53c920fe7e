#version 450
#extension GL_GOOGLE_include_directive : require

// batch:emit writes the batches that begin in a group's tiles.
//
// Input   groupStarts[groups], tileMaps[tiles * REACH],
//         batchLengths[tiles * LENGTH_WORDS], drawRanges[]; push
// Output  batches[]
// Dispatch one workgroup per group, one invocation per tile

#include "include/ranges.glsl"

layout(local_size_x = BATCHING_GROUP_TILES) in;

layout(binding = BINDING_BATCH_LENGTHS, std430) readonly buffer BatchLengths { uint batchLengths[]; };
layout(binding = BINDING_TILE_MAPS, std430) readonly buffer TileMaps { uint tileMaps[]; };
layout(binding = BINDING_GROUP_STARTS, std430) readonly buffer GroupStarts { uvec2 groupStarts[]; };
layout(binding = BINDING_BATCHES, std430) writeonly buffer Batches { Batch batches[]; };

shared uvec2 shStart[BATCHING_GROUP_TILES]; // entry of a tile, number of its first batch

void main() {
    uint tid = gl_LocalInvocationID.x;
    uint firstTile = gl_WorkGroupID.x * BATCHING_GROUP_TILES;
    uint tileCount = min(BATCHING_GROUP_TILES, batching_tiles() - firstTile);
    if (tid == 0u) {
        uvec2 start = groupStarts[gl_WorkGroupID.x];
        for (uint i = 0u; i < tileCount; i++) {
            shStart[i] = start;
            uvec2 follows = batching_follow(tileMaps[(firstTile + i) * REACH + start.x]);
            start = uvec2(follows.x, start.y + follows.y);
        }
    }
    barrier();
    uint tile = firstTile + tid;
    uint t = tid < tileCount ? shStart[tid].x : TILE;
    uint end = min(push.triangleCount - min(tile * TILE, push.triangleCount), TILE);
    for (uint number = shStart[min(tid, tileCount - 1u)].y; t < end; number++) {
        uint triangle = tile * TILE + t;
        uint draw = ranges_draw(triangle, 0u, ranges_lastDraw());
        uint triangleCount = batchLengths[tile * LENGTH_WORDS + t / 2u] >> (16u * (t & 1u)) & 0xffffu;
        if (number < push.batchCount) batches[number] = Batch(ranges_firstIndex(triangle, draw), 3u * triangleCount, draw, triangle);
        t += triangleCount;
    }
}
