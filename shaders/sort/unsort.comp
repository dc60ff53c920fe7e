#version 450
#extension GL_GOOGLE_include_directive : require

// Puts keys in the order of their values, which are a permutation of 0 to push.count - 1.
//
// Input   sortKeys[push.count], sortValues[push.count]
// Output  sortedKeys[value]
// Source  not in the paper
// Dispatch one workgroup per tile

#include "sort/tile.glsl"

layout(binding = BINDING_SORT_VALUES, std430) readonly buffer SortValues { uint sortValues[]; };
layout(binding = BINDING_SORTED_KEYS, std430) writeonly buffer SortedKeys { uint sortedKeys[]; };

void main() {
    for (uint i = 0u; i < SORT_OWN; i++) {
        uint at = dispatch_workgroup() * TILE + i * WORKGROUP + gl_LocalInvocationID.x;
        if (at < push.count) sortedKeys[sortValues[at]] = sortKeys[at];
    }
}
