#version 450
#extension GL_GOOGLE_include_directive : require

// Counts how often each key occurs.
//
// Input   sortKeys[push.count]
// Output  sortOccupancy[key], which was 0
// Source  not in the paper
// Dispatch one workgroup per tile

#include "sort/tile.glsl"

layout(binding = BINDING_SORT_OCCUPANCY, std430) buffer SortOccupancy { uint sortOccupancy[]; };

void main() {
    for (uint i = 0u; i < SORT_OWN; i++) {
        uint at = dispatch_workgroup() * TILE + i * WORKGROUP + gl_LocalInvocationID.x;
        if (at < push.count) atomicAdd(sortOccupancy[sortKeys[at]], 1u);
    }
}
