#version 450
#extension GL_GOOGLE_include_directive : require

// batch:count follows the stream through the groups and writes the dispatch of the
// geometry pass over all batches. Workgroups beyond the last batch find empty
// batches, so that no strategy needs to know the number.
//
// Input   groupMaps[groups * REACH]; push.triangleCount, push.batchCount
// Output  groupStarts[groups]: entry, number of the first batch; batchStates[1];
//         empty batches[] behind the last one
// Dispatch one invocation

#include "include/batching.glsl"

layout(local_size_x = 1) in;

layout(binding = BINDING_GROUP_MAPS, std430) readonly buffer GroupMaps { uint groupMaps[]; };
layout(binding = BINDING_GROUP_STARTS, std430) writeonly buffer GroupStarts { uvec2 groupStarts[]; };
layout(binding = BINDING_BATCHES, std430) writeonly buffer Batches { Batch batches[]; };
layout(binding = BINDING_BATCH_STATES, std430) writeonly buffer BatchStates { BatchState batchStates[]; };

void main() {
    uint entry = 0u;
    uint batchCount = 0u;
    for (uint group = 0u; group < batching_groups(); group++) {
        groupStarts[group] = uvec2(entry, batchCount);
        uvec2 follows = batching_follow(groupMaps[group * REACH + entry]);
        entry = follows.x;
        batchCount += follows.y;
    }
    uint groups = (batchCount + GROUP_BATCHES - 1u) / GROUP_BATCHES;
    uint groupsY = (groups + MAX_GROUPS - 1u) / MAX_GROUPS;
    uint groupsX = (groups + groupsY - 1u) / groupsY;
    batchStates[0] = BatchState(groupsX, groupsY, 1u, batchCount);
    uint places = min(groupsX * groupsY * GROUP_BATCHES, push.batchCount);
    for (uint i = batchCount; i < places; i++) batches[i] = Batch(0u, 0u, 0u, 0u);
}
